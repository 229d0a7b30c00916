#include "corpora/statistics/prose_variety.h"

#include <algorithm>
#include <array>

#include "corpora/shards/zstd_codec.h"

namespace kernelmill {
namespace {

constexpr std::size_t kWords = 4;
constexpr std::uint64_t kLookedAt = 16;  // One of so many sequences is sampled.

// FNV-1a with the finalizer of MurmurHash3, so that all bits are well mixed and can select the
// sample.
std::uint64_t HashOf(std::string_view word, std::uint64_t hash) {
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

constexpr std::string_view kSpace = " \t\n\r";

constexpr int kLevel = 9;
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;  // The window of level 9.

std::size_t Compressed(std::string_view piece) {
  std::string frame;
  // Fails only for more than kMaxFrameBytes, and no record has a line of that length.
  return ZstdCompressor(kLevel).Compress(piece, &frame).ok() ? frame.size() : piece.size();
}

}  // namespace

void ProseVariety::Add(std::string_view text) {
  std::array<std::string_view, kWords> last;
  std::size_t words = 0;
  bool code = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("```")) {
      code = !code;
      continue;
    }
    if (!code) Keep(line);
    while (!code) {
      const std::size_t start = line.find_first_not_of(kSpace);
      if (start == line.npos) break;
      line.remove_prefix(start);
      const std::size_t length = std::min(line.find_first_of(kSpace), line.size());
      last[words++ % kWords] = line.substr(0, length);
      line.remove_prefix(length);
      if (words < kWords) continue;
      std::uint64_t hash = 0xcbf29ce484222325;
      for (std::size_t i = 0; i < kWords; ++i) hash = HashOf(last[(words + i) % kWords], hash);
      if (hash % kLookedAt != 0) continue;
      ++sequences_;
      seen_.insert(hash);
    }
  }
}

void ProseVariety::Keep(std::string_view line) {
  if (line.empty()) return;
  piece_.append(line).push_back('\n');
  bytes_ += line.size() + 1;
  if (piece_.size() < kPieceBytes) return;
  compressed_ += Compressed(piece_);
  piece_.clear();
}

double ProseVariety::CompressionRatio() const {
  if (bytes_ == 0) return 0;
  return static_cast<double>(bytes_) /
         static_cast<double>(compressed_ + (piece_.empty() ? 0 : Compressed(piece_)));
}

}  // namespace kernelmill
