#include "stages/cuda_executor/runtime/torch_memory.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/operator_memory.h"
#include "stages/cuda_executor/runtime/plausible_values.h"
#include "stages/cuda_executor/runtime/replay/replay.h"
#include "stages/cuda_executor/runtime/tensor_moves.h"

namespace kernelmill {
namespace {

// The bytes that new memory of a size gets.
std::map<std::size_t, std::vector<char>>& Left() {
  static auto* const left = new std::map<std::size_t, std::vector<char>>;
  return *left;
}

void ReleaseTensor(void* memory) {
  TheReplay().OnReleased(memory);
  ReleaseMemory(memory);
}

// A task's own sizes may need more memory than its target has, although the process has it: pages
// that nothing writes cost nothing here. What else is allocated is not only the candidate's, and is
// not counted. A candidate that catches the error is not right here either.
void CheckDeviceHolds(std::size_t size) {
  const std::size_t whole = DeviceProperties().totalGlobalMem;
  if (size <= whole) return;
  const std::string detail = "it allocates " + std::to_string(size >> 20) +
                             " MiB at once; the device has " + std::to_string(whole >> 20) + " MiB";
  Log().SetFault({"crashed", "device_memory", detail, "", 0});
  TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory: ", detail);
}

class PagedAllocator final : public at::Allocator {
 public:
  at::DataPtr allocate(std::size_t size) override {
    if (size == 0) return {nullptr, nullptr, &ReleaseTensor, at::Device(at::kCPU)};
    CheckDeviceHolds(size);
    void* const memory = AllocateIn(Space::kUnknown, size);
    // Callers recognise by this text that torch's own allocator is out of memory.
    TORCH_CHECK(memory != nullptr, "DefaultCPUAllocator: can't allocate memory: ", size, " bytes");
    TheReplay().OnAllocated(memory, size);
    // Otherwise torch fills what nothing else fills (candidate.py).
    if (Options().fills_fresh() && !FillsFreshWithNan()) FillNew(memory, size);
    return {memory, memory, &ReleaseTensor, at::Device(at::kCPU)};
  }
  at::DeleterFnPtr raw_deleter() const override { return &ReleaseTensor; }
  void copy_data(void* to, const void* from, std::size_t size) const override {
    std::memcpy(to, from, size);
  }
};

}  // namespace

void WatchTorch() {
  static PagedAllocator* const allocator = new PagedAllocator;
  c10::SetCPUAllocator(allocator, 1);
  WatchMoves();
  WatchOperators();
}

std::vector<std::string> KnownOperators() {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    names.push_back(name.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void FillNew(void* memory, std::size_t size) {
  const auto left = Left().find(size);
  if (left == Left().end()) {
    FillFresh(memory, size);
  } else {
    std::memcpy(memory, left->second.data(), size);
  }
}

void LeaveValues(const std::vector<at::Tensor>& tensors, bool changed) {
  Left().clear();
  const RunningScope open(Running::kAnything);
  for (const at::Tensor& tensor : tensors) {
    if (!MemoryOf(tensor)) continue;
    const auto* const first = static_cast<const char*>(tensor.storage().data());
    const auto [left, added] =
        Left().try_emplace(tensor.storage().nbytes(), first, first + tensor.storage().nbytes());
    if (added && changed) ChangeSome(&left->second, tensor.scalar_type());
  }
}

void MoveToDevice(const at::Tensor& tensor) {
  if (MemoryOf(tensor)) SetState(tensor.storage().data(), Space::kDevice, true);
}
void MoveToHost(const at::Tensor& tensor) {
  const std::optional<MemoryState> state = MemoryOf(tensor);
  if (!state) return;
  if (state->device_data) CountToHost(tensor.storage().nbytes());
  SetState(tensor.storage().data(), Space::kHost, false);
}

}  // namespace kernelmill
