#include "stages/publishable/licence_map.h"

#include <algorithm>
#include <cctype>

#include "manifests/ascii.h"
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

// The identifiers, operators and parentheses of an SPDX expression.
std::vector<std::string> WordsOf(std::string_view expression) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (char c : expression) {
    if (c == '(' || c == ')') {
      flush();
      words.emplace_back(1, c);
    } else if (c == ' ') {
      flush();
    } else {
      word.push_back(c);
    }
  }
  flush();
  return words;
}

// A recursive descent over: expression = term {OR term}, term = factor {AND factor},
// factor = "(" expression ")" | id ["WITH" id].
class Expression {
 public:
  Expression(std::string_view text, const std::vector<std::string>& allowed)
      : allowed_(allowed), words_(WordsOf(text)) {}

  // Nothing if the list does not satisfy the expression, or if it is malformed.
  std::optional<std::string> Chosen() {
    // Real expressions are shorter; this bounds the recursion.
    if (words_.empty() || words_.size() > 64) return std::nullopt;
    std::optional<std::string> chosen = Alternatives();
    if (!valid_ || at_ != words_.size()) return std::nullopt;
    return chosen;
  }

 private:
  bool Take(std::string_view word) {
    if (at_ == words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  std::optional<std::string> Alternatives() {
    std::optional<std::string> chosen = Requirements();
    while (Take("OR")) {
      std::optional<std::string> other = Requirements();
      if (!chosen) chosen = std::move(other);
    }
    return chosen;
  }
  std::optional<std::string> Requirements() {
    std::optional<std::string> chosen = Factor();
    while (Take("AND")) {
      const std::optional<std::string> other = Factor();
      chosen = chosen && other ? std::optional(*chosen + " AND " + *other) : std::nullopt;
    }
    return chosen;
  }
  std::optional<std::string> Factor() {
    if (Take("(")) {
      std::optional<std::string> chosen = Alternatives();
      valid_ = Take(")") && valid_;
      return chosen;
    }
    if (at_ == words_.size() || words_[at_] == ")") return Malformed();
    const std::string& id = words_[at_++];
    std::string chosen = id;
    if (Take("WITH")) {
      if (at_ == words_.size()) return Malformed();
      chosen += " WITH " + words_[at_++];
    }
    if (std::find(allowed_.begin(), allowed_.end(), id) == allowed_.end()) return std::nullopt;
    return chosen;
  }
  std::optional<std::string> Malformed() {
    valid_ = false;
    return std::nullopt;
  }

  const std::vector<std::string>& allowed_;
  const std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool valid_ = true;
};

}  // namespace

bool LicenceFile::Is(std::string_view path) { return IsLicenceText(path) || IsMetadata(path); }

bool LicenceFile::IsText() const { return IsLicenceText(path); }

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
    if (file->IsText()) texts_[std::string(ScopeOf(file->path))].push_back(*file);
    const bool packaged = IsMetadata(file->path) || !DistInfoOf(file->path).empty();
    auto& speakers = packaged ? packages_ : nearest_;
    LicenceEvidence evidence{file->spdx,
                             packaged ? LicenceLevel::kPackageMetadata : LicenceLevel::kNearestFile,
                             file->path, file->blob};
    // The first known licence of a folder counts: LICENSE-MIT together with LICENSE-APACHE offers a
    // choice.
    const auto [at, inserted] = speakers.emplace(std::string(ScopeOf(file->path)), evidence);
    if (!inserted && at->second.spdx == kNoAssertion) at->second = evidence;
  }
}

LicenceEvidence LicenceMap::Of(const std::string& path, const std::string& blob,
                               const std::string& header) const {
  LicenceEvidence evidence{std::string(kNoAssertion), LicenceLevel::kNone, "", ""};
  if (!header.empty()) {
    evidence = {header, LicenceLevel::kFileHeader, path, blob};
  } else if (const LicenceEvidence* nearest = Upward(nearest_, path)) {
    return *nearest;
  } else if (const LicenceEvidence* package = Upward(packages_, path)) {
    evidence = *package;
  }
  if (evidence.level == LicenceLevel::kNone) return evidence;
  if (evidence.path != path && IsLicenceText(evidence.path)) {
    evidence.text_path = evidence.path;
    evidence.text_blob = evidence.blob;
    return evidence;
  }
  const std::vector<std::string> words = WordsOf(evidence.spdx);
  const std::string_view wheel = DistInfoOf(evidence.path);
  for (std::string_view folder = FolderOf(path);; folder = FolderOf(folder)) {
    const auto texts = texts_.find(folder);
    if (texts != texts_.end()) {
      for (const LicenceFile& text : texts->second) {
        // Wheels that lie side by side have a licence each.
        if (!wheel.empty() && DistInfoOf(text.path) != wheel) continue;
        if (std::find(words.begin(), words.end(), text.spdx) == words.end()) continue;
        evidence.text_path = text.path;
        evidence.text_blob = text.blob;
        return evidence;
      }
    }
    if (folder.empty()) return evidence;
  }
}

std::optional<std::string> ChosenLicences(std::string_view expression,
                                          const std::vector<std::string>& allowed) {
  return Expression(expression, allowed).Chosen();
}

bool IsLicenceExpression(std::string_view text) {
  // Identifiers are of these characters; "LicenseRef-…" and "DocumentRef-…:LicenseRef-…" too.
  const auto fits = [](char c) {
    return IsDigit(c) || IsLetter(c) ||
           std::string_view("-.+: ()").find(c) != std::string_view::npos;
  };
  // With a list of all its identifiers, only the form can be at fault.
  std::vector<std::string> identifiers = WordsOf(text);
  std::erase_if(identifiers, [](const std::string& word) {
    return word == "AND" || word == "OR" || word == "WITH";
  });
  return std::all_of(text.begin(), text.end(), fits) && LicenceAllowed(text, identifiers);
}

bool LicenceAllowed(std::string_view expression, const std::vector<std::string>& allowed) {
  return ChosenLicences(expression, allowed).has_value();
}

std::optional<LicenceEvidence> AllowedEvidence(LicenceEvidence evidence,
                                               const std::vector<std::string>& allowed) {
  const std::optional<std::string> chosen = ChosenLicences(evidence.spdx, allowed);
  if (!chosen) return std::nullopt;
  const std::vector<std::string> words = WordsOf(evidence.spdx);
  if (std::find(words.begin(), words.end(), "OR") != words.end()) evidence.chosen = *chosen;
  return evidence;
}

}  // namespace kernelmill
