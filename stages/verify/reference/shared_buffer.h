// Memory that this process shares with a worker and its forks: an anonymous file of a fixed size.
#pragma once

#include <cstddef>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class SharedBuffer {
 public:
  // `size` bytes, all zero. Pages use memory once they are written. The size is sealed, so this
  // process can read the buffer safely whatever the other process does.
  static Result<SharedBuffer> Create(std::size_t size);
  SharedBuffer() = default;
  ~SharedBuffer();
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;

  int descriptor() const { return descriptor_; }
  // A second descriptor, through which the buffer can only be read. This object closes it.
  int read_only() const { return read_only_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  int descriptor_ = -1;
  int read_only_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kernelmill
