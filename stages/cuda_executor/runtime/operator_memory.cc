#include "stages/cuda_executor/runtime/operator_memory.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stages/cuda_executor/runtime/dispatch_tables.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/python_refused_operators.h"
#include "stages/cuda_executor/runtime/replay/replay.h"
#include "stages/cuda_executor/runtime/torch_work/torch_results.h"

namespace kernelmill {
namespace {

struct OperatorFacts {
  std::vector<bool> written;    // For each argument: whether the operator writes to it.
  bool reads_values = true;     // Not if it takes only shape and type from its tensors.
  bool returns_number = false;  // Whether it returns what it has read.
  bool overwrites = false;      // Whether nothing stays of the tensor that it writes.
  bool allocates = false;       // Whether it makes a tensor whose values nothing has set.
  bool tells_size = false;      // Whether the values of its operands decide the size of its result.
  // For each argument: whether its values can only show in the sizes of views that it returns.
  std::vector<bool> splits;

  std::optional<c10::OperatorHandle> handle;
  std::uint64_t kernels = 0;  // DigestOfKernels() before the candidate was imported.

  bool HasItsKernels() const {
    return DigestOfKernels(*handle) == kernels || IsBehindOpenGate(*handle);
  }
};

OperatorFacts FactsOf(const c10::FunctionSchema& schema) {
  OperatorFacts facts;
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::AliasInfo* const alias = argument.alias_info();
    facts.written.push_back(alias != nullptr && alias->isWrite());
  }
  // By torch's convention, empty_like() and new_empty() name what takes no values.
  const std::string_view name = schema.name();
  facts.reads_values = !name.ends_with("_like") && !name.starts_with("aten::new_");
  facts.overwrites = name == "aten::copy_" || name == "aten::fill_" || name == "aten::zero_";
  facts.allocates = name == "aten::empty" || name == "aten::empty_strided" ||
                    name == "aten::empty_like" || name == "aten::new_empty" ||
                    name == "aten::new_empty_strided";
  facts.returns_number = name == "aten::_local_scalar_dense" || name == "aten::equal";
  // By torch's convention, expand_as() takes only the shape of another tensor. The result of to()
  // has its type.
  const bool takes_values = facts.reads_values && !name.ends_with("_as") && name != "aten::to";
  const auto is_view_of = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && !argument.alias_info()->isWrite();
  };
  const bool views = std::any_of(schema.arguments().begin(), schema.arguments().end(), is_view_of);
  for (const c10::Argument& argument : schema.arguments()) {
    facts.splits.push_back(takes_values && views && argument.alias_info() == nullptr);
  }
  return facts;
}

// Torch's own operators by the address of their names. The address tells an operator that the
// dispatcher calls from a record that has only the same name.
const std::unordered_map<const char*, OperatorFacts>& TorchOperators() {
  static const auto* const operators = [] {
    auto* const table = new std::unordered_map<const char*, OperatorFacts>;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      const auto found = dispatcher.findSchema(name);
      if (!found) continue;
      const c10::FunctionSchema& schema = found->schema();
      OperatorFacts& facts = table->emplace(schema.name().c_str(), FactsOf(schema)).first->second;
      facts.handle = found;
      facts.kernels = DigestOfKernels(*found);
      facts.tells_size = found->hasTag(at::Tag::dynamic_output_shape);
    }
    return table;
  }();
  return *operators;
}

// Whether Python answers for the operator. It calls the operator again for the work.
bool RunsPython(c10::ArrayRef<const c10::IValue> inputs) {
  if (c10::impl::TorchDispatchModeTLS::any_modes_set()) return true;
  for (const c10::IValue& input : inputs) {
    if (input.isTensor() && input.toTensor().defined() &&
        input.toTensor().key_set().has(c10::DispatchKey::Python)) {
      return true;
    }
  }
  return false;
}

