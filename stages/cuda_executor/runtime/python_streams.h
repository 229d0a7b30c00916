// Streams and events for Python, as numbers that stand for their handles (replay/stream_order.h).
// Methods of the Python module (python_module.cc).
#pragma once

#include <torch/csrc/python_headers.h>

namespace kernelmill {

// Of streams: another one of torch's pool, and the current one.
PyObject* NewStream(PyObject* module, PyObject*);
PyObject* CurrentStreamNumber(PyObject* module, PyObject*);
// (stream): torch's operators run on it from now on.
PyObject* UseStream(PyObject* module, PyObject* arguments);
PyObject* NewEvent(PyObject* module, PyObject*);
PyObject* DropEvent(PyObject* module, PyObject* arguments);
// (event, stream)
PyObject* RecordEvent(PyObject* module, PyObject* arguments);
// (stream, event)
PyObject* StreamWaits(PyObject* module, PyObject* arguments);
// Waits of the host: for a stream, for an event, for everything.
PyObject* WaitForStream(PyObject* module, PyObject* arguments);
PyObject* WaitForEvent(PyObject* module, PyObject* arguments);
PyObject* WaitForAll(PyObject* module, PyObject*);
// (address): torch's allocator learns that another stream uses the memory of a tensor.
PyObject* ShareMemory(PyObject* module, PyObject* arguments);

}  // namespace kernelmill
