// Fuzzes shards: LMDB trusts its files, so every file that would crash it must be rejected first.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "corpora/shards/shard.h"
#include "corpora/shards/shard_salvage.h"
#include "tests/fuzz/fuzzer.h"

namespace kernelmill {
namespace {

// A folder in memory if possible; it is removed with the process.
const std::string& Folder() {
  static const struct Scratch {
    Scratch()
        : path((std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") +
               std::string("/kernelmill-fuzz-XXXXXX")) {
      if (mkdtemp(path.data()) == nullptr) abort();
    }
    ~Scratch() { std::filesystem::remove_all(path); }
    std::string path;
  } scratch;
  return scratch.path;
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string SampleShard(int records, std::size_t size, const std::string& dictionary) {
  const std::string path = Folder() + "/sample.mdb";
  std::filesystem::remove(path);
  Result<ShardWriter> writer =
      ShardWriter::Create(path, {.schema = "fuzz", .dictionary = dictionary, .level = 1});
  KM_PROMISE(writer.ok());
  for (int i = 0; i < records; ++i) {
    // Incompressible, so that large values need overflow pages.
    std::string value;
    for (std::size_t j = 0; j < size; ++j) value.push_back(static_cast<char>((i + 7) * j * j >> 3));
    KM_PROMISE(writer->Append(IndexKey(static_cast<std::uint64_t>(i)), value).ok());
  }
  KM_PROMISE(writer->Finish().ok());
  return BytesOf(path);
}

}  // namespace

void Fuzz(std::string_view bytes) {
  const std::string path = Folder() + "/shard.mdb";
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  static_cast<void>(SalvageShard(path, [](std::string_view, const std::optional<std::string>&) {}));
  const Result<ShardReader> reader = ShardReader::Open(path);
  if (!reader.ok()) {
    KM_PROMISE(reader.status().message().find(path) != std::string::npos);
    return;
  }
  std::string last;
  std::uint64_t count = 0;
  const Status status =
      reader->ForEach("", [&](std::string_view key, std::string_view, bool*) -> Status {
        KM_PROMISE(count == 0 || std::string_view(last) < key);
        last = key;
        ++count;
        return Status::Ok();
      });
  KM_PROMISE(!status.ok() || count == reader->count());
  static_cast<void>(reader->Get(IndexKey(0)));
  static_cast<void>(reader->Get("absent"));
}

std::vector<std::string> Seeds() {
  return {SampleShard(0, 0, ""), SampleShard(3, 100, ""), SampleShard(40, 300, ""),
          SampleShard(2, 9000, ""), SampleShard(5, 50, std::string(200, 'd'))};
}

}  // namespace kernelmill
