#include "stages/cuda_executor/runtime/python_streams.h"

#include "stages/cuda_executor/runtime/replay/replay.h"

namespace kernelmill {
namespace {

template <typename Handle>
Handle FromNumber(unsigned long long number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}
PyObject* NumberOf(const void* handle) {
  return PyLong_FromUnsignedLongLong(reinterpret_cast<std::uintptr_t>(handle));
}

// Calls `apply` with the handles that the arguments give the numbers of.
template <typename Handle, typename Apply>
PyObject* WithOne(PyObject* arguments, const Apply& apply) {
  unsigned long long number = 0;
  if (!PyArg_ParseTuple(arguments, "K", &number)) return nullptr;
  apply(FromNumber<Handle>(number));
  Py_RETURN_NONE;
}
template <typename First, typename Second, typename Apply>
PyObject* WithTwo(PyObject* arguments, const Apply& apply) {
  unsigned long long first = 0, second = 0;
  if (!PyArg_ParseTuple(arguments, "KK", &first, &second)) return nullptr;
  apply(FromNumber<First>(first), FromNumber<Second>(second));
  Py_RETURN_NONE;
}

StreamOrder& Order() { return TheReplay().order(); }

}  // namespace

PyObject* NewStream(PyObject*, PyObject*) { return NumberOf(StreamOfPool()); }
PyObject* CurrentStreamNumber(PyObject*, PyObject*) { return NumberOf(CurrentStream()); }
PyObject* UseStream(PyObject*, PyObject* arguments) {
  return WithOne<cudaStream_t>(arguments, SetCurrentStream);
}
PyObject* NewEvent(PyObject*, PyObject*) { return NumberOf(Order().NewEvent()); }
PyObject* DropEvent(PyObject*, PyObject* arguments) {
  return WithOne<cudaEvent_t>(arguments, [](auto event) { Order().DropEvent(event); });
}
PyObject* RecordEvent(PyObject*, PyObject* arguments) {
  return WithTwo<cudaEvent_t, cudaStream_t>(
      arguments, [](auto event, auto stream) { Order().Record(event, stream); });
}
PyObject* StreamWaits(PyObject*, PyObject* arguments) {
  return WithTwo<cudaStream_t, cudaEvent_t>(
      arguments, [](auto stream, auto event) { Order().Wait(stream, event); });
}
PyObject* WaitForStream(PyObject*, PyObject* arguments) {
  return WithOne<cudaStream_t>(arguments, [](auto stream) { Order().HostWaitsFor(stream); });
}
PyObject* WaitForEvent(PyObject*, PyObject* arguments) {
  return WithOne<cudaEvent_t>(arguments, [](auto event) { Order().HostWaitsFor(event); });
}
PyObject* ShareMemory(PyObject*, PyObject* arguments) {
  return WithOne<const void*>(arguments, NoteShared);
}
PyObject* WaitForAll(PyObject*, PyObject*) {
  Order().HostWaitsForAll();
  Py_RETURN_NONE;
}

}  // namespace kernelmill
