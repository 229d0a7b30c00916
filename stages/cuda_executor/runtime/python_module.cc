// The Python module km_cuda; stages/verify/build/extension_build.h documents it.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <string>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/changing_words.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/kept_variables.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/operator_memory.h"
#include "stages/cuda_executor/runtime/python_extension.h"
#include "stages/cuda_executor/runtime/python_refused_operators.h"
#include "stages/cuda_executor/runtime/python_streams.h"
#include "stages/cuda_executor/runtime/python_value_copy.h"
#include "stages/cuda_executor/runtime/replay/kept_tables.h"
#include "stages/cuda_executor/runtime/replay/replay.h"
#include "stages/cuda_executor/runtime/tensor_moves.h"
#include "stages/cuda_executor/runtime/torch_memory.h"
#include "stages/cuda_executor/runtime/torch_work/torch_moves.h"
#include "stages/cuda_executor/runtime/torch_work/torch_results.h"

namespace kernelmill {
namespace {

PyObject* ObjectOf(const Fault& fault) {
  return Py_BuildValue("{s:s,s:s,s:s,s:s,s:i}", "kind", fault.status.c_str(), "reason",
                       fault.reason.c_str(), "message", fault.message.c_str(), "file",
                       fault.file.c_str(), "line", fault.line);
}
// Returns a new reference, for Py_BuildValue()'s format "N".
PyObject* ObjectOf(const std::optional<AccessCounts>& counts) {
  if (!counts.has_value()) Py_RETURN_NONE;
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "global_load_requests",
                       number(counts->global_load_requests), "global_load_sectors",
                       number(counts->global_load_sectors), "global_store_requests",
                       number(counts->global_store_requests), "global_store_sectors",
                       number(counts->global_store_sectors), "shared_load_requests",
                       number(counts->shared_load_requests), "shared_store_requests",
                       number(counts->shared_store_requests), "bank_conflicts",
                       number(counts->bank_conflicts), "active_lanes", number(counts->active_lanes),
                       "global_atomics", number(counts->global_atomics), "shared_atomics",
                       number(counts->shared_atomics));
}
PyObject* ObjectOf(const LaunchRecord& launch) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue(
      "{s:s,s:s,s:i,s:(III),s:(III),s:n,s:K,s:K,s:K,s:K,s:K,s:K,s:i,s:N}", "kernel",
      launch.kernel.c_str(), "file", launch.file.c_str(), "line", launch.line, "grid",
      launch.grid.x, launch.grid.y, launch.grid.z, "block", launch.block.x, launch.block.y,
      launch.block.z, "shared", static_cast<Py_ssize_t>(launch.shared), "steps",
      number(launch.steps), "blocks_run", number(launch.blocks_run), "first_block_items",
      number(launch.first_block_items), "items", number(launch.items), "items_before",
      number(launch.items_before), "left_pages", number(launch.left_pages), "global_atomics",
      launch.global_atomics ? 1 : 0, "counts", ObjectOf(launch.counts));
}
template <typename Elements>
PyObject* ListOf(const Elements& elements) {
  PyObject* const list = PyList_New(0);
  for (const auto& element : elements) {
    PyObject* const object = ObjectOf(element);
    if (object == nullptr || PyList_Append(list, object) != 0) {
      Py_XDECREF(object);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(object);
  }
  return list;
}

PyObject* Load(PyObject*, PyObject* arguments) {
  const char* path = nullptr;
  if (!PyArg_ParseTuple(arguments, "s", &path)) return nullptr;
  return LoadExtension(path);
}
// Sets Options().sample from {"threads", "part", "seed", "fill", "filled": [[number, bytes of an
// element], …]} and, where they are not as usual, "touched_pages" and "launches"
// (launch_sample.h). Returns false with a Python exception set.
bool SetSample(PyObject* object) {
  static const char* const kNames[] = {"threads", "part",          "seed",     "fill",
                                       "filled",  "touched_pages", "launches", nullptr};
  LaunchSample sample;
  unsigned long long threads = 0, part = 1, seed = 0, launches = sample.launches;
  int touched_pages = 0;
  PyObject* filled = nullptr;
  PyObject* const none = PyTuple_New(0);
  const bool read = PyDict_Check(object) &&
                    PyArg_ParseTupleAndKeywords(
                        none, object, "|$KKKbO!pK", const_cast<char**>(kNames), &threads, &part,
                        &seed, &sample.fill, &PyList_Type, &filled, &touched_pages, &launches) != 0;
  Py_DECREF(none);
  if (!read) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "sample must be a dict");
    return false;
  }
  sample.threads = threads;
  sample.part = part > 0 ? part : 1;
  sample.seed = seed;
  sample.touched_pages = touched_pages != 0;
  sample.launches = launches;
  for (Py_ssize_t i = 0; filled != nullptr && i < PyList_GET_SIZE(filled); ++i) {
    PyObject* const pair = PySequence_Tuple(PyList_GET_ITEM(filled, i));
    unsigned long long number = 0, item = 0;
    const bool pair_read = pair != nullptr && PyArg_ParseTuple(pair, "KK", &number, &item) != 0;
    Py_XDECREF(pair);
    if (!pair_read) return false;
    sample.filled.push_back({number, static_cast<std::size_t>(item)});
  }
  Options().sample = std::move(sample);
  return true;
}
PyObject* Configure(PyObject*, PyObject* arguments, PyObject* named) {
  static const char* const kNames[] = {
      "seed",  "step_budget",  "warp_width",    "run_kernels", "host_by_default", "sample",
      "fresh", "fills_memory", "spread_memory", "as_device",   "residency",       nullptr};
  PyObject* sample = nullptr;
  unsigned long long seed = Options().seed, budget = Options().step_budget;
  int width = Options().warp_width, run_kernels = Options().run_kernels ? 1 : 0;
  int host_by_default = Options().host_by_default ? 1 : 0;
  unsigned fresh = Options().fresh;
  int fills_memory = Options().fills_memory ? 1 : 0;
  int spread_memory = Options().spread_memory ? 1 : 0;
  int as_device = Options().as_device ? 1 : 0;
  unsigned long long residency = Options().residency;
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "|$KKippOIpppK", const_cast<char**>(kNames),
                                   &seed, &budget, &width, &run_kernels, &host_by_default, &sample,
                                   &fresh, &fills_memory, &spread_memory, &as_device, &residency)) {
    return nullptr;
  }
  if (sample == Py_None) {
    Options().sample.reset();
  } else if (sample != nullptr && !SetSample(sample)) {
    return nullptr;
  }
  if (width != 32 && width != 128) {
    PyErr_SetString(PyExc_ValueError, "warp_width must be 32 or 128");
    return nullptr;
  }
  Options().seed = seed;
  Options().fresh = fresh;
  Options().fills_memory = fills_memory != 0;
  Options().spread_memory = spread_memory != 0;
  Options().as_device = as_device != 0;
  Options().residency = residency;
  Options().step_budget = budget;
  Options().run_kernels = run_kernels != 0;
  Options().host_by_default = host_by_default != 0;
  SetWarpWidth(width);
  Py_RETURN_NONE;
}
PyObject* Reset(PyObject*, PyObject* arguments) {
  int keep_attributes = 0;
  if (!PyArg_ParseTuple(arguments, "|p", &keep_attributes)) return nullptr;
  const DeviceState before = Device();
  Log().Reset();
  Device() = DeviceState();
  TheReplay().order().Begin();
  if (keep_attributes != 0) {
    Device().dynamic_shared = before.dynamic_shared;
    Device().stack = before.stack;
  }
  ForgetAccesses();
  Py_RETURN_NONE;
}
PyObject* PutOnDevice(PyObject*, PyObject* tensor) {
  if (THPVariable_Check(tensor)) MoveToDevice(THPVariable_Unpack(tensor));
  Py_RETURN_NONE;
}
PyObject* PutOnHost(PyObject*, PyObject* tensor) {
  if (THPVariable_Check(tensor)) MoveToHost(THPVariable_Unpack(tensor));
  Py_RETURN_NONE;
}
// The result of one of the functions of tensor_moves.h.
template <at::Tensor (*kMove)(const at::Tensor&)>
PyObject* Moved(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(THPVariable_Check(object), "expected a tensor");
  const at::Tensor& tensor = THPVariable_Unpack(object);
  const at::Tensor moved = kMove(tensor);
  return moved.is_same(tensor) ? Py_NewRef(object) : THPVariable_Wrap(moved);
  END_HANDLE_TH_ERRORS
}
PyObject* IsOnDevice(PyObject*, PyObject* object) {
  if (!THPVariable_Check(object)) Py_RETURN_FALSE;
  const std::optional<MemoryState> state = MemoryOf(THPVariable_Unpack(object));
  return PyBool_FromLong(state && state->space == Space::kDevice);
}
PyObject* CallHostCode(PyObject*, PyObject* function) {
  const RunningScope host(Running::kHostCode);
  return PyObject_CallNoArgs(function);
}
PyObject* Record(PyObject*, PyObject*) {
  TheReplay().Begin();
  Py_RETURN_NONE;
}
PyObject* NoteConstructed(PyObject*, PyObject*) {
  TheReplay().NoteConstructed();
  Py_RETURN_NONE;
}
PyObject* NoteCall(PyObject*, PyObject*) {
  TheReplay().NoteCall();
  Py_RETURN_NONE;
}
std::vector<at::Tensor> TensorsOf(PyObject* list);
// The arguments are a list of tuples of tensors, Replay::Input, the name of a StepOrder, and the
// last two of Replay::Run().
PyObject* RunReplay(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject* list = nullptr;
  const char* name = nullptr;
  PyObject* others = nullptr;
  unsigned changed_at = 0;
  if (!PyArg_ParseTuple(arguments, "O!s|O!I", &PyList_Type, &list, &name, &PyList_Type, &others,
                        &changed_at)) {
    return nullptr;
  }
  const auto order = StepOrders().find(name);
  TORCH_CHECK_VALUE(order != StepOrders().end(), "no order of steps is called ", name);
  std::vector<Replay::Input> inputs;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* three[3] = {};
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OOO", &three[0], &three[1], &three[2])) {
      return nullptr;
    }
    for (PyObject* const one : three) {
      TORCH_CHECK_TYPE(THPVariable_Check(one), "three tensors are needed");
    }
    inputs.push_back(
        {THPVariable_Unpack(three[0]), THPVariable_Unpack(three[1]), THPVariable_Unpack(three[2])});
  }
  const Replay::Outcome outcome =
      TheReplay().Run(inputs, others == nullptr ? std::vector<at::Tensor>() : TensorsOf(others),
                      order->second, changed_at);
  return Py_BuildValue("(sOOnO)", outcome.why_not.c_str(), outcome.same_inputs ? Py_True : Py_False,
                       outcome.other_orders ? Py_True : Py_False,
                       static_cast<Py_ssize_t>(outcome.sent_otherwise),
                       outcome.keeps ? Py_True : Py_False);
  END_HANDLE_TH_ERRORS
}
std::vector<at::Tensor> TensorsOf(PyObject* list) {
  TORCH_CHECK_TYPE(PyList_Check(list), "a list of tensors is needed");
  std::vector<at::Tensor> tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    if (THPVariable_Check(item)) tensors.push_back(THPVariable_Unpack(item));
  }
  return tensors;
}
PyObject* FollowResults(PyObject*, PyObject* given) {
  HANDLE_TH_ERRORS
  TheTorchResults().Begin(TensorsOf(given));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* Leave(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject* tensors = nullptr;
  int changed = 0;
  if (!PyArg_ParseTuple(arguments, "O|p", &tensors, &changed)) return nullptr;
  LeaveValues(TensorsOf(tensors), changed != 0);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* MakerOfResults(PyObject*, PyObject* outputs) {
  HANDLE_TH_ERRORS
  const std::string maker = TheTorchResults().MakerOf(TensorsOf(outputs));
  return Py_BuildValue("(ss)", maker.c_str(), TheTorchResults().trace().c_str());
  END_HANDLE_TH_ERRORS
}
PyObject* WorkOfMoves(PyObject*, PyObject*) {
  PyObject* const list = PyList_New(0);
  for (const auto& [kind, name] : TheTorchMoves().found()) {
    PyObject* const found = Py_BuildValue("(ss)", kind.c_str(), name.c_str());
    if (found == nullptr || PyList_Append(list, found) != 0) {
      Py_XDECREF(found);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(found);
  }
  return list;
}
PyObject* CountOfBytesToHost(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(BytesToHost());
}
PyObject* AllocationOf(PyObject*, PyObject* tensor) {
  if (!THPVariable_Check(tensor)) Py_RETURN_NONE;
  const at::Tensor& value = THPVariable_Unpack(tensor);
  if (!value.defined() || !value.has_storage()) Py_RETURN_NONE;
  const std::optional<std::uint64_t> number = AllocationNumber(value.storage().data());
  if (!number) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(*number);
}
PyObject* OperatorsBehind(PyObject*, PyObject*) {
  PyObject* const list = PyList_New(0);
  for (const std::string& name : Log().operators_behind()) {
    PyObject* const text = PyUnicode_FromString(name.c_str());
    if (text == nullptr || PyList_Append(list, text) != 0) {
      Py_XDECREF(text);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(text);
  }
  return list;
}
PyObject* StateOfVariables(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(DigestOfVariables());
}
PyObject* CountOfAllocations(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(AllocationCount());
}
PyObject* HeldBytes(PyObject*, PyObject*) { return PyLong_FromSize_t(BytesHeld()); }
// Calls a function of kept_variables.h or changing_words.h with a number and the memory of tensors.
template <typename Function>
PyObject* WithoutTensors(PyObject* arguments, const Function& function) {
  HANDLE_TH_ERRORS
  unsigned long long before = 0;
  PyObject* skipped = nullptr;
  if (!PyArg_ParseTuple(arguments, "KO", &before, &skipped)) return nullptr;
  std::set<const void*> without;
  for (const at::Tensor& tensor : TensorsOf(skipped)) without.insert(tensor.storage().data());
  return function(before, without);
  END_HANDLE_TH_ERRORS
}
PyObject* StateOfMemory(PyObject*, PyObject* arguments) {
  return WithoutTensors(arguments, [](std::uint64_t before, const auto& without) {
    return PyLong_FromUnsignedLongLong(DigestOfMemory(before, without));
  });
}
PyObject* NoteChangesOfMemory(PyObject*, PyObject* arguments) {
  return WithoutTensors(arguments, [](std::uint64_t before, const auto& without) {
    NoteChanges(before, without);
    return Py_NewRef(Py_None);
  });
}
PyObject* NoteKeptTables(PyObject*, PyObject* arguments) {
  return WithoutTensors(arguments, [](std::uint64_t before, const auto& without) {
    return PyLong_FromSize_t(NoteTables(before, without));
  });
}
PyObject* SwapInKeptTables(PyObject*, PyObject* seed) {
  SwapInTables(PyLong_AsUnsignedLongLongMask(seed));
  Py_RETURN_NONE;
}
PyObject* DisturbMemory(PyObject*, PyObject*) { return PyLong_FromSize_t(DisturbChanging()); }
PyObject* Launches(PyObject*, PyObject*) { return ListOf(Log().launches()); }
PyObject* LaunchCount(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(Log().launch_count());
}
PyObject* Begin(PyObject*, PyObject*) {
  WatchMemory();
  Py_RETURN_NONE;
}
PyObject* Findings(PyObject*, PyObject*) { return ListOf(Log().findings()); }
PyObject* FaultOf(PyObject*, PyObject*) {
  if (TheReplay().order().ChangedStaged()) {
    Log().SetFault({"race", "staged_copy",
                    "host code changes pinned memory that an asynchronous copy reads before it "
                    "waits for the copy",
                    "", 0});
  }
  if (!Log().fault().has_value()) Py_RETURN_NONE;
  return ObjectOf(*Log().fault());
}

PyMethodDef kMethods[] = {
    {"load", Load, METH_VARARGS,
     "Loads an extension's library and returns an object with its functions."},
    {"configure", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&Configure)),
     METH_VARARGS | METH_KEYWORDS,
     "Sets seed, step_budget, warp_width, run_kernels, host_by_default, sample, fresh, "
     "fills_memory, spread_memory, as_device and residency of later launches "
     "(execution_options.h)."},
    {"reset", Reset, METH_VARARGS,
     "Clears launches, findings, the fault and the last error, and what cudaFuncSetAttribute() and "
     "cudaDeviceSetLimit() have allowed unless the argument is true."},
    {"put_on_device", PutOnDevice, METH_O, "From now on host code must not access the tensor."},
    {"put_on_host", PutOnHost, METH_O, "From now on kernels must not access the tensor."},
    {"to_host", Moved<ToHost>, METH_O, "The tensor in host memory: a copy, or itself."},
    {"to_device", Moved<ToDevice>, METH_O, "The tensor in device memory: a copy, or itself."},
    {"to_pinned", Moved<ToPinned>, METH_O, "A copy that host code and kernels may access."},
    {"is_on_device", IsOnDevice, METH_O, "Whether host code must not access the tensor."},
    {"call", CallHostCode, METH_O,
     "Calls the function as host code: device memory is closed to it."},
    {"record", Record, METH_NOARGS, "Begins to record what changes device memory (replay.h)."},
    {"note_call", NoteCall, METH_NOARGS, "A second call begins in the record."},
    {"replay", RunReplay, METH_VARARGS,
     "Ends the record and runs it with other inputs: a list of tuples of tensors, each an input, "
     "one with its values and one with its other values; and in the order of a name "
     "(replay/stream_order.h). Further: a list of tensors of earlier calls, and when the inputs "
     "change "
     "in the first call. Returns why it did not run, or an empty text, whether it ran with the "
     "same "
     "inputs, whether streams allow other orders, how many bytes that the host sent are others "
     "than "
     "in the record before, and whether earlier calls have left anything in memory."},
    {"new_stream", NewStream, METH_NOARGS, "Another stream of torch's pool (python_streams.h)."},
    {"current_stream", CurrentStreamNumber, METH_NOARGS, "The stream of torch's operators."},
    {"use_stream", UseStream, METH_VARARGS, "Makes a stream that of torch's operators."},
    {"new_event", NewEvent, METH_NOARGS, "A new event."},
    {"drop_event", DropEvent, METH_VARARGS, "Ends an event."},
    {"record_event", RecordEvent, METH_VARARGS, "Records an event in a stream."},
    {"stream_waits", StreamWaits, METH_VARARGS, "A stream waits for an event."},
    {"wait_for_stream", WaitForStream, METH_VARARGS, "The host waits for a stream."},
    {"wait_for_event", WaitForEvent, METH_VARARGS, "The host waits for an event."},
    {"wait_for_all", WaitForAll, METH_NOARGS, "The host waits for everything."},
    {"share_memory", ShareMemory, METH_VARARGS, "Another stream uses the memory of a tensor."},
    {"follow_results", FollowResults, METH_O,
     "Begins to find what torch makes of a list of given tensors alone (torch_results.h)."},
    {"leave", Leave, METH_VARARGS,
     "From now on new memory holds what a list of tensors holds now, or if the second argument is "
     "true, some other values too (torch_memory.h)."},
    {"maker_of", MakerOfResults, METH_O,
     "Ends that. The operator that has made one of a list of outputs, or an empty text, and the "
     "trace of the call."},
    {"work_of_moves", WorkOfMoves, METH_NOARGS,
     "What operators that move data have computed since follow_results(): their kinds "
     "(torch_moves.h) and names."},
    {"note_constructed", NoteConstructed, METH_NOARGS,
     "Memory that is allocated from now on is what forward() leaves, but for inputs."},
    {"bytes_to_host", CountOfBytesToHost, METH_NOARGS,
     "How many bytes of the device's values host code could have read so far."},
    {"allocation_of", AllocationOf, METH_O,
     "The number of allocations between the last reset and the tensor's, or None."},
    {"operators_behind", OperatorsBehind, METH_NOARGS,
     "Operators that ran after the first sampled launch."},
    {"state", StateOfVariables, METH_NOARGS,
     "A digest of the variables that keep values from call to call (kept_variables.h)."},
    {"allocations", CountOfAllocations, METH_NOARGS, "The number of allocations so far."},
    {"held_bytes", HeldBytes, METH_NOARGS,
     "The bytes that host code has allocated by the runtime's functions and not freed."},
    {"memory", StateOfMemory, METH_VARARGS,
     "A digest of what allocations before a number hold, but for a list of tensors."},
    {"note_changes", NoteChangesOfMemory, METH_VARARGS,
     "Compares what the same memory holds with what it held before (changing_words.h)."},
    {"disturb", DisturbMemory, METH_NOARGS,
     "Gives other values to its words that go on changing, and returns how many they are."},
    {"note_tables", NoteKeptTables, METH_VARARGS,
     "Looks for tables in the same memory (replay/kept_tables.h), and returns how many there are."},
    {"swap_in_tables", SwapInKeptTables, METH_O, "Lets some of their elements change places."},
    {"launches", Launches, METH_NOARGS, "The first 10,000 launches since the last reset."},
    {"launch_count", LaunchCount, METH_NOARGS, "The number of launches since the last reset."},
    {"findings", Findings, METH_NOARGS, "Errors that did not end a launch."},
    {"begin", Begin, METH_NOARGS,
     "Called first in the process that runs a candidate: collects what the sanitizer reports."},
    {"gate_operators", GateOperators, METH_VARARGS,
     "Prepares refuse_operators() with the same list, before the process forks."},
    {"refuse_operators", RefuseOperators, METH_VARARGS,
     "From now on torch's operators raise, but for those that a list names."},
    {"refused_operators", RefusedOperators, METH_NOARGS,
     "Names and lines of the operators that have raised so."},
    {"counted_up", CountedUp, METH_NOARGS, "How many calls of such operators have only counted."},
    {"copy_values", CopyValues, METH_VARARGS,
     "Copies the values of a tensor to another one without an operator."},
    {"digest_of_values", DigestOfValues, METH_O,
     "A number that tells whether the values of a tensor have changed."},
    {"fault", FaultOf, METH_NOARGS, "The fault that ended a launch, or None."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "km_cuda",
                       "Runs CUDA kernels on the CPU.",
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace kernelmill

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_km_cuda() {
  kernelmill::WatchTorch();
  kernelmill::NoteTorchsOperators();
  kernelmill::WatchHostCode();
  PyObject* const module = PyModule_Create(&kernelmill::kModule);
  if (module != nullptr) {
    PyModule_AddIntConstant(module, "multiprocessors", kernelmill::MultiprocessorCount());
  }
  return module;
}
