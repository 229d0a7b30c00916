// A bounds-checked view of an LMDB data file. LMDB follows page numbers and offsets without
// looking, so a damaged file would crash the process that opens it; here every step is checked
// instead. The layout is that of LMDB 0.9 (data version 1) on a 64-bit little-endian machine:
// mdb.c, "Page", "Node", "Meta".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class LmdbPages {
 public:
  // Only maps the file; whatever is in it.
  static Result<LmdbPages> Map(const std::string& path);
  ~LmdbPages();
  LmdbPages(LmdbPages&& other) noexcept;
  LmdbPages& operator=(LmdbPages&&) = delete;

  // Walks every page of the main tree: each lies in the file and is used once, nodes lie in their
  // page, keys ascend as the branches say, and the entries are as many as the meta page counts.
  // After this LMDB can read the file safely, for as long as nobody writes to it. kCorrupt, naming
  // the file and the page.
  Status Check();

  std::size_t size() const { return size_; }

  // Visits what still looks like a record in any page, reachable or not, in no order that means
  // anything; a key can come several times. For finding out what damage hit.
  using Visit = std::function<void(std::string_view key, std::string_view value)>;
  void Salvage(const Visit& visit);

 private:
  struct Page;
  struct Node;
  struct Meta;
  class TreeWalk;

  LmdbPages(std::string path, const char* bytes, std::size_t size)
      : path_(std::move(path)), bytes_(bytes), size_(size) {}

  Status ReadMeta();
  Status Corrupt(std::uint64_t page, std::string_view what) const;
  // False when the page is not wholly in the file, or its node table is not wholly in the page.
  bool ReadPage(std::uint64_t number, Page* page) const;
  bool ReadNode(const Page& page, std::size_t index, Node* node) const;
  // How many overflow pages hold a value of `size` bytes.
  std::uint64_t OverflowPages(std::size_t size) const;
  bool ReadOverflow(std::uint64_t number, std::size_t size, std::string_view* value) const;

  std::string path_;
  const char* bytes_;
  std::size_t size_;
  std::size_t page_bytes_ = 4096;
  std::uint64_t pages_ = 0;  // Whole pages in the file.
  std::uint64_t root_ = 0;
  std::uint64_t entries_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace kernelmill