template <typename Visit>
void ForEachTensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isTensorList() || value.isList()) {
    for (const c10::IValue& element : value.toListRef()) ForEachTensor(element, visit);
  }
}

// What the tensors that an operator takes tell of those that it makes.
struct Operands {
  bool device_data = false, on_device = false;
  bool any = false, all_on_host = true;
  bool names_device = false;
};

Operands OperandsOf(c10::ArrayRef<const c10::IValue> inputs) {
  Operands operands;
  for (const c10::IValue& input : inputs) {
    operands.names_device = operands.names_device || input.isDevice();
    ForEachTensor(input, [&](const at::Tensor& tensor) {
      operands.any = true;
      const std::optional<MemoryState> state = MemoryOf(tensor);
      if (!state) return;
      operands.device_data = operands.device_data || state->device_data;
      operands.on_device = operands.on_device || state->space == Space::kDevice;
      operands.all_on_host = operands.all_on_host && state->space == Space::kHost;
    });
  }
  return operands;
}

// The space of what an operator makes.
Space SpaceOfResult(const Operands& operands) {
  // Torch makes a tensor on the host if no tensor and no device is given.
  if (!operands.any && !operands.names_device) {
    return Options().host_by_default ? Space::kHost : Space::kUnknown;
  }
  if (operands.names_device || !operands.any) return Space::kUnknown;
  if (operands.on_device) return Space::kDevice;
  return operands.all_on_host ? Space::kHost : Space::kUnknown;
}

// The host has waited for values that it reads.
void CountRead(std::size_t bytes) {
  TheReplay().order().HostWaitsFor(CurrentStream());
  CountToHost(bytes);
}

// Notes what an operator writes into tensors that it is given.
void NoteWritten(const OperatorFacts& facts, c10::ArrayRef<const c10::IValue> inputs) {
  for (std::size_t i = 0; i < inputs.size() && i < facts.written.size(); ++i) {
    if (!facts.written[i]) continue;
    ForEachTensor(inputs[i], [](const at::Tensor& tensor) {
      if (!tensor.has_storage() || tensor.numel() == 0) return;
      const std::optional<MemoryState> state = MemoryOf(tensor);
      if (!state || state->space == Space::kHost) {
        CountRead(tensor.nbytes());
      } else if (!state->device_data) {
        SetState(tensor.storage().data(), state->space, true);
      }
    });
  }
}

// Counts values that the host can tell from the sizes of what an operator returns.
void CountInSizes(const OperatorFacts& facts, c10::ArrayRef<const c10::IValue> inputs) {
  if (facts.tells_size) CountRead(sizeof(std::int64_t));
  for (std::size_t i = 0; i < inputs.size() && i < facts.splits.size(); ++i) {
    if (!facts.splits[i]) continue;
    ForEachTensor(inputs[i], [](const at::Tensor& tensor) {
      const std::optional<MemoryState> state = MemoryOf(tensor);
      if (state && state->device_data) CountRead(tensor.nbytes());
    });
  }
}

std::size_t ElementSize(c10::ArrayRef<const c10::IValue> inputs) {
  const bool tensor = !inputs.empty() && inputs[0].isTensor() && inputs[0].toTensor().defined();
  return tensor ? inputs[0].toTensor().element_size() : 1;
}

struct OperatorScope final : at::ObserverContext {
  OperatorScope(Running running, const char* function) : scope(running, function) {}
  RunningScope scope;
  const OperatorFacts* facts = nullptr;  // Only for torch's operators.
  Operands operands;
  std::uint64_t first_allocation = 0;
  std::optional<c10::OperatorHandle> kept;  // Only while a call is recorded, with its inputs.
  c10::Stack inputs;
  std::optional<TorchResults::Operands> followed;
};

