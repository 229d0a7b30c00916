// Implements the cudaMalloc and cudaMemcpy families. Fresh memory is filled by FillNew(). Copies
// are checked: they must stay inside their allocations, and their kind must match the memory.
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/replay/held_copies.h"
#include "stages/cuda_executor/runtime/replay/replay.h"
#include "stages/cuda_executor/runtime/torch_memory.h"
#include "stages/cuda_executor/runtime/torch_work/torch_moves.h"

namespace kernelmill {
namespace {

struct Allocation {
  std::size_t size;
  MemoryKind kind;
};
using Allocations = std::map<const char*, Allocation>;
Allocations& Known() {
  static Allocations known;
  return known;
}

// The allocation that `address` lies in.
Allocations::const_iterator Find(const void* address) {
  const char* const byte = static_cast<const char*>(address);
  auto found = Known().upper_bound(byte);
  if (found == Known().begin()) return Known().end();
  --found;
  return byte < found->first + found->second.size ? found : Known().end();
}

cudaError_t Fail(cudaError_t error) { return Device().last_error = error; }

// As CheckSide(), for tensors and for host memory. A copy determines the space of a tensor.
cudaError_t CheckOther(const void* address, bool on_device) {
  const std::optional<Space> space = SpaceOf(address);
  if (!space.has_value()) return on_device ? cudaErrorInvalidValue : cudaSuccess;
  if (*space == Space::kUnknown) {
    SetState(address, on_device ? Space::kDevice : Space::kHost, false);
    return cudaSuccess;
  }
  const Space wrong = on_device ? Space::kHost : Space::kDevice;
  return *space == wrong ? cudaErrorInvalidValue : cudaSuccess;
}

// Checks that `size` bytes at `address` can be the source or destination of a copy. `on_device`
// says where that side lies according to the copy's kind.
cudaError_t CheckSide(const void* address, std::size_t size, bool on_device) {
  const auto found = Find(address);
  if (found == Known().end()) return CheckOther(address, on_device);
  const std::size_t offset =
      static_cast<std::size_t>(static_cast<const char*>(address) - found->first);
  if (size > found->second.size - offset) return cudaErrorInvalidValue;
  const MemoryKind kind = found->second.kind;
  if (kind == MemoryKind::kManaged || (kind == MemoryKind::kDevice) == on_device) {
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

// Counts a copy of the device's values into host memory. Where the values are decides, not the
// copy's kind, which the code that copies may have computed.
void NoteCopy(const void* to, const void* from, std::size_t size) {
  const std::optional<MemoryState> source = StateOf(from);
  if (!source || !source->device_data) return;
  const std::optional<MemoryState> target = StateOf(to);
  if (target && target->space != Space::kHost) {
    SetState(to, target->space, true);
    TheTorchMoves().AddFound("_device_copy", "cudaMemcpy");
  } else {
    CountToHost(size);
  }
}

// Adds a copy to the record of forward(). What lies on the host does not follow from the inputs.
void KeepCopy(void* to, const void* from, std::size_t size, cudaStream_t stream) {
  const std::optional<MemoryState> target = StateOf(to), source = StateOf(from);
  if (!target || target->space == Space::kHost) return;
  if (source && source->device_data) {
    TheReplay().Add(stream, [=] { std::memmove(to, from, size); });
  } else {
    TheReplay().AddBytes(stream, to, to, size);
  }
  TheReplay().AddUses({to, from}, {"", 0});
}

}  // namespace

cudaError_t AllocateMemory(void** memory, std::size_t size, MemoryKind kind) {
  constexpr std::size_t kMost = std::size_t{8} << 30;
  if (memory == nullptr) return Fail(cudaErrorInvalidValue);
  *memory = nullptr;
  if (size == 0) return cudaSuccess;
  if (size > kMost) return Fail(cudaErrorMemoryAllocation);
  const RunningScope open(Running::kAnything);
  void* const fresh = AllocateIn(kind == MemoryKind::kDevice ? Space::kDevice : Space::kBoth, size);
  if (fresh == nullptr) return Fail(cudaErrorMemoryAllocation);
  if (Options().fills_fresh()) FillNew(fresh, size);
  Known()[static_cast<const char*>(fresh)] = {size, kind};
  *memory = fresh;
  return cudaSuccess;
}

cudaError_t AllocateInOrder(void** memory, std::size_t size, cudaStream_t stream) {
  const cudaError_t error = AllocateMemory(memory, size, MemoryKind::kDevice);
  if (error == cudaSuccess) TheReplay().OnAllocated(*memory, size, stream);
  return error;
}

cudaError_t FreeInOrder(void* memory, cudaStream_t stream) {
  if (memory == nullptr) return cudaSuccess;
  const auto found = Known().find(static_cast<const char*>(memory));
  if (found == Known().end() || found->second.kind != MemoryKind::kDevice) {
    return Fail(cudaErrorInvalidValue);
  }
  TheReplay().OnFreed(memory, stream);
  Known().erase(found);
  ReleaseMemory(memory);
  return cudaSuccess;
}

std::size_t BytesHeld() {
  std::size_t held = 0;
  for (const auto& [address, allocation] : Known()) held += allocation.size;
  return held;
}

}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const auto found = Known().find(static_cast<const char*>(memory));
  if (found == Known().end() || found->second.kind == MemoryKind::kPinned) {
    return Fail(cudaErrorInvalidValue);
  }
  TheReplay().order().HostWaitsForAll();
  Known().erase(found);
  ReleaseMemory(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const auto found = Known().find(static_cast<const char*>(memory));
  if (found == Known().end() || found->second.kind != MemoryKind::kPinned) {
    return Fail(cudaErrorInvalidValue);
  }
  TheReplay().order().HostWaitsForAll();
  Known().erase(found);
  ReleaseMemory(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (size == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return Fail(cudaErrorInvalidValue);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return Fail(cudaErrorInvalidMemcpyDirection);
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  for (const auto& [address, on_device] :
       {std::pair<const void*, bool>{to, to_device}, {from, from_device}}) {
    const auto found = Find(address);
    bool side = on_device;
    if (kind == cudaMemcpyDefault) {
      if (found == Known().end()) continue;  // With this kind the address itself decides.
      side = found->second.kind == MemoryKind::kDevice;
    }
    const cudaError_t error = CheckSide(address, size, side);
    if (error != cudaSuccess) return Fail(error);
  }
  const auto target = Find(to), source = Find(from);
  const std::optional<MemoryState> given = StateOf(from);
  const bool arrives_later = target != Known().end() &&
                             target->second.kind == MemoryKind::kPinned && given &&
                             given->space == Space::kDevice && Options().run_kernels;
  NoteCopy(to, from, size);
  const RunningScope open(Running::kAnything);
  if (arrives_later) {
    TheHeldCopies().Copy(stream, to, from, size);
  } else {
    const ShownCopies shown;
    std::memmove(to, from, size);
  }
  KeepCopy(to, from, size, stream);
  if (source != Known().end() && source->second.kind == MemoryKind::kPinned) {
    TheReplay().order().AddStaged(from, size);
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t size, cudaStream_t stream) {
  if (size == 0) return cudaSuccess;
  if (memory == nullptr) return Fail(cudaErrorInvalidValue);
  const cudaError_t error = CheckSide(memory, size, true);
  if (error != cudaSuccess) return Fail(error);
  const RunningScope open(Running::kAnything);
  std::memset(memory, value, size);
  TheReplay().AddSent(stream, std::string(1, static_cast<char>(value)),
                      [=] { std::memset(memory, value, size); });
  TheReplay().AddUses({memory}, {"", 0});
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return Fail(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemcpyAsync(static_cast<char*>(to) + row * to_pitch,
                        static_cast<const char*>(from) + row * from_pitch, width, kind, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  if (width > pitch) return Fail(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemsetAsync(static_cast<char*>(memory) + row * pitch, value, width, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = DeviceProperties().totalGlobalMem;
  *free = *total - BytesHeld();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  *attributes = cudaPointerAttributes();
  void* const address = const_cast<void*>(memory);
  const auto found = Find(memory);
  const std::optional<Space> space = SpaceOf(memory);
  if (!space.has_value() || *space == Space::kHost) {
    attributes->hostPointer = address;
    return cudaSuccess;
  }
  const MemoryKind kind = found == Known().end() ? MemoryKind::kDevice : found->second.kind;
  attributes->type = kind == MemoryKind::kDevice    ? cudaMemoryTypeDevice
                     : kind == MemoryKind::kManaged ? cudaMemoryTypeManaged
                                                    : cudaMemoryTypeHost;
  attributes->devicePointer = address;
  if (kind != MemoryKind::kDevice) attributes->hostPointer = address;
  return cudaSuccess;
}
}
