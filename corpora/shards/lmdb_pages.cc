#include "corpora/shards/lmdb_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "corpora/shards/lmdb_store.h"

namespace kernelmill {
namespace {

constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kNodeHeader = 8;
constexpr std::uint16_t kBranch = 0x01, kLeaf = 0x02, kOverflow = 0x04, kMetaPage = 0x08;
constexpr std::uint16_t kBigData = 0x01;  // A leaf node whose value is stored in overflow pages.

constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kDataVersion = 1;
constexpr std::size_t kMinPageBytes = 512, kMaxPageBytes = 65536;
// The size of LMDB's own stack of pages (CURSOR_STACK).
constexpr std::size_t kMaxDepth = 32;

template <typename T>
T Load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

struct LmdbPages::Page {
  std::uint64_t number;
  const char* bytes;
  std::uint16_t flags;
  std::size_t nodes;
  std::size_t upper;  // The offset of the nodes.
};

struct LmdbPages::Node {
  std::string_view key;
  std::uint64_t child = 0;     // For a branch node.
  std::uint64_t overflow = 0;  // For a leaf node: the first overflow page, or 0.
  std::size_t size = 0;        // For a leaf node: the size of the value.
  std::string_view value;      // For a leaf node whose value does not overflow.
};

struct LmdbPages::Meta {
  explicit Meta(const char* page)
      : flags(Load<std::uint16_t>(page + 10)),
        magic(Load<std::uint32_t>(page + 16)),
        version(Load<std::uint32_t>(page + 20)),
        page_bytes(Load<std::uint32_t>(page + 40)),
        main_flags(Load<std::uint16_t>(page + 92)),
        depth(Load<std::uint16_t>(page + 94)),
        entries(Load<std::uint64_t>(page + 120)),
        root(Load<std::uint64_t>(page + 128)),
        last_page(Load<std::uint64_t>(page + 136)),
        transaction(Load<std::uint64_t>(page + 144)) {}

  bool Plausible() const {
    return (flags & kMetaPage) != 0 && magic == kMagic && version == kDataVersion &&
           std::has_single_bit(page_bytes) && page_bytes >= kMinPageBytes &&
           page_bytes <= kMaxPageBytes;
  }

  std::uint16_t flags;
  std::uint32_t magic, version, page_bytes;
  std::uint16_t main_flags, depth;
  std::uint64_t entries, root, last_page, transaction;
};

LmdbPages::~LmdbPages() {
  if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
}

LmdbPages::LmdbPages(LmdbPages&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, nullptr)),
      size_(other.size_),
      page_bytes_(other.page_bytes_),
      pages_(other.pages_),
      root_(other.root_),
      entries_(other.entries_),
      depth_(other.depth_) {}

Status LmdbPages::Corrupt(std::uint64_t page, std::string_view what) const {
  return Status(ErrorCode::kCorrupt,
                path_ + " is damaged: page " + std::to_string(page) + ": " + std::string(what));
}

Result<LmdbPages> LmdbPages::Map(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::FromErrno("cannot open", path);
  struct stat about{};
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_size < static_cast<off_t>(2 * kMinPageBytes)) {
    close(fd);
    return Status(ErrorCode::kCorrupt, path + " is no shard: too short");
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  Status status = bytes == MAP_FAILED ? Status::FromErrno("cannot map", path) : Status::Ok();
  close(fd);
  KM_RETURN_IF_ERROR(status);
  return LmdbPages(path, static_cast<const char*>(bytes), size);
}

Status LmdbPages::ReadMeta() {
  const Meta first(bytes_);
  if (!first.Plausible()) return Corrupt(0, "not a meta page");
  page_bytes_ = first.page_bytes;
  pages_ = size_ / page_bytes_;
  if (pages_ < 2) return Corrupt(1, "missing");
  const Meta second(bytes_ + page_bytes_);
  if (!second.Plausible() || second.page_bytes != page_bytes_) {
    return Corrupt(1, "not a meta page");
  }
  // LMDB uses the meta page with the higher transaction, or the first one if both are equal.
  const bool take_second = first.transaction < second.transaction;
  const Meta& meta = take_second ? second : first;
  if (meta.last_page != pages_ - 1 || size_ % page_bytes_ != 0) {
    return Corrupt(take_second, "it names page " + std::to_string(meta.last_page) +
                                    " as the last one, but the file has " + std::to_string(size_) +
                                    " bytes");
  }
  if (meta.main_flags != 0 || meta.depth > kMaxDepth) {
    return Corrupt(take_second, "an unknown kind of tree");
  }
  root_ = meta.root;
  entries_ = meta.entries;
  depth_ = meta.depth;
  return Status::Ok();
}

bool LmdbPages::ReadPage(std::uint64_t number, Page* page) const {
  if (number >= pages_) return false;
  const char* bytes = bytes_ + number * page_bytes_;
  const std::size_t lower = Load<std::uint16_t>(bytes + 12);
  const std::size_t upper = Load<std::uint16_t>(bytes + 14);
  *page = {number, bytes, Load<std::uint16_t>(bytes + 10), 0, upper};
  if (page->flags != kBranch && page->flags != kLeaf) return false;
  if (lower < kPageHeader || lower % 2 != 0 || lower > upper || upper > page_bytes_) return false;
  page->nodes = (lower - kPageHeader) / 2;
  return true;
}

bool LmdbPages::ReadNode(const Page& page, std::size_t index, Node* node) const {
  const std::size_t at = Load<std::uint16_t>(page.bytes + kPageHeader + 2 * index);
  if (at < page.upper || at % 2 != 0 || at + kNodeHeader > page_bytes_) return false;
  const char* bytes = page.bytes + at;
  const std::uint64_t low = Load<std::uint16_t>(bytes), high = Load<std::uint16_t>(bytes + 2);
  const std::uint64_t flags = Load<std::uint16_t>(bytes + 4);
  const std::size_t key_size = Load<std::uint16_t>(bytes + 6);
  const std::size_t room = page_bytes_ - at - kNodeHeader;
  if (key_size > room || key_size > kMaxLmdbKey) return false;
  const char* data = bytes + kNodeHeader + key_size;
  *node = {};
  node->key = {bytes + kNodeHeader, key_size};
  if (page.flags == kBranch) {
    node->child = low | high << 16 | flags << 32;
    return true;
  }
  node->size = low | high << 16;
  if (flags == kBigData) {
    if (room - key_size < sizeof(std::uint64_t)) return false;
    node->overflow = Load<std::uint64_t>(data);
    return node->overflow >= 2;
  }
  if (flags != 0 || node->size > room - key_size) return false;
  node->value = {data, node->size};
  return true;
}

std::uint64_t LmdbPages::OverflowPages(std::size_t size) const {
  return (kPageHeader + size - 1) / page_bytes_ + 1;
}

bool LmdbPages::ReadOverflow(std::uint64_t number, std::size_t size,
                             std::string_view* value) const {
  const std::uint64_t count = OverflowPages(size);
  if (number >= pages_ || count > pages_ - number) return false;
  const char* bytes = bytes_ + number * page_bytes_;
  if (Load<std::uint16_t>(bytes + 10) != kOverflow) return false;
  if (Load<std::uint32_t>(bytes + 12) != count) return false;
  *value = {bytes + kPageHeader, size};
  return true;
}

// A depth-first walk with an explicit stack. Each page is visited once, and keys in order.
class LmdbPages::TreeWalk {
 public:
  explicit TreeWalk(const LmdbPages& file) : file_(file), used_(file.pages_) {}

