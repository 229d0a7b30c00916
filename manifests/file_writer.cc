#include "manifests/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

struct FileWriter::State {
  ~State() {
    if (fd >= 0) close(fd);
    unlink(temporary.c_str());
  }

  Status Flush() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const ssize_t size = write(fd, rest.data(), rest.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return Status::FromErrno("cannot write", path);
      rest.remove_prefix(static_cast<std::size_t>(size));
    }
    buffer.clear();
    return Status::Ok();
  }

  std::string path, temporary, buffer;
  int fd = -1;
};

FileWriter::FileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&&) noexcept = default;

Result<FileWriter> FileWriter::Create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->temporary = TemporaryPath(path);
  state->fd = open(state->temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (state->fd < 0) return Status::FromErrno("cannot create", path);
  return FileWriter(std::move(state));
}

Status FileWriter::Append(std::string_view bytes) {
  state_->buffer += bytes;
  return state_->buffer.size() < kBufferBytes ? Status::Ok() : state_->Flush();
}

Status FileWriter::Close() {
  State& state = *state_;
  if (state.fd < 0) return Status::Ok();
  KM_RETURN_IF_ERROR(state.Flush());
  state.buffer.shrink_to_fit();
  if (fsync(state.fd) != 0) return Status::FromErrno("cannot sync", state.path);
  const int fd = state.fd;
  state.fd = -1;
  if (close(fd) != 0) return Status::FromErrno("cannot close", state.path);
  return Status::Ok();
}

Status FileWriter::Finish() { return FinishAs(state_->path); }

Status FileWriter::FinishAs(const std::string& path) {
  KM_RETURN_IF_ERROR(Close());
  return CommitTemporary(state_->temporary, path);
}

}  // namespace kernelmill
