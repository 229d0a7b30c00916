// A bounds-checked view of an LMDB data file. LMDB trusts page numbers and offsets in the file, so
// opening a damaged file would crash the process; Check() verifies every one before ShardReader
// opens a shard, and Salvage() visits what is left of a damaged one. The layout is that of LMDB 0.9
// (data version 1) on a 64-bit little-endian machine: see "Page", "Node" and "Meta" in mdb.c.
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
  // Maps the file without checking its content.
  static Result<LmdbPages> Map(const std::string& path);
  ~LmdbPages();
  LmdbPages(LmdbPages&& other) noexcept;
  LmdbPages& operator=(LmdbPages&&) = delete;

  // Walks every page of the main tree and checks that each lies in the file and is used once, that
  // nodes lie in their page, that keys ascend as the branches say, and that the number of entries
  // matches the meta page. After this LMDB can read the file safely as long as nobody writes to it.
  // kCorrupt, with the file and the page.
  Status Check();

  std::size_t size() const { return size_; }

  // Visits everything that looks like a record in any page, reachable or not, in no particular
  // order. A key can occur several times. It serves to find out what was damaged.
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
  // False when the page or its node table does not lie within the file.
  bool ReadPage(std::uint64_t number, Page* page) const;
  bool ReadNode(const Page& page, std::size_t index, Node* node) const;
  // The number of overflow pages for a value of `size` bytes.
  std::uint64_t OverflowPages(std::size_t size) const;
  bool ReadOverflow(std::uint64_t number, std::size_t size, std::string_view* value) const;

  std::string path_;
  const char* bytes_;
  std::size_t size_;
  std::size_t page_bytes_ = 4096;
  std::uint64_t pages_ = 0;  // The number of whole pages in the file.
  std::uint64_t root_ = 0;
  std::uint64_t entries_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace kernelmill