  Status Run() {
    KM_RETURN_IF_ERROR(Enter(file_.root_));
    while (!stack_.empty()) {
      if (stack_.back().next == stack_.back().page.nodes) {
        stack_.pop_back();
      } else {
        KM_RETURN_IF_ERROR(Advance());
      }
    }
    if (entries_ != file_.entries_) {
      return file_.Corrupt(0, "it counts " + std::to_string(file_.entries_) + " entries, but " +
                                  std::to_string(entries_) + " are there");
    }
    return Status::Ok();
  }

 private:
  struct Level {
    Page page;
    std::size_t next;
  };

  Status Use(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t number = first; number < first + count; ++number) {
      if (number < 2 || used_[number]) return file_.Corrupt(number, "used twice");
      used_[number] = true;
    }
    return Status::Ok();
  }

  Status Enter(std::uint64_t number) {
    Level level{{}, 0};
    if (!file_.ReadPage(number, &level.page)) return file_.Corrupt(number, "not a tree page");
    KM_RETURN_IF_ERROR(Use(number, 1));
    stack_.push_back(level);
    const bool at_bottom = stack_.size() == file_.depth_;
    if ((level.page.flags == kLeaf) != at_bottom) {
      return file_.Corrupt(number, "at the wrong depth of the tree");
    }
    // A branch page with one child would fail an assertion in LMDB.
    if (level.page.nodes < (at_bottom ? 1 : 2)) return file_.Corrupt(number, "too few nodes");
    return Status::Ok();
  }

  Status Advance() {
    Level& level = stack_.back();
    const Page page = level.page;
    const std::size_t index = level.next++;
    Node node;
    if (!file_.ReadNode(page, index, &node)) {
      return file_.Corrupt(page.number, "node " + std::to_string(index) + " is out of place");
    }
    if (page.flags == kBranch) {
      // The first key of a branch is not a lower bound.
      if (index > 0) {
        if (entries_ == 0 || node.key <= last_key_) return OutOfOrder(page, index);
        floor_ = node.key;
      }
      return Enter(node.child);
    }
    if ((entries_ > 0 && node.key <= last_key_) || node.key < floor_ || node.key.empty()) {
      return OutOfOrder(page, index);
    }
    last_key_ = node.key;
    ++entries_;
    if (node.overflow == 0) return Status::Ok();
    std::string_view value;
    if (!file_.ReadOverflow(node.overflow, node.size, &value)) {
      return file_.Corrupt(node.overflow, "not the overflow pages that page " +
                                              std::to_string(page.number) + " names");
    }
    return Use(node.overflow, file_.OverflowPages(node.size));
  }

  Status OutOfOrder(const Page& page, std::size_t index) const {
    return file_.Corrupt(page.number, "node " + std::to_string(index) + " is out of key order");
  }

  const LmdbPages& file_;
  std::vector<bool> used_;
  std::vector<Level> stack_;
  std::uint64_t entries_ = 0;
  std::string_view last_key_;
  std::string_view floor_;
};

Status LmdbPages::Check() {
  KM_RETURN_IF_ERROR(ReadMeta());
  return TreeWalk(*this).Run();
}

void LmdbPages::Salvage(const Visit& visit) {
  // If the meta page is damaged, assume the usual page size.
  if (!ReadMeta().ok()) pages_ = size_ / page_bytes_;
  for (std::uint64_t number = 2; number < pages_; ++number) {
    Page page;
    if (!ReadPage(number, &page) || page.flags != kLeaf) continue;
    for (std::size_t i = 0; i < page.nodes; ++i) {
      Node node;
      if (!ReadNode(page, i, &node)) continue;
      const bool readable =
          node.overflow == 0 || ReadOverflow(node.overflow, node.size, &node.value);
      visit(node.key, readable ? node.value : std::string_view());
    }
  }
}

}  // namespace kernelmill
