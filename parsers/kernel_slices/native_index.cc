#include "parsers/kernel_slices/native_index.h"

#include <algorithm>
#include <set>

#include "manifests/json_fields.h"
#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 2;

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t first = 0; first <= path.size();) {
    const std::size_t last = std::min(path.find('/', first), path.size());
    parts.push_back(path.substr(first, last - first));
    first = last + 1;
  }
  return parts;
}

// The path of `target` relative to the folder of `path`, with "." and ".." resolved; "" when it
// lies outside the repository.
std::string Beside(std::string_view path, std::string_view target) {
  std::vector<std::string_view> parts = PartsOf(path);
  parts.pop_back();
  for (std::string_view part : PartsOf(target)) {
    if (part == "..") {
      if (parts.empty()) return "";
      parts.pop_back();
    } else if (part != "." && !part.empty()) {
      parts.push_back(part);
    }
  }
  std::string joined;
  for (std::string_view part : parts) {
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return joined;
}

std::size_t ShareOf(std::string_view a, std::string_view b) {
  const auto first = PartsOf(a), second = PartsOf(b);
  std::size_t same = 0;
  while (same < std::min(first.size(), second.size()) && first[same] == second[same]) ++same;
  return same;
}

}  // namespace

Json NativeFile::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"path", path},
                      {"blob", blob},
                      {"licence", licence},
                      {"copyright", kernelmill::ToJson(copyright)},
                      {"cuda", cuda.ToJson()}};
}

Result<NativeFile> NativeFile::FromJson(const Json& json) {
  NativeFile file;
  JsonFields fields(json, "native file");
  fields.Version(kVersion);
  fields.Read("path", &file.path);
  fields.Read("blob", &file.blob);
  fields.Read("licence", &file.licence);
  fields.Read("copyright", &file.copyright);
  fields.ReadValue("cuda", &file.cuda, CudaFile::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return file;
}

NativeIndex::NativeIndex(std::vector<NativeFile> files) : files_(std::move(files)) {
  std::sort(files_.begin(), files_.end(),
            [](const NativeFile& a, const NativeFile& b) { return a.path < b.path; });
  for (std::size_t i = 0; i < files_.size(); ++i) {
    by_path_.emplace(files_[i].path, static_cast<int>(i));
    by_name_.emplace(PartsOf(files_[i].path).back(), static_cast<int>(i));
  }
  includes_.resize(files_.size());
  includers_.resize(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const CudaFile& cuda = files_[i].cuda;
    for (std::size_t k = 0; k < cuda.items.size(); ++k) {
      const CudaItem& item = cuda.items[k];
      if (item.kind == CudaItemKind::kMacro) macros_.insert(item.name);
      if (item.kind == CudaItemKind::kInclude && item.quoted) {
        const int target = ResolveInclude(static_cast<int>(i), item.name);
        if (target < 0) continue;
        includes_[i].push_back(target);
        includers_[static_cast<std::size_t>(target)].push_back(static_cast<int>(i));
      } else if (item.kind == CudaItemKind::kFunction && item.body && !item.device) {
        owners_[item.name].insert(item.owner);
        for (const std::string& use : item.uses) {
          users_[std::string(LastNameOf(use))].push_back(
              {static_cast<int>(i), static_cast<int>(k)});
        }
      }
    }
    for (const CudaBinding& binding : cuda.bindings) {
      bindings_.emplace(binding.function, binding.name);
    }
  }
}

int NativeIndex::FileAt(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? -1 : found->second;
}

int NativeIndex::ResolveInclude(int file, std::string_view target) const {
  const std::string& from = files_[file].path;
  if (const int beside = FileAt(Beside(from, target)); beside >= 0) return beside;
  while (target.starts_with("../") || target.starts_with("./")) {
    target.remove_prefix(target.find('/') + 1);
  }
  int best = -1;
  std::size_t best_share = 0;
  const auto [first, last] = by_name_.equal_range(PartsOf(target).back());
  for (auto at = first; at != last; ++at) {
    const std::string& path = files_[at->second].path;
    if (path != target && !path.ends_with("/" + std::string(target))) continue;
    const std::size_t share = ShareOf(from, path);
    // Ties are broken by path order, whatever the order of the map.
    if (best < 0 || share > best_share || (share == best_share && at->second < best)) {
      best = at->second;
      best_share = share;
    }
  }
  return best;
}

std::vector<int> NativeIndex::Reach(int file, const std::vector<std::vector<int>>& edges) const {
  std::set<int> seen = {file};
  std::vector<int> open = {file};
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    for (int other : edges[static_cast<std::size_t>(next)]) {
      if (seen.insert(other).second) open.push_back(other);
    }
  }
  return {seen.begin(), seen.end()};
}

std::vector<int> NativeIndex::IncludersOf(int file) const {
  std::vector<int> includers = Reach(file, includers_);
  std::erase(includers, file);
  return includers;
}

std::vector<int> NativeIndex::WithIncludedFiles(int file) const { return Reach(file, includes_); }

bool NativeIndex::IsUnambiguous(std::string_view function) const {
  const auto found = owners_.find(function);
  return found != owners_.end() && found->second.size() == 1 && *found->second.begin() != function;
}

const std::vector<FunctionPlace>& NativeIndex::UsersOf(std::string_view function) const {
  static const std::vector<FunctionPlace> kNone;
  const auto found = users_.find(function);
  return found == users_.end() ? kNone : found->second;
}

}  // namespace kernelmill
