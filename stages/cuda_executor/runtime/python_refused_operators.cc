#include "stages/cuda_executor/runtime/python_refused_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <sys/mman.h>
#include <torch/csrc/Exceptions.h>

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/dispatch_tables.h"
#include "stages/cuda_executor/runtime/torch_memory.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostCalls = 64;
constexpr std::string_view kNamespace = "aten::";

// The kernels behind open gates, in memory of their own: closing the gates takes it away, so that
// nothing can open them again.
class OpenGates {
 public:
  OpenGates()
      : region_(mmap(nullptr, kReserved, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    TORCH_CHECK(region_ != MAP_FAILED, "no memory for the kernels of torch's operators");
    memory_ = new std::pmr::monotonic_buffer_resource(region_, kReserved,
                                                      std::pmr::null_memory_resource());
    behind_ = new (memory_->allocate(sizeof(*behind_))) Behind(memory_);
  }

  void Set(const c10::OperatorHandle& op, const c10::KernelFunction& gate) {
    const auto [place, fresh] = behind_->try_emplace(NameOf(op));
    if (!fresh) return;
    place->second = new (memory_->allocate(sizeof(OperatorKernels)))
        OperatorKernels(KernelsOf(op, memory_));
    ReplaceKernels(op, gate);
  }
  // Gives the operator back what it had. False if it has had it back before, or never had a gate.
  bool Open(const c10::OperatorHandle& op, const c10::KernelFunction& gate) {
    const auto place = behind_->find(NameOf(op));
    if (place == behind_->end() || place->second == nullptr) return false;
    RestoreKernels(op, *place->second, gate);
    place->second = nullptr;
    return true;
  }
  void Close() { munmap(region_, kReserved); }

 private:
  using Behind = std::pmr::unordered_map<std::pmr::string, OperatorKernels*>;
  static constexpr std::size_t kReserved = std::size_t{1} << 28;  // Some 30 MB are used.

  std::pmr::string NameOf(const c10::OperatorHandle& op) const {
    return std::pmr::string(c10::toString(op.operator_name()), std::pmr::new_delete_resource());
  }

  void* region_;
  std::pmr::monotonic_buffer_resource* memory_;
  Behind* behind_;
};

// Never destroyed. Python has no access to any of it.
struct Refusals {
  std::mutex mutex;
  std::vector<std::string> known;  // Names of torch's operators, sorted.
  OpenGates* open = nullptr;       // Null when there are none, or when they are closed.
  std::string file;                // The candidate's.
  std::vector<std::pair<std::string, int>> calls;
  std::atomic<long> counted = 0;  // Calls for which CountsUp() was true.
};
Refusals& All() {
  static auto* const all = new Refusals;
  return *all;
}

// The innermost line of the candidate on this thread's stack; 0 if there is none.
int LineOfCandidate(const std::string& file) {
  const PyGILState_STATE state = PyGILState_Ensure();  // Callers of operators have released it.
  int line = 0;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr && line == 0) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const char* const name = PyUnicode_AsUTF8(code->co_filename);
    if (name != nullptr && file == name) line = PyFrame_GetLineNumber(frame);
    Py_DECREF(code);
    PyFrameObject* const outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  PyGILState_Release(state);
  return line;
}

const c10::KernelFunction& Gate();

bool Opened(const c10::OperatorHandle& op) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  return All().open != nullptr && All().open->Open(op, Gate());
}

[[noreturn]] void Refuse(const std::string& name) {
  const int line = LineOfCandidate(All().file);
  {
    const std::lock_guard<std::mutex> lock(All().mutex);
    auto& calls = All().calls;
    const bool known = std::any_of(calls.begin(), calls.end(),
                                   [&](const auto& call) { return call.first == name; });
    if (!known && calls.size() < kMostCalls) calls.emplace_back(name, line);
  }
  TORCH_CHECK(false, "forward() may not call torch's operator ", name,
              ": an answer computes in kernels of its own, and of torch it may use allocation, "
              "views and copies only");
}

