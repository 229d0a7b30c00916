#include "stages/cuda_executor/runtime/torch_memory.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"

namespace kernelmill {
namespace {

class PagedAllocator final : public at::Allocator {
 public:
  at::DataPtr allocate(std::size_t size) override {
    if (size == 0) return {nullptr, nullptr, &ReleaseMemory, at::Device(at::kCPU)};
    void* const memory = AllocateIn(Space::kUnknown, size);
    // Callers recognise by this text that torch's own allocator is out of memory.
    TORCH_CHECK(memory != nullptr, "DefaultCPUAllocator: can't allocate memory: ", size, " bytes");
    return {memory, memory, &ReleaseMemory, at::Device(at::kCPU)};
  }
  at::DeleterFnPtr raw_deleter() const override { return &ReleaseMemory; }
  void copy_data(void* to, const void* from, std::size_t size) const override {
    std::memcpy(to, from, size);
  }
};

std::set<std::string, std::less<>>& ExtensionOperators() {
  static auto* const names = new std::set<std::string, std::less<>>;
  return *names;
}

// Recognises `.to(device)`, `.cuda()` and `.cpu()`, which copy on a device but return the same
// tensor here.
bool MovesTensor(std::string_view name, c10::ArrayRef<const c10::IValue> inputs) {
  if (name != "aten::to" || inputs.size() < 2 || !inputs[0].isTensor()) return false;
  return inputs[1].isTensor() || std::any_of(inputs.begin() + 1, inputs.end(),
                                             [](const auto& input) { return input.isDevice(); });
}

// Whether an operator creates a tensor from numbers without naming a device. The tensor is on the
// host.
bool MakesHostTensor(c10::ArrayRef<const c10::IValue> inputs) {
  return Options().host_by_default &&
         std::none_of(inputs.begin(), inputs.end(), [](const auto& input) {
           return input.isTensor() || input.isTensorList() || input.isDevice();
         });
}

struct OperatorScope final : at::ObserverContext {
  OperatorScope(Running running, const char* name) : scope(running, name) {}
  RunningScope scope;
  bool makes_host_tensor = false;
};

void SetSpaceOf(const at::Tensor& tensor, Space space) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  const c10::Storage& storage = tensor.storage();
  SetSpace(storage.data(), storage.nbytes(), space);
}

std::unique_ptr<at::ObserverContext> OnOperator(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  if (Options().sample && Log().launch_count() > 0) Log().NoteOperatorBehind(name);
  if (MovesTensor(name, call.inputs())) SetSpaceOf(call.inputs()[0].toTensor(), Space::kBoth);
  if (!ExtensionOperators().empty() && ExtensionOperators().contains(name)) {
    return std::make_unique<OperatorScope>(Running::kHostCode, call.name());
  }
  if (WhoRuns() != Running::kHostCode) return nullptr;
  auto scope = std::make_unique<OperatorScope>(Running::kAnything, nullptr);
  scope->makes_host_tensor = MakesHostTensor(call.inputs());
  return scope;
}

void AfterOperator(const at::RecordFunction& call, at::ObserverContext* context) {
  const auto* const scope = static_cast<OperatorScope*>(context);
  if (scope == nullptr || !scope->makes_host_tensor) return;
  for (const c10::IValue& output : call.outputs()) {
    if (output.isTensor()) MoveToHost(output.toTensor());
  }
}

}  // namespace

void WatchTorch() {
  static PagedAllocator* const allocator = new PagedAllocator;
  c10::SetCPUAllocator(allocator, 1);
  at::addGlobalCallback(at::RecordFunctionCallback(OnOperator, AfterOperator)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

std::vector<std::string> KnownOperators() {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    names.push_back(name.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void AddExtensionOperators(const std::vector<std::string>& known_before) {
  for (const std::string& name : KnownOperators()) {
    if (!std::binary_search(known_before.begin(), known_before.end(), name)) {
      ExtensionOperators().insert(name);
    }
  }
}

void MoveToDevice(const at::Tensor& tensor) { SetSpaceOf(tensor, Space::kDevice); }
void MoveToHost(const at::Tensor& tensor) {
  if (tensor.defined() && tensor.has_storage() && IsAllocated(tensor.storage().data())) {
    SetSpaceOf(tensor, Space::kHost);
  }
}
void ShareMemory(const at::Tensor& tensor) { SetSpaceOf(tensor, Space::kBoth); }

}  // namespace kernelmill
