// Compresses and decompresses zstd frames with content size and checksum, one frame for each value
// of a shard, with an optional dictionary.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace kernelmill {

// The maximum size of a frame's content. It bounds the allocation when a length field is damaged.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{256} << 20;

// Not thread-safe: use one compressor per thread.
class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level, std::string_view dictionary = "");
  // Replaces `*frame`.
  Status Compress(std::string_view bytes, std::string* frame);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_CDict_s* dictionary) const;
  };
  std::unique_ptr<ZSTD_CDict_s, Free> dictionary_;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

// Thread-safe.
class ZstdDecompressor {
 public:
  explicit ZstdDecompressor(std::string_view dictionary = "");
  // Replaces `*bytes`. kCorrupt when `frame` is not exactly one frame or its checksum does not
  // match.
  Status Decompress(std::string_view frame, std::string* bytes) const;

 private:
  struct Free {
    void operator()(ZSTD_DDict_s* dictionary) const;
  };
  std::unique_ptr<ZSTD_DDict_s, Free> dictionary_;
};

}  // namespace kernelmill
