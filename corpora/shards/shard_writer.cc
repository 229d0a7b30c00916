#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "corpora/shards/lmdb_store.h"
#include "corpora/shards/shard.h"
#include "corpora/shards/shard_layout.h"
#include "corpora/shards/zstd_codec.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kFirstMapBytes = std::size_t{16} << 20;
// The maximum size of a transaction, because LMDB keeps its dirty pages in memory until the commit.
constexpr std::size_t kBatchBytes = std::size_t{2} << 20;

// Sets the length of the file. LMDB may leave trailing pages that it allocated and freed unwritten.
// With a defined length a reader can recognize a truncated file.
Status FixLength(const std::string& path, std::size_t bytes) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return Status::FromErrno("cannot open", path);
  Status status;
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 || fsync(fd) != 0) {
    status = Status::FromErrno("cannot sync", path);
  }
  close(fd);
  return status;
}

}  // namespace

std::string IndexKey(std::uint64_t index) {
  std::string key(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<char>(index >> (56 - 8 * i));
  return key;
}

struct ShardWriter::State {
  State(std::string path, const ShardOptions& options)
      : path(std::move(path)),
        temporary(TemporaryPath(this->path)),
        dictionary(options.dictionary),
        compressor(options.level, options.dictionary) {
    meta.schema = options.schema;
    meta.has_dictionary = !dictionary.empty();
  }
  ~State() {
    env.reset();
    unlink(temporary.c_str());
  }

  Status Flush();

  std::string path;
  std::string temporary;
  std::string dictionary;
  ShardMeta meta;
  ZstdCompressor compressor;
  LmdbEnv env;
  std::vector<std::pair<std::string, std::string>> batch;
  std::size_t batch_bytes = 0;
  std::string last_key;
};

Status ShardWriter::State::Flush() {
  KM_RETURN_IF_ERROR(CommitGrowing(env.get(), temporary, [&](MDB_txn* txn, MDB_dbi dbi) {
    for (const auto& [key, frame] : batch) {
      MDB_val lmdb_key = ToLmdb(key), lmdb_value = ToLmdb(frame);
      if (int code = mdb_put(txn, dbi, &lmdb_key, &lmdb_value, MDB_APPEND)) return code;
    }
    return MDB_SUCCESS;
  }));
  batch.clear();
  batch_bytes = 0;
  return Status::Ok();
}

ShardWriter::ShardWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShardWriter::~ShardWriter() = default;
ShardWriter::ShardWriter(ShardWriter&&) noexcept = default;
ShardWriter& ShardWriter::operator=(ShardWriter&&) noexcept = default;

Result<ShardWriter> ShardWriter::Create(const std::string& path, const ShardOptions& options) {
  struct stat about;
  if (lstat(path.c_str(), &about) == 0) {
    return Status(ErrorCode::kExists, path + " exists already");
  }
  auto state = std::make_unique<State>(path, options);
  KM_ASSIGN(state->env, OpenLmdb(state->temporary, /*read_only=*/false, kFirstMapBytes));
  return ShardWriter(std::move(state));
}

Status ShardWriter::Append(std::string_view key, std::string_view value) {
  State& state = *state_;
  if (key.empty() || key.size() > kMaxLmdbKey || IsReservedKey(key)) {
    return Status(ErrorCode::kInternal, state.path + ": not a key: '" + std::string(key) + "'");
  }
  if (state.meta.count > 0 && key <= state.last_key) {
    return Status(ErrorCode::kInternal,
                  state.path + ": the key '" + std::string(key) + "' is out of order");
  }
  std::string frame;
  KM_RETURN_IF_ERROR(state.compressor.Compress(value, &frame).Within(state.path));
  state.last_key = key;
  state.batch_bytes += key.size() + frame.size();
  state.batch.emplace_back(key, std::move(frame));
  ++state.meta.count;
  return state.batch_bytes < kBatchBytes ? Status::Ok() : state.Flush();
}

std::uint64_t ShardWriter::count() const { return static_cast<std::uint64_t>(state_->meta.count); }

Status ShardWriter::Finish() {
  State& state = *state_;
  KM_RETURN_IF_ERROR(state.Flush());
  const std::string meta = state.meta.Encode();
  KM_RETURN_IF_ERROR(
      CommitGrowing(state.env.get(), state.temporary, [&](MDB_txn* txn, MDB_dbi dbi) {
        MDB_val key = ToLmdb(kMetaKey), value = ToLmdb(meta);
        int code = mdb_put(txn, dbi, &key, &value, 0);
        if (code != MDB_SUCCESS || state.dictionary.empty()) return code;
        key = ToLmdb(kDictionaryKey);
        value = ToLmdb(state.dictionary);
        return mdb_put(txn, dbi, &key, &value, 0);
      }));
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_env_sync(state.env.get(), 1), "sync", state.temporary));
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_info(state.env.get(), &info);
  mdb_env_stat(state.env.get(), &stat);
  state.env.reset();
  KM_RETURN_IF_ERROR(FixLength(state.temporary, (info.me_last_pgno + 1) * stat.ms_psize));
  return CommitTemporary(state.temporary, state.path);
}

}  // namespace kernelmill
