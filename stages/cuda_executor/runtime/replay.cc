#include "stages/cuda_executor/runtime/replay.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <cstring>
#include <memory>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/operator_memory.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
// Enough for sizes, strides and coefficients.
constexpr std::size_t kMostOfHost = 4096;

// The offsets of a tensor's elements in row-major order, in elements.
template <typename Visit>
void ForEachOffset(const at::Tensor& tensor, std::int64_t dim, std::int64_t offset,
                   const Visit& visit) {
  if (dim == tensor.dim()) return visit(offset);
  for (std::int64_t i = 0; i < tensor.size(dim); ++i) {
    ForEachOffset(tensor, dim + 1, offset + i * tensor.stride(dim), visit);
  }
}

constexpr std::size_t kWord = 8;
bool HoldsOneValue(const char* bytes, std::size_t size) {
  return size <= kWord || std::memcmp(bytes, bytes + kWord, size - kWord) == 0;
}

at::Tensor CopyOf(const at::Tensor& tensor) {
  const at::Tensor copy(
      at::detail::empty_strided_cpu(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
  if (tensor.numel() > 0) CopyElements(copy, tensor);
  return copy;
}

bool IsOnHost(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.storage().data() == nullptr) {
    return false;
  }
  const std::optional<MemoryState> state = MemoryOf(tensor);
  return !state || state->space == Space::kHost;
}

}  // namespace

void CopyElements(const at::Tensor& to, const at::Tensor& from) {
  const std::size_t item = from.element_size();
  const char* const source = static_cast<const char*>(from.const_data_ptr());
  char* const target = static_cast<char*>(to.mutable_data_ptr());
  if (to.strides() == from.strides() && from.is_non_overlapping_and_dense()) {
    std::memcpy(target, source, from.nbytes());
    return;
  }
  std::vector<std::int64_t> places;
  ForEachOffset(to, 0, 0, [&](std::int64_t offset) { places.push_back(offset); });
  std::size_t next = 0;
  ForEachOffset(from, 0, 0, [&](std::int64_t offset) {
    std::memcpy(target + places[next++] * static_cast<std::int64_t>(item),
                source + offset * static_cast<std::int64_t>(item), item);
  });
}

Replay& TheReplay() {
  static auto* const replay = new Replay;  // Tensors outlive static objects.
  return *replay;
}

bool Replay::Reserve(std::size_t bytes) {
  kept_bytes_ += bytes;
  if (kept_bytes_ <= kMostBytes) return why_not_.empty();
  why_not_ = "its record takes too much memory";
  return false;
}

void Replay::Begin() {
  Drop();
  const RunningScope open(Running::kAnything);
  first_allocation_ = AllocationCount();
  bytes_to_host_ = BytesToHost();
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    if (state.space == Space::kHost || !Reserve(memory.size)) return;
    before_.push_back({memory.first, std::string(memory.first, memory.size), state.number});
  });
  RetainReleased(true);
  recording_ = true;
}

void Replay::Add(std::function<void()> step) {
  if (recording_) steps_.push_back(std::move(step));
}

void Replay::AddBytes(void* to, const void* from, std::size_t size) {
  if (!recording_ || !Reserve(size)) return;
  const RunningScope open(Running::kAnything);
  // Fresh memory that nobody has written holds one value, and one value tells little.
  host_bytes_ += HoldsOneValue(static_cast<const char*>(from), size) ? kWord : size;
  Add([to, bytes = std::string(static_cast<const char*>(from), size)] {
    std::memcpy(to, bytes.data(), bytes.size());
  });
}

void Replay::AddWrittenByHost() {
  if (!recording_) return;
  for (const AllocatedMemory& memory : TakeWrittenByHost()) {
    AddBytes(memory.first, memory.first, memory.size);
  }
}

c10::Stack Replay::KeptInputs(c10::ArrayRef<const c10::IValue> inputs) {
  c10::Stack kept(inputs.begin(), inputs.end());
  for (c10::IValue& input : kept) {
    if (!input.isTensor() || !IsOnHost(input.toTensor())) continue;
    const at::Tensor tensor = input.toTensor();
    if (tensor.layout() != at::kStrided || !Reserve(tensor.nbytes())) continue;
    const RunningScope open(Running::kAnything);
    input = CopyOf(tensor);
    SetState(input.toTensor().storage().data(), Space::kHost, false);
  }
  return kept;
}

void Replay::AddOperator(const c10::OperatorHandle& op, c10::Stack inputs,
                         const c10::Stack& outputs, std::uint64_t first_allocation) {
  std::vector<std::pair<std::size_t, at::Tensor>> made;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].isTensor()) continue;
    const at::Tensor& tensor = outputs[i].toTensor();
    const std::optional<MemoryState> state = MemoryOf(tensor);
    if (!state || state->number < first_allocation || state->space == Space::kHost) continue;
    if (tensor.numel() > 0) made.emplace_back(i, tensor);
  }
  Add([op, inputs = std::move(inputs), made = std::move(made)] {
    c10::Stack stack = inputs;
    op.callBoxed(&stack);
    for (const auto& [place, tensor] : made) CopyElements(tensor, stack.at(place).toTensor());
  });
}

void Replay::NoteConstructed() { constructed_ = AllocationCount(); }

Replay::Outcome Replay::Run(const std::vector<Input>& inputs) {
  recording_ = false;
  struct Ended {
    ~Ended() { TheReplay().Drop(); }
  } ended;
  if (!why_not_.empty()) return {why_not_};
  const bool same = BytesToHost() > bytes_to_host_;
  if (same && host_bytes_ > kMostOfHost) {
    return {"its host code reads values of the device, and writes others to it"};
  }
  const std::vector<AllocatedMemory> left = AllocatedSince(first_allocation_);
  const RunningScope open(Running::kAnything);
  std::vector<at::Tensor> given;  // The values lie in memory that is filled below.
  for (const Input& input : inputs) given.push_back(CopyOf(same ? input.same : input.other));
  for (const AllocatedMemory& memory : left) {
    std::memset(memory.first, FreshByte(), memory.size);
  }
  for (const Values& values : before_) {
    if (same && values.number >= constructed_) {
      std::memset(values.first, FreshByte(), values.bytes.size());
    } else {
      std::memcpy(values.first, values.bytes.data(), values.bytes.size());
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) CopyElements(inputs[i].tensor, given[i]);
  const at::NoGradGuard no_grad;
  // Python that answers for an operator is host code.
  const c10::impl::ExcludeDispatchKeyGuard no_python(
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot}));
  for (const std::function<void()>& step : steps_) step();
  return {"", same};
}

void Replay::Drop() {
  recording_ = false;
  why_not_.clear();
  kept_bytes_ = host_bytes_ = 0;
  before_.clear();
  steps_.clear();
  RetainReleased(false);
}

bool KeepsLaunches() { return TheReplay().recording(); }

void KeepLaunch(const LaunchSpec& spec, void (*thread)(void*), void* kept, void (*drop)(void*)) {
  const std::shared_ptr<void> context(kept, drop);
  TheReplay().AddWrittenByHost();
  TheReplay().Add([spec, thread, context] { RunLaunch(spec, thread, context.get()); });
}

}  // namespace kernelmill
