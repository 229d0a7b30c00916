#include "stages/cuda_executor/runtime/replay/replay.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include <kernelmill/executor.h>
#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/operator_memory.h"
#include "stages/cuda_executor/runtime/step_alarm.h"

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

template <typename T>
void Append(std::string* bytes, const T& value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The numbers that an operator is called with, and the values of the host's tensors.
bool IsOnHost(const at::Tensor& tensor);
void AppendNumbers(std::string* bytes, const c10::IValue& value) {
  if (value.isDouble()) {
    Append(bytes, value.toDouble());
  } else if (value.isInt()) {
    Append(bytes, value.toInt());
  } else if (value.isBool()) {
    Append(bytes, std::int64_t{value.toBool()});
  } else if (value.isComplexDouble()) {
    Append(bytes, value.toComplexDouble());
  } else if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!IsOnHost(tensor) || tensor.layout() != at::kStrided || tensor.numel() == 0) return;
    const at::Tensor values(at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type()));
    CopyElements(values, tensor);
    bytes->append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) AppendNumbers(bytes, element);
  }
}

// An argument of a launch. Where memory lies is chance; which part of it a pointer names is not.
void AppendArgument(std::string* bytes, const ArgumentBytes& argument) {
  std::string own(static_cast<const char*>(argument.first), argument.size);
  for (std::size_t at = 0; at + sizeof(std::size_t) <= own.size(); at += sizeof(std::size_t)) {
    const void* word = nullptr;
    std::memcpy(&word, own.data() + at, sizeof(word));
    if (!StateOf(word)) continue;
    const std::size_t behind = BytesBehind(word);
    std::memcpy(own.data() + at, &behind, sizeof(behind));
  }
  *bytes += own;
}

// The words of an argument, of which some may be pointers.
void AppendAddresses(std::vector<const void*>* addresses, const ArgumentBytes& argument) {
  const char* const first = static_cast<const char*>(argument.first);
  for (std::size_t at = 0; at + sizeof(void*) <= argument.size; at += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(&word, first + at, sizeof(word));
    addresses->push_back(word);
  }
}

std::size_t Differing(const std::vector<std::string>& one, const std::vector<std::string>& two) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::max(one.size(), two.size()); ++i) {
    const std::string_view a = i < one.size() ? std::string_view(one[i]) : std::string_view();
    const std::string_view b = i < two.size() ? std::string_view(two[i]) : std::string_view();
    const std::size_t both = std::min(a.size(), b.size());
    count += std::max(a.size(), b.size()) - both;
    for (std::size_t at = 0; at < both; ++at) count += a[at] != b[at];
  }
  return count;
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
  steps_before_ = step_alarm.steps;
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    if (state.space == Space::kHost || !Reserve(memory.size)) return;
    before_.push_back({memory.first, std::string(memory.first, memory.size), state.number});
  });
  RetainReleased(true);
  order_.Begin();
  reused_.Begin();
  recording_ = true;
}

void Replay::Add(std::optional<cudaStream_t> stream, std::function<void()> step) {
  if (!recording_) return;
  if (stream) {
    order_.Add(*stream);
  } else {
    order_.AddOfHost();
  }
  steps_.push_back(std::move(step));
}

void Replay::AddUses(const std::vector<const void*>& addresses, Site site) {
  if (!recording_ || !why_not_.empty()) return;
  for (const void* const address : addresses) {
    const std::optional<MemoryState> state = StateOf(address);
    if (!state || reused_.OnUsed(state->number)) continue;
    Log().AddFinding({"race", "streams",
                      "torch may give memory to a tensor here that work on another stream still uses: "
                      "the tensor that had it was released before the streams were joined, and "
                      "record_stream() was not called",
                      site.file, site.line});
  }
}

void Replay::AddNamed(const std::vector<const void*>& addresses) {
  if (!recording_) return;
  for (const void* const address : addresses) {
    if (const auto state = StateOf(address)) named_.push_back(state->number);
  }
}

void Replay::OnAllocated(const void* memory, std::size_t size) {
  OnAllocated(memory, size, order_.current());
}

void Replay::OnAllocated(const void* memory, std::size_t size, cudaStream_t stream) {
  if (!recording_) return;
  if (const auto state = StateOf(memory)) reused_.OnAllocated(state->number, size, stream);
}

