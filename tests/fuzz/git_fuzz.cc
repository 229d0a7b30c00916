// Fuzzes Git repositories: trees, commits, packs, indices and references. The first byte selects
// the part of a small repository that the remaining bytes replace.
#include "corpora/git/git_repository.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzzer.h"

// Options of the address sanitizer. The limit on memory is that of the parser process: larger
// objects and delta chains must be refused (with a delta that is its own base, libgit2 1.5
// allocates without end). Leaks are ignored, because libgit2 leaks a reference whose commit it
// cannot read.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:allocator_may_return_null=1:detect_leaks=0";
}

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A zlib stream of stored blocks. Without compression the fuzzer changes the content directly.
std::string Stored(std::string_view bytes) {
  std::string stream = "\x78\x01";
  unsigned a = 1, b = 0;
  for (unsigned char byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const unsigned checksum = b << 16 | a;
  do {
    const std::string_view block = bytes.substr(0, 65535);
    bytes.remove_prefix(block.size());
    const auto size = static_cast<unsigned>(block.size());
    stream += bytes.empty() ? '\1' : '\0';
    for (unsigned number : {size, ~size}) {
      stream += static_cast<char>(number & 255);
      stream += static_cast<char>(number >> 8 & 255);
    }
    stream += block;
  } while (!bytes.empty());
  for (int shift : {24, 16, 8, 0}) stream += static_cast<char>(checksum >> shift & 255);
  return stream;
}

const std::string kCommit(40, 'c'), kTree(40, 'a'), kBlob(40, 'b');

// A pack index with one object, kTree, at the first offset of a pack with checksum `kChecksum`.
const std::string kChecksum(20, 'h');
std::string Index() {
  std::string index("\xfftOc\0\0\0\2", 8);
  for (int i = 0; i < 256; ++i) index += std::string("\0\0\0", 3) + (i < 0xaa ? '\0' : '\1');
  return index + std::string(20, '\xaa') + std::string("\0\0\0\0", 4) +
         std::string("\0\0\0\x0c", 4) + kChecksum + kChecksum;
}

class Repository {
 public:
  Repository()
      : path_((fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") +
              std::string("/kernelmill-fuzz-XXXXXX")) {
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  ~Repository() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

  void Reset() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
    fs::create_directories(fs::path(path_) / "objects/pack");
    fs::create_directories(fs::path(path_) / "refs");
    Write(fs::path(path_) / "HEAD", kCommit + "\n");
    Object(kCommit, "commit",
           "tree " + kTree + "\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n");
    std::string tree = "100644 a.py";
    tree += '\0' + std::string(20, '\xbb');
    Object(kTree, "tree", tree);
    Object(kBlob, "blob", "x = 1\n");
  }
  void Object(const std::string& name, const std::string& kind, std::string_view content) const {
    const std::string head = kind + " " + std::to_string(content.size()) + '\0';
    Write(fs::path(path_) / "objects" / name.substr(0, 2) / name.substr(2),
          Stored(head + std::string(content)));
  }
  void File(const std::string& name, std::string_view content) const {
    Write(fs::path(path_) / name, content);
  }

 private:
  std::string path_;
};

}  // namespace

void Fuzz(std::string_view bytes) {
  static const Repository files;
  if (bytes.empty()) return;
  const char part = bytes[0];
  bytes.remove_prefix(1);
  files.Reset();
  switch (part) {
    case 't':
      files.Object(kTree, "tree", bytes);
      break;
    case 'c':
      files.Object(kCommit, "commit", bytes);
      break;
    case 'z':
      files.File("objects/" + kTree.substr(0, 2) + "/" + kTree.substr(2), bytes);
      break;
    case 'h':
      files.File("HEAD", bytes);
      break;
    case 'r':
      files.File("HEAD", "ref: refs/heads/main\n");
      files.File("packed-refs", bytes);
      break;
    case 'g':
      files.File("config", bytes);
      break;
    case 'i':
      files.File("objects/pack/pack-" + kTree + ".pack", "PACK");
      files.File("objects/pack/pack-" + kTree + ".idx", bytes);
      fs::remove_all(files.path() + "/objects/aa");
      break;
    case 'p':
      files.File("objects/pack/pack-" + kTree + ".pack",
                 std::string("PACK\0\0\0\2\0\0\0\1", 12) + std::string(bytes) + kChecksum);
      files.File("objects/pack/pack-" + kTree + ".idx", Index());
      fs::remove_all(files.path() + "/objects/aa");
      break;
    default:
      return;
  }
  const Result<GitRepository> repository = GitRepository::Open(files.path());
  if (!repository.ok()) return;
  const Result<std::string> commit = repository->ResolveCommit("");
  if (!commit.ok()) return;
  KM_PROMISE(commit->size() == 40);
  std::int64_t entries = 0;
  static_cast<void>(repository->Walk(*commit, {.entries = 1000, .depth = 8},
                                     [&](const TreeEntry& entry, const Status&) {
                                       ++entries;
                                       KM_PROMISE(entry.id.size() == 40);
                                       if (entry.kind == TreeEntryKind::kFile) {
                                         static_cast<void>(repository->BlobSize(entry.id));
                                         static_cast<void>(repository->ReadBlob(entry.id));
                                       }
                                       return Status::Ok();
                                     }));
  KM_PROMISE(entries <= 1000);
}

std::vector<std::string> Seeds() {
  const std::string id(20, '\xbb'), self(20, '\xaa');
  const auto entry = [](const std::string& mode_and_name, const std::string& target) {
    return mode_and_name + '\0' + target;
  };
  const std::string tree = entry("100644 a.py", id);
  const std::string copy_blob = "\x06\x06\x90\x06";  // A delta that copies all six bytes of kBlob.
  return {"t" + entry("100644 a.py", id) + entry("40000 d", self) + entry("120000 l", id) +
              entry("160000 s", id),
          "c" + std::string("tree ") + kTree + "\nparent " + kCommit +
              "\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\nencoding x\n\nm\n",
          "z" + Stored(std::string("tree 0") + '\0'),
          "h" + std::string("ref: refs/heads/main\n"),
          "r" + std::string("# pack-refs with: peeled fully-peeled sorted \n") + kCommit +
              " refs/heads/main\n^" + kTree + "\n",
          "g" + std::string("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"),
          "i" + Index(),
          "z\xa0\x02" + Stored(tree),
          "z" + Stored("tree " + std::to_string(tree.size()) + '\0' + tree),
          "p\xa0\x02" + Stored(tree),
          "p\x74" + id + Stored(copy_blob)};
}

}  // namespace kernelmill
