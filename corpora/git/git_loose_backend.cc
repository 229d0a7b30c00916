#include "corpora/git/git_loose_backend.h"

#include <git2.h>
#include <git2/sys/odb_backend.h>

#include <cstring>
#include <filesystem>

#include "corpora/git/loose_object.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFanDigits = 2;  // The length of a subfolder's name: objects_folder/ab/cdef…

struct LooseBackend : git_odb_backend {
  std::string objects_folder;

  std::string PathOf(const git_oid& id) const {
    char digits[GIT_OID_HEXSZ + 1];
    git_oid_tostr(digits, sizeof digits, &id);
    return objects_folder + "/" + std::string(digits, kFanDigits) + "/" + (digits + kFanDigits);
  }
};

const LooseBackend& Of(git_odb_backend* backend) { return *static_cast<LooseBackend*>(backend); }

int Fail(const Status& status) {
  if (status.code() == ErrorCode::kNotFound) return GIT_ENOTFOUND;
  const int kind = status.code() == ErrorCode::kWorker ? GIT_ERROR_OS : GIT_ERROR_ODB;
  git_error_set_str(kind, status.message().c_str());
  return GIT_ERROR;
}

int TypeOf(const LooseObject& object, git_object_t* type) {
  *type = git_object_string2type(object.kind.c_str());
  if (git_object_typeisloose(*type) != 0) return GIT_OK;
  return Fail(Status(ErrorCode::kCorrupt, "a loose object is of no kind that Git knows"));
}

int Read(void** data, std::size_t* size, git_object_t* type, git_odb_backend* backend,
         const git_oid* id) {
  const Result<LooseObject> object = ReadLooseObject(Of(backend).PathOf(*id));
  if (!object.ok()) return Fail(object.status());
  if (const int error = TypeOf(*object, type); error != GIT_OK) return error;
  // libgit2 expects a NUL after the content.
  void* copy = git_odb_backend_data_alloc(backend, object->content.size() + 1);
  if (copy == nullptr) return GIT_ERROR;
  std::memcpy(copy, object->content.c_str(), object->content.size() + 1);
  *data = copy;
  *size = object->content.size();
  return GIT_OK;
}

int ReadHeader(std::size_t* size, git_object_t* type, git_odb_backend* backend, const git_oid* id) {
  const Result<LooseObject> object = ReadLooseHeader(Of(backend).PathOf(*id));
  if (!object.ok()) return Fail(object.status());
  *size = object->size;
  return TypeOf(*object, type);
}

int Exists(git_odb_backend* backend, const git_oid* id) {
  std::error_code error;
  return fs::is_regular_file(Of(backend).PathOf(*id), error) ? 1 : 0;
}

// Finds the only object whose id begins with the first `length` digits of `start`.
int FindPrefix(git_oid* found, git_odb_backend* backend, const git_oid* start, std::size_t length) {
  char digits[GIT_OID_HEXSZ + 1];
  git_oid_tostr(digits, sizeof digits, start);
  if (length < kFanDigits || length > GIT_OID_HEXSZ) return GIT_ENOTFOUND;
  const std::string fan(digits, kFanDigits);
  const std::string rest(digits + kFanDigits, length - kFanDigits);
  int matches = 0;
  std::error_code error;
  for (fs::directory_iterator file(Of(backend).objects_folder + "/" + fan, error), last;
       !error && file != last; file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(rest) || name.size() + kFanDigits != GIT_OID_HEXSZ) continue;
    if (git_oid_fromstr(found, (fan + name).c_str()) == GIT_OK) ++matches;
  }
  return matches == 0 ? GIT_ENOTFOUND : matches == 1 ? GIT_OK : GIT_EAMBIGUOUS;
}

int ReadPrefix(git_oid* found, void** data, std::size_t* size, git_object_t* type,
               git_odb_backend* backend, const git_oid* start, std::size_t length) {
  const int error = FindPrefix(found, backend, start, length);
  return error == GIT_OK ? Read(data, size, type, backend, found) : error;
}

int ExistsPrefix(git_oid* found, git_odb_backend* backend, const git_oid* start,
                 std::size_t length) {
  return FindPrefix(found, backend, start, length);
}

void Free(git_odb_backend* backend) { delete static_cast<LooseBackend*>(backend); }

}  // namespace

git_odb_backend* MakeLooseBackend(std::string objects_folder) {
  auto* backend = new LooseBackend{};
  git_odb_init_backend(backend, GIT_ODB_BACKEND_VERSION);
  backend->objects_folder = std::move(objects_folder);
  backend->read = Read;
  backend->read_prefix = ReadPrefix;
  backend->read_header = ReadHeader;
  backend->exists = Exists;
  backend->exists_prefix = ExistsPrefix;
  backend->free = Free;
  return backend;
}

}  // namespace kernelmill