// Whether it adds a number of Python's to a tensor of one integer: num_batches_tracked.add_(1), as
// torch's norms do. A counter is no work of the task's, and is counted here.
bool CountsUp(const c10::OperatorHandle& op, c10::Stack* stack) {
  constexpr std::size_t kArguments = 3;  // self, other, alpha
  if (op.operator_name() != c10::OperatorName{"aten::add_", "Tensor"}) return false;
  const auto arguments = torch::jit::last(*stack, kArguments);
  if (!arguments[0].isTensor() || !arguments[1].isTensor() || !arguments[2].isScalar())
    return false;
  const at::Tensor counter = arguments[0].toTensor(), number = arguments[1].toTensor();
  const bool of_python = number.unsafeGetTensorImpl()->is_wrapped_number();
  if (counter.scalar_type() != at::kLong || counter.numel() != 1 || !of_python ||
      number.scalar_type() != at::kLong || !arguments[2].toScalar().isIntegral(false)) {
    return false;
  }
  {
    const RunningScope open(Running::kAnything);
    *counter.mutable_data_ptr<std::int64_t>() +=
        *number.const_data_ptr<std::int64_t>() * arguments[2].toScalar().toLong();
  }
  torch::jit::drop(*stack, kArguments);
  stack->emplace_back(counter);
  ++All().counted;
  return true;
}

// Stands in the dispatcher's table for every kernel of a gated operator.
void OnGate(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  if (Opened(op)) return op.redispatchBoxed(keys, stack);
  if (!CountsUp(op, stack)) Refuse(op.operator_name().name);
}

const c10::KernelFunction& Gate() {
  static const auto gate = c10::KernelFunction::makeFromBoxedFunction<&OnGate>();
  return gate;
}

bool SetOf(PyObject* list, std::set<std::string, std::less<>>* names) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const char* const name = PyUnicode_AsUTF8(PyList_GET_ITEM(list, i));
    if (name == nullptr) return false;
    names->insert(name);
  }
  return true;
}

bool IsAllowed(const std::string& name, const std::set<std::string, std::less<>>& allowed) {
  return name.starts_with(kNamespace) && allowed.contains(name.substr(kNamespace.size()));
}

// Calls `use` for each of torch's operators that `list` does not name. False with a Python error.
template <typename Use>
bool ForEachRefused(PyObject* list, const Use& use) {
  std::set<std::string, std::less<>> allowed;
  if (!SetOf(list, &allowed)) return false;
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (IsAllowed(name.name, allowed)) continue;
    if (!std::binary_search(All().known.begin(), All().known.end(), name.name)) continue;
    if (const auto op = dispatcher.findOp(name)) use(*op);
  }
  return true;
}

}  // namespace

void NoteTorchsOperators() { All().known = KnownOperators(); }

bool IsBehindOpenGate(const c10::OperatorHandle& op) {
  return All().open != nullptr && HasOnly(op, Gate());
}

PyObject* GateOperators(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject* list = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!", &PyList_Type, &list)) return nullptr;
  if (All().open == nullptr) All().open = new OpenGates;
  const bool done =
      ForEachRefused(list, [](const c10::OperatorHandle& op) { All().open->Set(op, Gate()); });
  if (!done) return nullptr;
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* RefuseOperators(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject* list = nullptr;
  const char* file = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &list, &file)) return nullptr;
  All().file = file;
  {
    // First, so that none opens while the others are set.
    const std::lock_guard<std::mutex> lock(All().mutex);
    if (All().open != nullptr) All().open->Close();
    All().open = nullptr;
  }
  // Writes only to tables that have changed: each page that is written to is copied, because it is
  // shared with other processes.
  const bool done = ForEachRefused(list, [](const c10::OperatorHandle& op) {
    if (!HasOnly(op, Gate())) ReplaceKernels(op, Gate());
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* CountedUp(PyObject*, PyObject*) { return PyLong_FromLong(All().counted); }

PyObject* RefusedOperators(PyObject*, PyObject*) {
  PyObject* const list = PyList_New(0);
  const std::lock_guard<std::mutex> lock(All().mutex);
  for (const auto& [name, line] : All().calls) {
    PyObject* const call = Py_BuildValue("(si)", name.c_str(), line);
    if (call == nullptr || PyList_Append(list, call) != 0) {
      Py_XDECREF(call);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(call);
  }
  return list;
}

}  // namespace kernelmill