void Replay::OnFreed(const void* memory, cudaStream_t stream) {
  if (!recording_) return;
  const std::optional<MemoryState> state = StateOf(memory);
  if (!state || reused_.OnFreed(state->number, stream)) return;
  Log().AddFinding({"race", "streams",
                    "cudaFreeAsync() frees memory that work on another stream may still use: the "
                    "stream that frees it has not waited for that work",
                    "", 0});
}

void Replay::OnReleased(const void* memory) {
  if (!recording_) return;
  if (const auto state = StateOf(memory)) reused_.OnReleased(state->number);
}

void Replay::OnShared(const void* memory) {
  if (!recording_) return;
  if (const auto state = StateOf(memory)) reused_.OnShared(state->number);
}

void Replay::AddBytes(std::optional<cudaStream_t> stream, void* to, const void* from,
                      std::size_t size) {
  if (!recording_ || !Reserve(size)) return;
  const RunningScope open(Running::kAnything);
  // Fresh memory that nobody has written holds one value, and one value tells little.
  const bool one_value = HoldsOneValue(static_cast<const char*>(from), size);
  const std::size_t told = one_value ? std::min(kWord, size) : size;
  host_bytes_ += told;
  const char* const first = static_cast<const char*>(from);
  AddSent(stream, std::string(first, told), [to, bytes = std::string(first, size)] {
    std::memcpy(to, bytes.data(), bytes.size());
  });
}

void Replay::AddSent(std::optional<cudaStream_t> stream, std::string bytes,
                     std::function<void()> step) {
  if (!recording_ || !Reserve(bytes.size())) return;
  sent_.push_back(std::move(bytes));
  Add(stream, std::move(step));
}

void Replay::AddWrittenByHost() {
  if (!recording_) return;
  for (const AllocatedMemory& memory : TakeWrittenByHost()) {
    AddBytes(std::nullopt, memory.first, memory.first, memory.size);
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
  std::vector<const void*> used;
  for (const c10::IValue& input : inputs) {
    if (input.isTensor() && MemoryOf(input.toTensor())) {
      used.push_back(input.toTensor().storage().data());
    }
  }
  std::vector<std::pair<std::size_t, at::Tensor>> made;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].isTensor()) continue;
    const at::Tensor& tensor = outputs[i].toTensor();
    const std::optional<MemoryState> state = MemoryOf(tensor);
    if (!state || state->number < first_allocation || state->space == Space::kHost) continue;
    if (tensor.numel() > 0) made.emplace_back(i, tensor);
  }
  std::string sent;
  {
    const RunningScope open(Running::kAnything);
    for (const c10::IValue& input : inputs) AppendNumbers(&sent, input);
  }
  const auto again = [op, inputs = std::move(inputs), made = std::move(made)] {
    c10::Stack stack = inputs;
    op.callBoxed(&stack);
    for (const auto& [place, tensor] : made) CopyElements(tensor, stack.at(place).toTensor());
  };
  AddSent(order_.current(), std::move(sent), again);
  AddUses(used, {"", 0});
  AddNamed(used);
}

void Replay::NoteConstructed() {
  constructed_ = AllocationCount();
  const RunningScope open(Running::kAnything);
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    if (state.space == Space::kHost || !Reserve(memory.size)) return;
    at_first_[state.number] = std::string(memory.first, memory.size);
  });
}

void Replay::Restore(const Values& values) const {
  const auto found = at_first_.find(values.number);
  if (found != at_first_.end() && found->second.size() == values.bytes.size()) {
    std::memcpy(values.first, found->second.data(), values.bytes.size());
  } else {
    FillFresh(values.first, values.bytes.size());
  }
}

bool Replay::Keeps(const std::set<std::uint64_t>& others) const {
  return std::ranges::any_of(before_, [&](const Values& values) {
    if (others.contains(values.number)) return false;
    const auto first = at_first_.find(values.number);
    return first == at_first_.end() || first->second != values.bytes;
  });
}

void Replay::ChangeInputs() {
  for (const Values& values : std::exchange(changes_, {})) {
    std::memcpy(values.first, values.bytes.data(), values.bytes.size());
  }
}

