// Memory that this process shares with a worker: an anonymous file of a fixed size.
#pragma once

#include <cstddef>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class SharedBuffer {
 public:
  // `size` bytes, all zero; memory is used only for what is written. Nobody can change the size, so
  // reading it is safe whatever the other side does.
  static Result<SharedBuffer> Create(std::size_t size);
  SharedBuffer() = default;
  ~SharedBuffer();
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;

  int descriptor() const { return descriptor_; }
  // A second descriptor through which it can only be read; closed with this object.
  int read_only() const { return read_only_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  int descriptor_ = -1;
  int read_only_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kernelmill