// Whether an operator has made or written memory that is not the host's.
bool ChangesDevice(const OperatorScope& scope, const c10::Stack& outputs) {
  bool changes = false;
  const auto look = [&](const at::Tensor& tensor, std::uint64_t from) {
    const std::optional<MemoryState> state = MemoryOf(tensor);
    changes = changes || (state && state->number >= from && state->space != Space::kHost);
  };
  for (const c10::IValue& output : outputs) {
    ForEachTensor(output, [&](const at::Tensor& tensor) { look(tensor, scope.first_allocation); });
  }
  for (std::size_t i = 0; i < scope.inputs.size() && i < scope.facts->written.size(); ++i) {
    if (!scope.facts->written[i]) continue;
    ForEachTensor(scope.inputs[i], [&](const at::Tensor& tensor) { look(tensor, 0); });
  }
  return changes;
}

std::unique_ptr<at::ObserverContext> OnOperator(const at::RecordFunction& call) {
  if (Options().sample && Log().launch_count() > 0) Log().NoteOperatorBehind(call.name());
  const auto known = TorchOperators().find(call.name());
  if (known == TorchOperators().end() || !known->second.HasItsKernels()) {
    if (!call.operator_name()) return nullptr;
    return std::make_unique<OperatorScope>(Running::kHostCode, call.name());
  }
  const OperatorFacts& facts = known->second;
  const Running running = WhoRuns();
  if (running == Running::kOperator && facts.returns_number &&
      OperandsOf(call.inputs()).device_data) {
    CountRead(ElementSize(call.inputs()));
  }
  if (running != Running::kHostCode || RunsPython(call.inputs())) return nullptr;
  auto scope = std::make_unique<OperatorScope>(Running::kOperator, nullptr);
  scope->facts = &facts;
  scope->operands = OperandsOf(call.inputs());
  if (TheReplay().recording() && call.operator_name()) {
    scope->kept = c10::Dispatcher::singleton().findOp(*call.operator_name());
    scope->inputs = TheReplay().KeptInputs(call.inputs());
  }
  // New memory may hold the values that an earlier call has left: the operator has not made them.
  if (TheTorchResults().active() && !facts.allocates) {
    scope->followed =
        TheTorchResults().Before(call.inputs(), facts.written, facts.overwrites);
  }
  scope->first_allocation = AllocationCount();
  if (scope->operands.device_data && facts.reads_values) {
    NoteWritten(facts, call.inputs());
    if (facts.returns_number) CountRead(ElementSize(call.inputs()));
    CountInSizes(facts, call.inputs());
  }
  return scope;
}

void AfterOperator(const at::RecordFunction& call, at::ObserverContext* context) {
  auto* const scope = static_cast<OperatorScope*>(context);
  if (scope == nullptr || scope->facts == nullptr) return;
  std::vector<at::Tensor> made;
  for (const c10::IValue& output : call.outputs()) {
    ForEachTensor(output, [&](const at::Tensor& tensor) {
      const std::optional<MemoryState> state = MemoryOf(tensor);
      if (!state || state->number < scope->first_allocation) return;
      made.push_back(tensor);
      SetState(tensor.storage().data(), SpaceOfResult(scope->operands),
               scope->operands.device_data && scope->facts->reads_values);
    });
  }
  if (scope->followed) {
    made.insert(made.end(), scope->followed->written.begin(), scope->followed->written.end());
    TheTorchResults().After(call.name(), *scope->followed, made);
  }
  // A replay fills all new memory itself.
  if (!scope->kept || scope->facts->allocates || !ChangesDevice(*scope, call.outputs())) return;
  TheReplay().AddOperator(*scope->kept, std::move(scope->inputs), call.outputs(),
                          scope->first_allocation);
}

}  // namespace

void WatchOperators() {
  TorchOperators();
  at::addGlobalCallback(at::RecordFunctionCallback(OnOperator, AfterOperator)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

std::optional<MemoryState> MemoryOf(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return std::nullopt;
  return StateOf(tensor.storage().data());
}

}  // namespace kernelmill
