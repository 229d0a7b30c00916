#include "corpora/shards/lmdb_pages.h"
#include "corpora/shards/lmdb_store.h"
#include "corpora/shards/shard.h"
#include "corpora/shards/shard_layout.h"
#include "corpora/shards/zstd_codec.h"

namespace kernelmill {

struct ShardReader::State {
  // The stored bytes of `key`, valid as long as `txn`; std::nullopt when the key is absent.
  Result<std::optional<std::string_view>> GetStored(MDB_txn* txn, std::string_view key) const;
  // Prefixes the message: "<path>: <what> of record <key>: <why>".
  Status Within(const Status& status, std::string_view key) const;
  Status ReadMeta();

  std::string path;
  LmdbEnv env;
  ShardMeta meta;
  ZstdDecompressor decompressor;
};

namespace {

std::string Printable(std::string_view key) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned char c : key) {
    hex += {kDigits[c >> 4], kDigits[c & 15]};
  }
  return hex;
}

}  // namespace

Result<std::optional<std::string_view>> ShardReader::State::GetStored(MDB_txn* txn,
                                                                      std::string_view key) const {
  MDB_val lmdb_key = ToLmdb(key), value;
  const int code = mdb_get(txn, kMainDatabase, &lmdb_key, &value);
  if (code == MDB_NOTFOUND) return std::optional<std::string_view>();
  KM_RETURN_IF_ERROR(LmdbStatus(code, "read", path));
  return std::optional(FromLmdb(value));
}

Status ShardReader::State::Within(const Status& status, std::string_view key) const {
  return status.Within(path + " is damaged: key " + Printable(key));
}

Status ShardReader::State::ReadMeta() {
  KM_ASSIGN(const LmdbTxn txn, BeginRead(env.get(), path));
  KM_ASSIGN(const std::optional<std::string_view> stored, GetStored(txn.get(), kMetaKey));
  if (!stored) return Status(ErrorCode::kCorrupt, path + " is no shard: it has no __meta__");
  Result<ShardMeta> decoded = ShardMeta::Decode(*stored);
  if (!decoded.ok()) return decoded.status().Within(path);
  meta = std::move(decoded).value();
  if (meta.has_dictionary) {
    KM_ASSIGN(const std::optional<std::string_view> dictionary,
              GetStored(txn.get(), kDictionaryKey));
    if (!dictionary) return Status(ErrorCode::kCorrupt, path + " is damaged: no dictionary");
    decompressor = ZstdDecompressor(*dictionary);
  }
  MDB_stat stat;
  KM_RETURN_IF_ERROR(LmdbStatus(mdb_stat(txn.get(), kMainDatabase, &stat), "read", path));
  const std::uint64_t reserved = meta.has_dictionary ? 2 : 1;
  if (stat.ms_entries != static_cast<std::uint64_t>(meta.count) + reserved) {
    return Status(ErrorCode::kCorrupt,
                  path + " is damaged: it has " + std::to_string(stat.ms_entries - reserved) +
                      " records, but its __meta__ says " + std::to_string(meta.count));
  }
  return Status::Ok();
}

ShardReader::ShardReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShardReader::~ShardReader() = default;
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;

Result<ShardReader> ShardReader::Open(const std::string& path) {
  std::size_t size = 0;
  {
    KM_ASSIGN(LmdbPages pages, LmdbPages::Map(path));
    KM_RETURN_IF_ERROR(pages.Check());
    size = pages.size();
  }
  auto state = std::make_unique<State>();
  state->path = path;
  KM_ASSIGN(state->env, OpenLmdb(path, /*read_only=*/true, size));
  KM_RETURN_IF_ERROR(state->ReadMeta());
  return ShardReader(std::move(state));
}

const std::string& ShardReader::path() const { return state_->path; }
const std::string& ShardReader::schema() const { return state_->meta.schema; }
std::uint64_t ShardReader::count() const { return static_cast<std::uint64_t>(state_->meta.count); }

Result<std::optional<std::string>> ShardReader::Get(std::string_view key) const {
  if (key.empty() || key.size() > kMaxLmdbKey || IsReservedKey(key)) {
    return std::optional<std::string>();
  }
  KM_ASSIGN(const LmdbTxn txn, BeginRead(state_->env.get(), state_->path));
  KM_ASSIGN(const std::optional<std::string_view> frame, state_->GetStored(txn.get(), key));
  if (!frame) return std::optional<std::string>();
  std::optional<std::string> value(std::in_place);
  KM_RETURN_IF_ERROR(state_->Within(state_->decompressor.Decompress(*frame, &*value), key));
  return value;
}

Status ShardReader::ForEach(std::string_view first_key, const Visit& visit) const {
  KM_ASSIGN(const LmdbTxn txn, BeginRead(state_->env.get(), state_->path));
  MDB_cursor* raw = nullptr;
  KM_RETURN_IF_ERROR(
      LmdbStatus(mdb_cursor_open(txn.get(), kMainDatabase, &raw), "read", state_->path));
  const LmdbCursor cursor(raw);
  MDB_val key = ToLmdb(first_key), frame;
  std::string value;
  MDB_cursor_op step = first_key.empty() ? MDB_FIRST : MDB_SET_RANGE;
  for (bool more = true; more; step = MDB_NEXT) {
    const int code = mdb_cursor_get(raw, &key, &frame, step);
    if (code == MDB_NOTFOUND) break;
    KM_RETURN_IF_ERROR(LmdbStatus(code, "read", state_->path));
    if (IsReservedKey(FromLmdb(key))) continue;
    KM_RETURN_IF_ERROR(
        state_->Within(state_->decompressor.Decompress(FromLmdb(frame), &value), FromLmdb(key)));
    KM_RETURN_IF_ERROR(visit(FromLmdb(key), value, &more));
  }
  return Status::Ok();
}

}  // namespace kernelmill
