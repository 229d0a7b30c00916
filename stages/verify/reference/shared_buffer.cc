#include "stages/verify/reference/shared_buffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace kernelmill {

Result<SharedBuffer> SharedBuffer::Create(std::size_t size) {
  SharedBuffer buffer;
  buffer.descriptor_ = memfd_create("tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (buffer.descriptor_ < 0) return Status::FromErrno("cannot make", "shared memory");
  if (ftruncate(buffer.descriptor_, static_cast<off_t>(size)) != 0 ||
      fcntl(buffer.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Status::FromErrno("cannot size", "shared memory");
  }
  const std::string path = "/proc/self/fd/" + std::to_string(buffer.descriptor_);
  buffer.read_only_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (buffer.read_only_ < 0) return Status::FromErrno("cannot open", "shared memory");
  void* const data = mmap(nullptr, size, PROT_READ, MAP_SHARED, buffer.descriptor_, 0);
  if (data == MAP_FAILED) return Status::FromErrno("cannot map", "shared memory");
  buffer.data_ = static_cast<const char*>(data);
  buffer.size_ = size;
  return buffer;
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept { *this = std::move(other); }

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(read_only_, other.read_only_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  if (descriptor_ >= 0) close(descriptor_);
  if (read_only_ >= 0) close(read_only_);
}

}  // namespace kernelmill
