#include <unistd.h>

#include <algorithm>
#include <map>

#include "corpora/shards/lmdb_store.h"
#include "corpora/shards/shard.h"
#include "corpora/shards/zstd_codec.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kFirstMapBytes = std::size_t{64} << 20;
// The number of uncompressed bytes held in memory between transactions.
constexpr std::size_t kBatchBytes = std::size_t{32} << 20;
constexpr int kLevel = 1;

}  // namespace

struct ShardSorter::State {
  Status Flush();
  Result<std::string> Merged(std::string_view a, std::string_view b) const {
    return merge ? merge(a, b) : std::string(std::min(a, b));
  }

  std::string path;
  Merge merge;
  ZstdCompressor compressor{kLevel};
  ZstdDecompressor decompressor;
  LmdbEnv env;
  std::map<std::string, std::string, std::less<>> batch;
  std::size_t batch_bytes = 0;
  std::uint64_t count = 0;
};

Status ShardSorter::State::Flush() {
  Status status;
  std::string frame, stored;
  KM_RETURN_IF_ERROR(CommitGrowing(env.get(), path, [&](MDB_txn* txn, MDB_dbi dbi) {
    for (const auto& [key, value] : batch) {
      MDB_val lmdb_key = ToLmdb(key), lmdb_value;
      const int found = mdb_get(txn, dbi, &lmdb_key, &lmdb_value);
      if (found == MDB_SUCCESS) {
        status = decompressor.Decompress(FromLmdb(lmdb_value), &stored);
        if (!status.ok()) return MDB_SUCCESS;
        Result<std::string> merged = Merged(stored, value);
        status = merged.ok() ? compressor.Compress(*merged, &frame) : merged.status();
      } else if (found == MDB_NOTFOUND) {
        status = compressor.Compress(value, &frame);
      } else {
        return found;
      }
      if (!status.ok()) return MDB_SUCCESS;
      lmdb_value = ToLmdb(frame);
      if (int code = mdb_put(txn, dbi, &lmdb_key, &lmdb_value, 0)) return code;
    }
    return MDB_SUCCESS;
  }));
  batch.clear();
  batch_bytes = 0;
  return status.Within(path);
}

ShardSorter::ShardSorter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShardSorter::~ShardSorter() = default;
ShardSorter::ShardSorter(ShardSorter&&) noexcept = default;
ShardSorter& ShardSorter::operator=(ShardSorter&&) noexcept = default;

Result<ShardSorter> ShardSorter::Create(const std::string& folder, Merge merge) {
  auto state = std::make_unique<State>();
  state->path = TemporaryPath(folder + "/sort");
  state->merge = std::move(merge);
  Result<LmdbEnv> env = OpenLmdb(state->path, /*read_only=*/false, kFirstMapBytes);
  unlink(state->path.c_str());
  KM_ASSIGN(state->env, std::move(env));
  return ShardSorter(std::move(state));
}

Status ShardSorter::Put(std::string_view key, std::string_view value) {
  State& state = *state_;
  if (key.empty() || key.size() > kMaxLmdbKey) {
    return Status(ErrorCode::kInternal, "not a key: '" + std::string(key) + "'");
  }
  ++state.count;
  const auto at = state.batch.lower_bound(key);
  if (at != state.batch.end() && at->first == key) {
    KM_ASSIGN(std::string merged, state.Merged(at->second, value));
    state.batch_bytes += merged.size();
    state.batch_bytes -= at->second.size();
    at->second = std::move(merged);
  } else {
    state.batch.emplace_hint(at, key, value);
    state.batch_bytes += key.size() + value.size();
  }
  return state.batch_bytes < kBatchBytes ? Status::Ok() : state.Flush();
}

std::uint64_t ShardSorter::count() const { return state_->count; }

Status ShardSorter::ForEach(const ShardReader::Visit& visit) {
  State& state = *state_;
  KM_RETURN_IF_ERROR(state.Flush());
  KM_ASSIGN(const LmdbTxn txn, BeginRead(state.env.get(), state.path));
  MDB_cursor* raw = nullptr;
  KM_RETURN_IF_ERROR(
      LmdbStatus(mdb_cursor_open(txn.get(), kMainDatabase, &raw), "read", state.path));
  const LmdbCursor cursor(raw);
  std::string value;
  MDB_val key, frame;
  for (bool more = true; more;) {
    const int code = mdb_cursor_get(raw, &key, &frame, MDB_NEXT);
    if (code == MDB_NOTFOUND) break;
    KM_RETURN_IF_ERROR(LmdbStatus(code, "read", state.path));
    KM_RETURN_IF_ERROR(state.decompressor.Decompress(FromLmdb(frame), &value).Within(state.path));
    KM_RETURN_IF_ERROR(visit(FromLmdb(key), value, &more));
  }
  return Status::Ok();
}

}  // namespace kernelmill
