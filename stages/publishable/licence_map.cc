#include "stages/publishable/licence_map.h"

#include <algorithm>
#include <cctype>

#include "manifests/json_fields.h"
#include "parsers/licence_text.h"

namespace kernelmill {
namespace {

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool IsLicenceText(std::string_view path) {
  const std::string name = Lower(NameOf(path));
  return (name.starts_with("license") || name.starts_with("licence") ||
          name.starts_with("copying") || name.starts_with("unlicense")) &&
         !name.ends_with(".py");
}

bool IsMetadata(std::string_view path) {
  const std::string_view name = NameOf(path);
  return name == "pyproject.toml" || name == "setup.cfg" || name == "PKG-INFO" ||
         (name == "METADATA" && FolderOf(path).ends_with(".dist-info"));
}

// The folder "<package>.dist-info" on the way to `path`, or empty.
std::string_view DistInfoOf(std::string_view path) {
  for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
    if (folder.ends_with(".dist-info")) return folder;
  }
  return "";
}

// The folder whose licence a file states: its own; for a wheel's metadata, the folder of the wheel.
std::string_view ScopeOf(std::string_view path) {
  const std::string_view dist_info = DistInfoOf(path);
  return FolderOf(dist_info.empty() ? path : dist_info);
}

const LicenceEvidence* Upward(const std::map<std::string, LicenceEvidence, std::less<>>& speakers,
                              std::string_view path) {
  for (std::string_view folder = FolderOf(path);; folder = FolderOf(folder)) {
    const auto found = speakers.find(folder);
    if (found != speakers.end()) return &found->second;
    if (folder.empty()) return nullptr;
  }
}

// A recursive descent over: expression = term {OR term}, term = factor {AND factor},
// factor = "(" expression ")" | id ["WITH" id].
class Expression {
 public:
  Expression(std::string_view text, const std::vector<std::string>& allowed) : allowed_(allowed) {
    std::string word;
    const auto flush = [&] {
      if (!word.empty()) words_.push_back(word);
      word.clear();
    };
    for (char c : text) {
      if (c == '(' || c == ')') {
        flush();
        words_.emplace_back(1, c);
      } else if (c == ' ') {
        flush();
      } else {
        word.push_back(c);
      }
    }
    flush();
  }

  bool Met() {
    // Real expressions are shorter; this bounds the recursion.
    if (words_.empty() || words_.size() > 64) return false;
    const bool met = Alternatives();
    return valid_ && at_ == words_.size() && met;
  }

 private:
  bool Take(std::string_view word) {
    if (at_ == words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  bool Alternatives() {
    bool met = Requirements();
    while (Take("OR")) met = Requirements() || met;
    return met;
  }
  bool Requirements() {
    bool met = Factor();
    while (Take("AND")) met = Factor() && met;
    return met;
  }
  bool Factor() {
    if (Take("(")) {
      const bool met = Alternatives();
      valid_ = Take(")") && valid_;
      return met;
    }
    if (at_ == words_.size() || words_[at_] == ")") return valid_ = false;
    const std::string& id = words_[at_++];
    if (Take("WITH")) {
      if (at_ == words_.size()) return valid_ = false;
      ++at_;
    }
    return std::find(allowed_.begin(), allowed_.end(), id) != allowed_.end();
  }

  const std::vector<std::string>& allowed_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool valid_ = true;
};

}  // namespace

bool LicenceFile::Is(std::string_view path) { return IsLicenceText(path) || IsMetadata(path); }

LicenceFile LicenceFile::Read(std::string path, std::string blob, std::string_view text) {
  LicenceFile file{std::move(path), std::move(blob), ""};
  file.spdx = IsMetadata(file.path) ? RecognizeMetadata(NameOf(file.path), text).value_or("")
                                    : RecognizeLicence(text);
  return file;
}

Json LicenceFile::ToJson() const {
  return Json::Object{{"path", path}, {"blob", blob}, {"spdx", spdx}};
}

Result<LicenceFile> LicenceFile::FromJson(const Json& json) {
  LicenceFile file;
  JsonFields fields(json, "licence file");
  fields.Read("path", &file.path);
  fields.Read("blob", &file.blob);
  fields.Read("spdx", &file.spdx);
  KM_RETURN_IF_ERROR(fields.Finish());
  return file;
}

LicenceMap::LicenceMap(const std::vector<LicenceFile>& files) {
  std::vector<const LicenceFile*> sorted;
  for (const LicenceFile& file : files) {
    if (!file.spdx.empty()) sorted.push_back(&file);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const LicenceFile* a, const LicenceFile* b) { return a->path < b->path; });
  for (const LicenceFile* file : sorted) {
    const bool packaged = IsMetadata(file->path) || !DistInfoOf(file->path).empty();
    auto& speakers = packaged ? packages_ : nearest_;
    LicenceEvidence evidence{
        file->spdx, packaged ? LicenceLevel::kPackageMetadata : LicenceLevel::kNearestFile,
        file->path, file->blob};
    // The first known licence of a folder counts: LICENSE-MIT together with LICENSE-APACHE offers a
    // choice.
    const auto [at, inserted] = speakers.emplace(std::string(ScopeOf(file->path)), evidence);
    if (!inserted && at->second.spdx == kNoAssertion) at->second = evidence;
  }
}

LicenceEvidence LicenceMap::Of(const std::string& path, const std::string& blob,
                               const std::string& header) const {
  if (!header.empty()) return {header, LicenceLevel::kFileHeader, path, blob};
  if (const LicenceEvidence* nearest = Upward(nearest_, path)) return *nearest;
  if (const LicenceEvidence* package = Upward(packages_, path)) return *package;
  return {std::string(kNoAssertion), LicenceLevel::kNone, "", ""};
}

bool LicenceAllowed(std::string_view expression, const std::vector<std::string>& allowed) {
  return Expression(expression, allowed).Met();
}

}  // namespace kernelmill
