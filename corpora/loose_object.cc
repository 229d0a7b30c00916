#include "corpora/loose_object.h"

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <string_view>

namespace kernelmill {
namespace {

// More than libgit2 inflates to find the header, which is 64 bytes.
constexpr std::size_t kBeginning = 512;

// What the file's first bytes inflate to, at most kBeginning bytes; "" when they are no zlib
// stream.
std::string Beginning(const std::string& path) {
  std::string packed(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(packed.data(), static_cast<std::streamsize>(packed.size()));
  packed.resize(static_cast<std::size_t>(file.gcount()));
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return "";
  std::string text(kBeginning, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  static_cast<void>(inflate(&stream, Z_SYNC_FLUSH));
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

}  // namespace

Status CheckLooseObject(const std::string& path) {
  const std::string text = Beginning(path);
  const std::string_view header = std::string_view(text).substr(0, text.find('\0'));
  const std::size_t space = header.find(' ');
  if (header.size() == text.size() || space == std::string_view::npos) return Status::Ok();
  std::uint64_t size = 0;
  for (char digit : header.substr(space + 1)) {
    if (digit < '0' || digit > '9' || size > text.size()) return Status::Ok();
    size = 10 * size + static_cast<std::uint64_t>(digit - '0');
  }
  if (text.size() - header.size() - 1 <= size) return Status::Ok();
  return Status(ErrorCode::kCorrupt, "a loose object is longer than it says");
}

}  // namespace kernelmill
