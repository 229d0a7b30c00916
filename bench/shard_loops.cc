// The loops that bench/shards.py compares, over values that are cut from the files of a folder.
// Each command prints one JSON object.
//   shard_loops write bare|ours FOLDER PATH   writes 40,000 values into a shard at PATH, synced
//   shard_loops read bare|ours FOLDER PATH    reads 200,000 random values of it from the page cache
// The bare loops call LMDB and zstd with the settings of a shard and do nothing else.
#include <lmdb.h>
#include <unistd.h>
#include <zstd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "corpora/shards/shard.h"

namespace kernelmill {
namespace {

constexpr std::size_t kValues = 40'000;
constexpr int kReads = 200'000;
constexpr int kLevel = 3;

// Pieces of 1 to 8 KiB, about the size of a record.
std::vector<std::string> Values(const std::string& folder) {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.insert(entry.path());
  std::string text;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  std::mt19937_64 random(7);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < kValues; ++i) {
    const std::size_t size = 1024 + random() % 7168;
    values.push_back(text.substr(random() % (text.size() - size), size));
  }
  return values;
}

void Check(int code) {
  if (code == MDB_SUCCESS) return;
  std::fprintf(stderr, "LMDB: %s\n", mdb_strerror(code));
  std::exit(1);
}

void WriteBare(const std::vector<std::string>& values, const std::string& path) {
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi dbi = 0;
  Check(mdb_env_create(&env));
  Check(mdb_env_set_mapsize(env, std::size_t{1} << 30));
  Check(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0644));
  Check(mdb_txn_begin(env, nullptr, 0, &txn));
  Check(mdb_dbi_open(txn, nullptr, 0, &dbi));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string frame;
  for (std::size_t i = 0; i < values.size(); ++i) {
    frame.resize(ZSTD_compressBound(values[i].size()));
    frame.resize(
        ZSTD_compress2(context, frame.data(), frame.size(), values[i].data(), values[i].size()));
    std::string key = IndexKey(i);
    MDB_val lmdb_key{key.size(), key.data()}, value{frame.size(), frame.data()};
    Check(mdb_put(txn, dbi, &lmdb_key, &value, MDB_APPEND));
  }
  ZSTD_freeCCtx(context);
  Check(mdb_txn_commit(txn));
  Check(mdb_env_sync(env, 1));
  mdb_env_close(env);
}

Status WriteOurs(const std::vector<std::string>& values, const std::string& path) {
  ShardOptions options;
  options.schema = "bench";
  options.level = kLevel;
  KM_ASSIGN(ShardWriter writer, ShardWriter::Create(path, options));
  for (std::size_t i = 0; i < values.size(); ++i) {
    KM_RETURN_IF_ERROR(writer.Append(IndexKey(i), values[i]));
  }
  return writer.Finish();
}

template <typename Read>
void ForEachRead(const Read& read) {
  std::mt19937_64 random(11);
  for (int i = 0; i < kReads; ++i) read(random() % kValues);
}

class Clock {
 public:
  void Start() { start_ = std::chrono::steady_clock::now(); }
  void Print() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    std::printf("{\"seconds\": %.4f}\n", elapsed.count());
  }

 private:
  std::chrono::steady_clock::time_point start_;
};

void ReadBare(const std::string& path, Clock* clock) {
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi dbi = 0;
  Check(mdb_env_create(&env));
  Check(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY, 0644));
  Check(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn));
  Check(mdb_dbi_open(txn, nullptr, 0, &dbi));
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  const auto read = [&](std::size_t index) {
    std::string key = IndexKey(index), text;
    MDB_val lmdb_key{key.size(), key.data()}, value;
    Check(mdb_get(txn, dbi, &lmdb_key, &value));
    text.resize(ZSTD_getFrameContentSize(value.mv_data, value.mv_size));
    ZSTD_decompressDCtx(context, text.data(), text.size(), value.mv_data, value.mv_size);
  };
  for (std::size_t i = 0; i < kValues; ++i) read(i);
  clock->Start();
  ForEachRead(read);
  clock->Print();
  ZSTD_freeDCtx(context);
  mdb_txn_abort(txn);
  mdb_env_close(env);
}

Status ReadOurs(const std::string& path, Clock* clock) {
  KM_ASSIGN(const ShardReader reader, ShardReader::Open(path));
  Status trouble;
  const auto read = [&](std::size_t index) {
    Result<std::optional<std::string>> value = reader.Get(IndexKey(index));
    if (!value.ok()) trouble = value.status();
  };
  for (std::size_t i = 0; i < kValues; ++i) read(i);
  clock->Start();
  ForEachRead(read);
  clock->Print();
  return trouble;
}

Status RunLoop(const std::string& loop, bool ours, const std::string& folder,
               const std::string& path) {
  Clock clock;
  if (loop == "read") {
    if (ours) return ReadOurs(path, &clock);
    ReadBare(path, &clock);
    return Status::Ok();
  }
  const std::vector<std::string> values = Values(folder);
  clock.Start();
  if (ours) {
    KM_RETURN_IF_ERROR(WriteOurs(values, path));
  } else {
    WriteBare(values, path);
  }
  clock.Print();
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: see the head of the source\n", stderr), 2;
  const kernelmill::Status status =
      kernelmill::RunLoop(argv[1], std::string(argv[2]) == "ours", argv[3], argv[4]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
