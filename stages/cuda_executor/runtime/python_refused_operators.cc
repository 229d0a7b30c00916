#include "stages/cuda_executor/runtime/python_refused_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <torch/csrc/Exceptions.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/dispatch_tables.h"
#include "stages/cuda_executor/runtime/torch_memory.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostCalls = 64;
constexpr std::string_view kNamespace = "aten::";

// Never destroyed. Python has no access to any of it.
struct Refusals {
  std::mutex mutex;
  std::vector<std::string> known;  // Names of torch's operators, sorted.
  std::set<std::string, std::less<>> refused;
  std::string file;  // The candidate's.
  std::vector<std::pair<std::string, int>> calls;
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

// Stands in the dispatcher's table for every kernel of a refused operator.
void Refuse(const c10::OperatorHandle& op, c10::Stack*) {
  const std::string& name = op.operator_name().name;
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

void RefuseOne(const c10::OperatorHandle& op) {
  static const auto refuse = c10::KernelFunction::makeFromBoxedFunction<&Refuse>();
  ReplaceKernels(op, refuse);
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

}  // namespace

void NoteTorchsOperators() { All().known = KnownOperators(); }

PyObject* RefuseOperators(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject* list = nullptr;
  const char* file = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &list, &file)) return nullptr;
  std::set<std::string, std::less<>> allowed;
  if (!SetOf(list, &allowed)) return nullptr;
  All().file = file;
  std::vector<std::string> now;
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (IsAllowed(name.name, allowed) || All().refused.contains(name.name)) continue;
    if (!std::binary_search(All().known.begin(), All().known.end(), name.name)) continue;
    if (const auto op = dispatcher.findOp(name)) RefuseOne(*op);
    now.push_back(name.name);
  }
  All().refused.insert(now.begin(), now.end());
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

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
