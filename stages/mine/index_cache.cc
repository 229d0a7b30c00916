#include "stages/mine/index_cache.h"

#include <algorithm>

#include "stages/engine/interrupt.h"

namespace kernelmill {
namespace {

// Inputs arrive in key order, so that two are enough: the source that ends and the one that begins.
constexpr std::size_t kMostIndices = 2;

}  // namespace

Result<std::shared_ptr<const RepositoryIndex>> IndexCache::Get(const std::string& source) {
  KM_ASSIGN(const std::shared_ptr<const Indices> found, Find(source));
  return std::shared_ptr<const RepositoryIndex>(found, &found->python);
}

Result<std::shared_ptr<const NativeIndex>> IndexCache::GetNative(const std::string& source) {
  KM_ASSIGN(const std::shared_ptr<const Indices> found, Find(source));
  return std::shared_ptr<const NativeIndex>(found, &found->native);
}

Result<std::shared_ptr<const IndexCache::Indices>> IndexCache::Find(const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == source; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().second;
  }
  std::vector<SourceFile> files;
  std::vector<NativeFile> native;
  std::vector<LicenceFile> licences;
  KM_RETURN_IF_ERROR(read_(source, [&](std::string_view body) -> Status {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const Json json, Json::Parse(body));
    if (const Json* inner = json.Find("native"); inner != nullptr) {
      KM_ASSIGN(NativeFile file, NativeFile::FromJson(*inner));
      native.push_back(std::move(file));
      KM_ASSIGN(SourceFile module, SourceFile::FromJson(*json.Find("module")));
      files.push_back(std::move(module));
      return Status::Ok();
    }
    if (json.Find("spdx") != nullptr) {
      KM_ASSIGN(LicenceFile licence, LicenceFile::FromJson(json));
      licences.push_back(std::move(licence));
      return Status::Ok();
    }
    if (json.Find("cuda") != nullptr) {
      KM_ASSIGN(NativeFile file, NativeFile::FromJson(json));
      native.push_back(std::move(file));
      return Status::Ok();
    }
    KM_ASSIGN(SourceFile file, SourceFile::FromJson(json));
    files.push_back(std::move(file));
    return Status::Ok();
  }));
  entries_.emplace_front(
      source, std::make_shared<const Indices>(Indices{RepositoryIndex(std::move(files), licences),
                                                      NativeIndex(std::move(native), licences)}));
  if (entries_.size() > kMostIndices) entries_.pop_back();
  return entries_.front().second;
}

}  // namespace kernelmill
