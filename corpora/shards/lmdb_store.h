// Access to LMDB for the writer, the reader and the sorter of shards (shard.h): owning handles,
// errors as Status, and write transactions that grow the map when it is full.
#pragma once

#include <lmdb.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

struct FreeLmdb {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};
using LmdbEnv = std::unique_ptr<MDB_env, FreeLmdb>;
using LmdbTxn = std::unique_ptr<MDB_txn, FreeLmdb>;
using LmdbCursor = std::unique_ptr<MDB_cursor, FreeLmdb>;

// The maximum length of a key in Debian's build of LMDB.
inline constexpr std::size_t kMaxLmdbKey = 511;

// Ok for MDB_SUCCESS, otherwise "cannot <what> <path>: <why>".
Status LmdbStatus(int code, std::string_view what, const std::string& path);

// Opens a file that no other process uses, without a lock. If `map_bytes` is 0, the map has the
// size of the file.
Result<LmdbEnv> OpenLmdb(const std::string& path, bool read_only, std::size_t map_bytes);
Result<LmdbTxn> BeginRead(MDB_env* env, const std::string& path);

// Runs `write` in a transaction and commits it. When the map is full, it doubles the map and runs
// `write` again in a new transaction, so `write` must be repeatable. `write` returns the LMDB error
// code.
using LmdbWrite = std::function<int(MDB_txn* txn, MDB_dbi dbi)>;
Status CommitGrowing(MDB_env* env, const std::string& path, const LmdbWrite& write);

inline MDB_val ToLmdb(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}
inline std::string_view FromLmdb(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

// The handle of a file's only database: the constant that mdb_dbi_open() returns for it.
inline constexpr MDB_dbi kMainDatabase = 1;

}  // namespace kernelmill
