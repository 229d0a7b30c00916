#include "corpora/shards/zstd_codec.h"

#include <zstd.h>

namespace kernelmill {
namespace {

// The largest possible expansion: a block of 128 KiB from a block header of three bytes and one
// byte of content (RFC 8878, section 3.1.1.2).
constexpr std::size_t kMaxBlockBytes = std::size_t{128} << 10;
constexpr std::size_t kMinBlockFrameBytes = 4;

struct FreeDecompression {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_DCtx* DecompressionOfThread() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeDecompression> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

void ZstdCompressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void ZstdCompressor::Free::operator()(ZSTD_CDict_s* dictionary) const {
  ZSTD_freeCDict(dictionary);
}
void ZstdDecompressor::Free::operator()(ZSTD_DDict_s* dictionary) const {
  ZSTD_freeDDict(dictionary);
}

ZstdCompressor::ZstdCompressor(int level, std::string_view dictionary)
    : context_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  if (!dictionary.empty()) {
    dictionary_.reset(ZSTD_createCDict(dictionary.data(), dictionary.size(), level));
    ZSTD_CCtx_refCDict(context_.get(), dictionary_.get());
  }
}

Status ZstdCompressor::Compress(std::string_view bytes, std::string* frame) {
  if (bytes.size() > kMaxFrameBytes) {
    return Status(ErrorCode::kInternal, "a value of " + std::to_string(bytes.size()) +
                                            " bytes is over the limit of " +
                                            std::to_string(kMaxFrameBytes));
  }
  frame->resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context_.get(), frame->data(), frame->size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) {
    return Status(ErrorCode::kInternal, std::string("zstd: ") + ZSTD_getErrorName(size));
  }
  frame->resize(size);
  return Status::Ok();
}

ZstdDecompressor::ZstdDecompressor(std::string_view dictionary) {
  if (!dictionary.empty()) {
    dictionary_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
  }
}

Status ZstdDecompressor::Decompress(std::string_view frame, std::string* bytes) const {
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content > kMaxFrameBytes ||
      content > kMaxBlockBytes * (frame.size() / kMinBlockFrameBytes + 1) ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return Status(ErrorCode::kCorrupt, "the value is not a zstd frame");
  }
  bytes->resize(content);
  const std::size_t size =
      ZSTD_decompress_usingDDict(DecompressionOfThread(), bytes->data(), bytes->size(),
                                 frame.data(), frame.size(), dictionary_.get());
  if (ZSTD_isError(size)) {
    return Status(ErrorCode::kCorrupt,
                  std::string("the value does not decompress: ") + ZSTD_getErrorName(size));
  }
  if (size != content) return Status(ErrorCode::kCorrupt, "the value is shorter than it says");
  return Status::Ok();
}

}  // namespace kernelmill
