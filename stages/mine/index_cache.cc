#include "stages/mine/index_cache.h"

#include <algorithm>

#include "stages/engine/interrupt.h"
#include "stages/mine/file_filter.h"

namespace kernelmill {
namespace {

// Decodes an output of "read" when it is a licence file; returns whether it is one.
Result<bool> ReadLicence(std::string_view path, std::string_view body,
                         std::vector<LicenceFile>* licences) {
  if (!LicenceFile::Is(path)) return false;
  KM_ASSIGN(const Json json, Json::Parse(body));
  KM_ASSIGN(LicenceFile licence, LicenceFile::FromJson(json));
  licences->push_back(std::move(licence));
  return true;
}

// Whether an output of "read" holds "module" and "native": a Python file with CUDA source in its
// strings.
bool HasInlineCuda(std::string_view body) { return body.starts_with("{\"module\":"); }

Result<RepositoryIndex> BuildPython(const ReadFiles& read, const std::string& source) {
  std::vector<ParsedPythonFile> files;
  std::vector<LicenceFile> licences;
  KM_RETURN_IF_ERROR(read(source, [&](std::string_view path, std::string_view body) -> Status {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const bool licence, ReadLicence(path, body, &licences));
    if (licence || IsNativeSource(path)) return Status::Ok();
    KM_ASSIGN(const Json json, Json::Parse(body));
    KM_ASSIGN(ParsedPythonFile file,
              ParsedPythonFile::FromJson(HasInlineCuda(body) ? *json.Find("module") : json));
    files.push_back(std::move(file));
    return Status::Ok();
  }));
  return RepositoryIndex(std::move(files), licences);
}

Result<NativeRepository> BuildNative(const ReadFiles& read, const std::string& source) {
  std::vector<NativeFile> files;
  std::vector<LicenceFile> licences;
  KM_RETURN_IF_ERROR(read(source, [&](std::string_view path, std::string_view body) -> Status {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const bool licence, ReadLicence(path, body, &licences));
    const bool inline_cuda = HasInlineCuda(body);
    if (licence || !(inline_cuda || IsNativeSource(path))) return Status::Ok();
    KM_ASSIGN(const Json json, Json::Parse(body));
    KM_ASSIGN(NativeFile file, NativeFile::FromJson(inline_cuda ? *json.Find("native") : json));
    files.push_back(std::move(file));
    return Status::Ok();
  }));
  return NativeRepository{NativeIndex(std::move(files)), LicenceMap(licences)};
}

}  // namespace

// Inputs arrive in key order: each lane uses one source at a time, and one more index is in use
// where a source ends and the next one begins.
IndexCache::IndexCache(ReadFiles read, int lanes)
    : read_(std::move(read)), most_(static_cast<std::size_t>(lanes) + 1) {}

template <typename Index>
template <typename Build>
Result<std::shared_ptr<const Index>> IndexCache::Recent<Index>::Get(const std::string& source,
                                                                    std::size_t most,
                                                                    const Build& build) {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(slots_.begin(), slots_.end(),
                                    [&](const auto& entry) { return entry.first == source; });
    if (found != slots_.end()) {
      slots_.splice(slots_.begin(), slots_, found);
    } else {
      slots_.emplace_front(source, std::make_shared<Slot>());
    }
    slot = slots_.front().second;
    if (slots_.size() > most) slots_.pop_back();
  }
  const std::lock_guard lock(slot->mutex);
  if (slot->index == nullptr) {
    KM_ASSIGN(Index index, build());
    slot->index = std::make_shared<const Index>(std::move(index));
  }
  return slot->index;
}

Result<std::shared_ptr<const RepositoryIndex>> IndexCache::Get(const std::string& source) {
  return python_.Get(source, most_, [&] { return BuildPython(read_, source); });
}

Result<std::shared_ptr<const NativeRepository>> IndexCache::GetNative(const std::string& source) {
  return native_.Get(source, most_, [&] { return BuildNative(read_, source); });
}

}  // namespace kernelmill
