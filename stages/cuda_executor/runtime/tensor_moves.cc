#include "stages/cuda_executor/runtime/tensor_moves.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/to_native.h>
#include <torch/library.h>

#include <cstring>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/operator_memory.h"
#include "stages/cuda_executor/runtime/replay/replay.h"

namespace kernelmill {
namespace {

using Type = std::optional<at::ScalarType>;
using Format = std::optional<at::MemoryFormat>;

// Appends the values of the dimensions from `dim` on, in row-major order.
void CopyRows(const at::Tensor& source, std::int64_t dim, const char* from, char** to) {
  const std::size_t item = source.element_size();
  if (dim == source.dim()) {
    std::memcpy(*to, from, item);
    *to += item;
    return;
  }
  const std::int64_t step = source.stride(dim) * static_cast<std::int64_t>(item);
  for (std::int64_t i = 0; i < source.size(dim); ++i) {
    CopyRows(source, dim + 1, from + i * step, to);
  }
}

// A copy that no operator makes: which operators a candidate may call does not decide whether it
// may move a tensor.
at::Tensor CopyIn(Space space, const at::Tensor& tensor) {
  const RunningScope open(Running::kAnything);
  const bool dense = tensor.is_non_overlapping_and_dense();
  const at::Tensor copy(
      dense ? at::detail::empty_strided_cpu(tensor.sizes(), tensor.strides(), tensor.scalar_type())
            : at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type()));
  char* to = static_cast<char*>(copy.mutable_data_ptr());
  if (dense) {
    std::memcpy(to, tensor.const_data_ptr(), tensor.nbytes());
  } else {
    CopyRows(tensor, 0, static_cast<const char*>(tensor.const_data_ptr()), &to);
  }
  const std::optional<MemoryState> from = MemoryOf(tensor);
  const bool device_data = from && from->device_data;
  SetState(copy.storage().data(), space, device_data);
  const cudaStream_t stream = TheReplay().order().current();
  if (space == Space::kHost) {
    TheReplay().order().HostWaitsFor(stream);
    if (device_data) CountToHost(copy.nbytes());
  } else if (device_data) {
    TheReplay().Add(stream, [copy, tensor] { CopyElements(copy, tensor); });
  } else {
    TheReplay().AddBytes(stream, copy.mutable_data_ptr(), copy.const_data_ptr(), copy.nbytes());
  }
  return copy;
}

bool HasMemory(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage() &&
         tensor.numel() > 0 && tensor.storage().data() != nullptr && !tensor.is_conj() &&
         !tensor.is_neg();
}

// The result of `to` with a device, where torch has returned the tensor itself. Memory that only
// device code has used stays in its place until host code accesses it, and its values count then.
at::Tensor Moved(const at::Tensor& tensor) {
  if (!HasMemory(tensor)) return tensor;
  const std::optional<MemoryState> state = MemoryOf(tensor);
  const bool whole = tensor.nbytes() == tensor.storage().nbytes();
  if (!state || state->space == Space::kHost || (state->device_data && !whole)) {
    return CopyIn(Space::kUnknown, tensor);
  }
  if (state->device_data) SetState(tensor.storage().data(), Space::kBoth, true);
  return tensor;
}

at::Tensor ToLayout(const at::Tensor& self, Type dtype, std::optional<at::Layout> layout,
                    std::optional<at::Device> device, std::optional<bool> pin_memory,
                    bool non_blocking, bool copy, Format format) {
  const at::Tensor result =
      at::native::to(self, dtype, layout, device, pin_memory, non_blocking, copy, format);
  return device && result.is_same(self) ? Moved(self) : result;
}
at::Tensor ToNamedDevice(const at::Tensor& self, at::Device device, at::ScalarType dtype,
                         bool non_blocking, bool copy, Format format) {
  const at::Tensor result = at::native::to(self, device, dtype, non_blocking, copy, format);
  return result.is_same(self) ? Moved(self) : result;
}
at::Tensor ToOther(const at::Tensor& self, const at::Tensor& other, bool non_blocking, bool copy,
                   Format format) {
  const at::Tensor result = at::native::to(self, other, non_blocking, copy, format);
  const std::optional<MemoryState> state = MemoryOf(other);
  const bool on_host = HasMemory(other) && (!state || state->space == Space::kHost);
  return on_host ? ToHost(result) : ToDevice(result);
}

class QuietHandler final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

}  // namespace

at::Tensor ToHost(const at::Tensor& tensor) {
  if (!HasMemory(tensor)) return tensor;
  const std::optional<MemoryState> state = MemoryOf(tensor);
  if (!state || state->space == Space::kHost) return tensor;
  return CopyIn(Space::kHost, tensor);
}

at::Tensor ToDevice(const at::Tensor& tensor) {
  if (!HasMemory(tensor)) return tensor;
  const std::optional<MemoryState> state = MemoryOf(tensor);
  const bool in_place = state && (state->space == Space::kUnknown || state->device_data);
  if (!in_place) return CopyIn(Space::kDevice, tensor);
  if (state->space == Space::kUnknown) SetState(tensor.storage().data(), Space::kDevice, true);
  return tensor;
}

at::Tensor ToPinned(const at::Tensor& tensor) {
  return HasMemory(tensor) ? CopyIn(Space::kBoth, tensor) : tensor;
}

void WatchMoves() {
  static QuietHandler quiet;  // Torch warns that an operator gets another implementation.
  const c10::WarningUtils::WarningHandlerGuard guard(&quiet);
  static torch::Library library(torch::Library::IMPL, "aten",
                                c10::DispatchKey::CompositeImplicitAutograd, __FILE__, __LINE__);
  library.impl("to.dtype_layout", ToLayout);
  library.impl("to.device", ToNamedDevice);
  library.impl("to.other", ToOther);
}

}  // namespace kernelmill