void Replay::RunChanging(const std::vector<Input>& inputs, unsigned changed_at) {
  struct Ended {
    ~Ended() { step_alarm.at = 0; }
  } ended;
  for (const Input& input : inputs) {
    const auto state = StateOf(input.tensor.storage().data());
    if (!state || input.tensor.numel() == 0) continue;
    auto* const first = static_cast<char*>(input.tensor.storage().mutable_data());
    changes_.push_back({first, std::string(first, input.tensor.storage().nbytes()), state->number});
    // Values that no call has had, as far as possible: each element is the one behind it.
    const at::Tensor values = CopyOf(input.same);
    const std::size_t size = values.nbytes(), item = values.element_size();
    auto* const bytes = static_cast<char*>(values.mutable_data_ptr());
    if (values.is_non_overlapping_and_dense()) std::rotate(bytes, bytes + item, bytes + size);
    CopyElements(input.tensor, values);
  }
  step_alarm.at = step_alarm.steps + 1 + steps_before_ * changed_at / 100;
  step_alarm.ring = [] { TheReplay().ChangeInputs(); };
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (step == second_call_) ChangeInputs();
    steps_[step]();
  }
}

Replay::Outcome Replay::Run(const std::vector<Input>& inputs, const std::vector<at::Tensor>& others,
                            StepOrder order, unsigned changed_at) {
  recording_ = false;
  struct Ended {
    ~Ended() { TheReplay().Drop(); }
  } ended;
  if (!why_not_.empty()) return {why_not_};
  std::set<std::uint64_t> given_before;
  for (const Input& input : inputs) {
    for (const at::Tensor* tensor : {&input.tensor, &input.same, &input.other}) {
      if (const auto state = MemoryOf(*tensor)) given_before.insert(state->number);
    }
  }
  std::string named;
  for (const std::uint64_t number : named_) {
    const bool chosen = number < first_allocation_ && !given_before.contains(number);
    Append(&named, chosen ? MixedBits(number) : 0);
  }
  sent_.insert(sent_.begin(), std::move(named));
  const std::size_t otherwise = sent_before_ ? Differing(sent_, *sent_before_) : 0;
  sent_before_ = std::move(sent_);
  const bool same = BytesToHost() > bytes_to_host_;
  if (same && host_bytes_ > kMostOfHost) {
    return {"its host code reads values of the device, and writes others to it"};
  }
  const bool other_orders = order_.MayDiffer();
  const std::vector<AllocatedMemory> left = AllocatedSince(first_allocation_);
  const RunningScope open(Running::kAnything);
  for (const at::Tensor& tensor : others) {
    if (const auto state = MemoryOf(tensor)) given_before.insert(state->number);
  }
  const bool keeps = Keeps(given_before);
  std::vector<at::Tensor> given;  // The values lie in memory that is filled below.
  for (const Input& input : inputs) given.push_back(CopyOf(same ? input.same : input.other));
  for (const AllocatedMemory& memory : left) {
    FillFresh(memory.first, memory.size);
  }
  for (const Values& values : before_) {
    if (same) {
      Restore(values);
    } else {
      std::memcpy(values.first, values.bytes.data(), values.bytes.size());
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) CopyElements(inputs[i].tensor, given[i]);
  const at::NoGradGuard no_grad;
  // Python that answers for an operator is host code.
  const c10::impl::ExcludeDispatchKeyGuard no_python(
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot}));
  if (changed_at != 0 && !same) {
    RunChanging(inputs, changed_at);
  } else {
    for (const std::size_t step : order_.Ordered(order)) steps_[step]();
  }
  return {"", same, other_orders, otherwise, keeps};
}

void Replay::Drop() {
  recording_ = false;
  why_not_.clear();
  kept_bytes_ = host_bytes_ = 0;
  before_.clear();
  named_.clear();
  changes_.clear();
  second_call_ = 0;
  sent_.clear();
  steps_.clear();
  RetainReleased(false);
}

bool KeepsLaunches() { return TheReplay().recording(); }

void KeepLaunch(const LaunchSpec& spec, void (*thread)(void*), void* kept, void (*drop)(void*),
                const ArgumentBytes* arguments, std::size_t count) {
  const std::shared_ptr<void> context(kept, drop);
  TheReplay().AddWrittenByHost();
  std::string sent;
  for (const unsigned size : {spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y,
                              spec.block.z, static_cast<unsigned>(spec.shared)}) {
    Append(&sent, size);
  }
  std::vector<const void*> used;
  for (std::size_t i = 0; i < count; ++i) {
    AppendArgument(&sent, arguments[i]);
    AppendAddresses(&used, arguments[i]);
  }
  TheReplay().AddSent(spec.stream, std::move(sent),
                      [spec, thread, context] { RunLaunch(spec, thread, context.get()); });
  TheReplay().AddUses(used, spec.site);
  TheReplay().AddNamed(used);
}

}  // namespace kernelmill
