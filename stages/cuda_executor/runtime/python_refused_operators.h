// Makes torch's operators raise in the process that runs a candidate. Called by the Python module
// (python_module.cc).
//
// The kernels of a refused operator are replaced in the dispatcher's table, which the whole process
// shares. So they raise on every thread, from Python and from C++, under every mode and guard, when
// a caller redispatches to a key of its choice, and when an operator that is allowed calls them.
// The kernels that were there are gone: nothing in the process can restore them.
//
// What this does not reach: code that computes without the dispatcher. Host code of an extension is
// confined by the symbols that its library may use (stages/verify/legality/library_symbols.h) and
// by the address spaces (address_spaces.h); executors of torch's own that skip the dispatcher are
// removed from torch._C before the candidate is imported (torch_worker/sandbox/torch_parts.py).
//
// What stands in the table is a gate. Gates may be set before the process forks, because the tables
// take 16 MB, which each fork would write anew: they are open then, and an operator that is called
// has its kernels back first. They are kept in memory that is unmapped when the gates are closed.
#pragma once

#include <torch/csrc/python_headers.h>

#include <ATen/core/dispatch/Dispatcher.h>

namespace kernelmill {

// Remembers which operators there are. Those that are defined later are the candidate's own, and
// stay as they are: what they call is refused as any other call.
void NoteTorchsOperators();

// Whether an operator will have its kernels back when it is called.
bool IsBehindOpenGate(const c10::OperatorHandle& op);

// Argument: (list of names in the namespace aten, without overloads). Sets an open gate before every
// operator that NoteTorchsOperators() has noted and the list does not name.
PyObject* GateOperators(PyObject* module, PyObject* arguments);

// Arguments: (list as above; file name of the candidate). From now on, every operator that
// NoteTorchsOperators() has noted and the list does not name raises. All gates are closed: if
// GateOperators() has set some, the list must be the same. Later calls refuse more, and never less.
PyObject* RefuseOperators(PyObject* module, PyObject* arguments);

// How many calls of a refused operator have only counted: a number of Python's was added to a
// tensor of one integer.
PyObject* CountedUp(PyObject* module, PyObject* arguments);

// [(name, line of the candidate or 0)] of the refused operators that were called, in order of first
// call. It cannot be cleared.
PyObject* RefusedOperators(PyObject* module, PyObject* arguments);

}  // namespace kernelmill
