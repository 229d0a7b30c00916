#include "corpora/shards/lmdb_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace kernelmill {
namespace {

// LMDB reports a write that was cut short by a full disk as EIO. Trying to allocate space tells the
// two apart. The writer gives the file up afterwards, so the allocated space does not matter.
int WhyNotWritten(MDB_env* env, int code) {
  constexpr off_t kProbeBytes = 1 << 20;
  int fd = -1;
  struct stat about;
  if (code != EIO || mdb_env_get_fd(env, &fd) != MDB_SUCCESS || fstat(fd, &about) != 0) return code;
  const int probe = posix_fallocate(fd, about.st_size, kProbeBytes);
  return probe == ENOSPC || probe == EDQUOT ? probe : code;
}

}  // namespace

Status LmdbStatus(int code, std::string_view what, const std::string& path) {
  if (code == MDB_SUCCESS) return Status::Ok();
  const std::string action = "cannot " + std::string(what);
  if (code > 0) {
    errno = code;
    return Status::FromErrno(action, path);
  }
  const bool corrupt = code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID ||
                       code == MDB_VERSION_MISMATCH;
  return Status(corrupt ? ErrorCode::kCorrupt : ErrorCode::kInternal,
                action + " " + path + ": " + mdb_strerror(code));
}

Result<LmdbEnv> OpenLmdb(const std::string& path, bool read_only, std::size_t map_bytes) {
  MDB_env* raw = nullptr;
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_env_create(&raw), "prepare", path));
  LmdbEnv env(raw);
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_env_set_mapsize(raw, map_bytes), "map", path));
  // MDB_NOMEMINIT is not set: without it the padding of pages would carry bytes of this process
  // into published files.
  const unsigned flags =
      MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS | MDB_NORDAHEAD | (read_only ? MDB_RDONLY : MDB_NOSYNC);
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_env_open(raw, path.c_str(), flags, 0666), "open", path));
  // This call sets the key order of the main database for all later transactions.
  MDB_txn* txn = nullptr;
  KM_RETURN_IF_ERROR(
      LmdbStatus(mdb_txn_begin(raw, nullptr, read_only ? MDB_RDONLY : 0, &txn), "read", path));
  MDB_dbi dbi = 0;
  const int opened = mdb_dbi_open(txn, nullptr, 0, &dbi);
  mdb_txn_abort(txn);
  KM_RETURN_IF_ERROR(LmdbStatus(opened, "read", path));
  return env;
}

Result<LmdbTxn> BeginRead(MDB_env* env, const std::string& path) {
  MDB_txn* txn = nullptr;
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), "read", path));
  return LmdbTxn(txn);
}

Status CommitGrowing(MDB_env* env, const std::string& path, const LmdbWrite& write) {
  for (;;) {
    MDB_txn* txn = nullptr;
    KM_RETURN_IF_ERROR(LmdbStatus(mdb_txn_begin(env, nullptr, 0, &txn), "write", path));
    int code = write(txn, kMainDatabase);
    if (code == MDB_SUCCESS) {
      code = mdb_txn_commit(txn);
    } else {
      mdb_txn_abort(txn);
    }
    if (code != MDB_MAP_FULL) return LmdbStatus(WhyNotWritten(env, code), "write", path);
    MDB_envinfo info;
    mdb_env_info(env, &info);
    KM_RETURN_IF_ERROR(LmdbStatus(mdb_env_set_mapsize(env, 2 * info.me_mapsize), "grow", path));
  }
}

}  // namespace kernelmill
