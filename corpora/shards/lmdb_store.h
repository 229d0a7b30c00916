// Owning handles of LMDB, and what every user of it here shares: errors as Status, and write
// transactions that grow the map.
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

// The longest key that LMDB takes as Debian builds it.
inline constexpr std::size_t kMaxLmdbKey = 511;

// Ok for MDB_SUCCESS; otherwise "cannot <what> <path>: <why>".
Status LmdbStatus(int code, std::string_view what, const std::string& path);

// A private, unlocked file. `map_bytes` 0 takes the size that the file has.
Result<LmdbEnv> OpenLmdb(const std::string& path, bool read_only, std::size_t map_bytes);
Result<LmdbTxn> BeginRead(MDB_env* env, const std::string& path);

// Runs `write` in a transaction and commits it. Where the map is full it is doubled and `write`
// runs again in a new transaction. `write` returns what LMDB returned to it.
using LmdbWrite = std::function<int(MDB_txn* txn, MDB_dbi dbi)>;
Status CommitGrowing(MDB_env* env, const std::string& path, const LmdbWrite& write);

inline MDB_val ToLmdb(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}
inline std::string_view FromLmdb(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

// The only database of a file; a constant of LMDB that mdb_dbi_open() returns for it.
inline constexpr MDB_dbi kMainDatabase = 1;

}  // namespace kernelmill
