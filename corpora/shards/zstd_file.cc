#include "corpora/shards/zstd_file.h"

#include <zstd.h>

#include <fstream>

namespace kernelmill {
namespace {

constexpr int kLevel = 9;  // A high level, because files are written once and read for every epoch.
// The maximum window that a reader accepts. Our level needs 4 MiB; this is the default limit of
// zstd's own readers, so every file that they can read is accepted.
constexpr int kMaxWindowLog = 27;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct ZstdFileWriter::State {
  explicit State(FileWriter file) : file(std::move(file)), context(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  }

  // Runs until the frame is complete for ZSTD_e_end, otherwise until `bytes` is consumed.
  Status Compress(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      const std::size_t rest = ZSTD_compressStream2(context.get(), &out, &in, directive);
      if (ZSTD_isError(rest)) {
        return Status(ErrorCode::kInternal, std::string("zstd: ") + ZSTD_getErrorName(rest));
      }
      KM_RETURN_IF_ERROR(file.Append({buffer.data(), out.pos}));
      if (directive == ZSTD_e_end ? rest == 0 : in.pos == in.size) return Status::Ok();
    }
  }

  FileWriter file;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context;
  std::string buffer = std::string(ZSTD_CStreamOutSize(), '\0');
};

ZstdFileWriter::ZstdFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdFileWriter::~ZstdFileWriter() = default;
ZstdFileWriter::ZstdFileWriter(ZstdFileWriter&&) noexcept = default;
ZstdFileWriter& ZstdFileWriter::operator=(ZstdFileWriter&&) noexcept = default;

Result<ZstdFileWriter> ZstdFileWriter::Create(const std::string& path) {
  KM_ASSIGN(FileWriter file, FileWriter::Create(path));
  return ZstdFileWriter(std::make_unique<State>(std::move(file)));
}

Status ZstdFileWriter::Append(std::string_view bytes) {
  return state_->Compress(bytes, ZSTD_e_continue);
}

Status ZstdFileWriter::Finish() {
  KM_RETURN_IF_ERROR(state_->Compress({}, ZSTD_e_end));
  return state_->file.Finish();
}

struct ZstdFileReader::State {
  explicit State(const std::string& path)
      : path(path), stream(path, std::ios::binary), context(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  // Reads more input when all of `input` is consumed; leaves it empty at the end of the file.
  Status Refill() {
    if (in.pos < in.size) return Status::Ok();
    stream.read(input.data(), static_cast<std::streamsize>(input.size()));
    if (stream.bad()) return Status::FromErrno("cannot read", path);
    in = {input.data(), static_cast<std::size_t>(stream.gcount()), 0};
    return Status::Ok();
  }

  Status Damaged(const std::string& what) const {
    return Status(ErrorCode::kCorrupt, path + " is damaged: " + what);
  }

  std::string path;
  std::ifstream stream;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context;
  std::string input = std::string(ZSTD_DStreamInSize(), '\0');
  ZSTD_inBuffer in{nullptr, 0, 0};
  bool ended = false;  // The frame has ended.
};

ZstdFileReader::ZstdFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdFileReader::~ZstdFileReader() = default;
ZstdFileReader::ZstdFileReader(ZstdFileReader&&) noexcept = default;
ZstdFileReader& ZstdFileReader::operator=(ZstdFileReader&&) noexcept = default;

Result<ZstdFileReader> ZstdFileReader::Open(const std::string& path) {
  auto state = std::make_unique<State>(path);
  if (!state->stream.is_open()) return Status::FromErrno("cannot open", path);
  return ZstdFileReader(std::move(state));
}

Result<std::string> ZstdFileReader::Read(std::size_t count) {
  State& state = *state_;
  std::string bytes(count, '\0');
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  while (out.pos < out.size && !state.ended) {
    KM_RETURN_IF_ERROR(state.Refill());
    const std::size_t before_in = state.in.pos, before_out = out.pos;
    const std::size_t rest = ZSTD_decompressStream(state.context.get(), &out, &state.in);
    if (ZSTD_isError(rest)) return state.Damaged(ZSTD_getErrorName(rest));
    state.ended = rest == 0;
    if (!state.ended && state.in.pos == before_in && out.pos == before_out) {
      return state.Damaged("it ends within its frame");
    }
  }
  if (state.ended) {
    KM_RETURN_IF_ERROR(state.Refill());
    if (state.in.size > 0) return state.Damaged("it goes on after its frame");
  }
  bytes.resize(out.pos);
  return bytes;
}

}  // namespace kernelmill
