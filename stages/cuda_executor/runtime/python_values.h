// Converts Python objects to torch's IValues and back, where Python calls a function of a
// candidate's extension (python_extension.h). The caller must hold the GIL.
#pragma once

#include <torch/csrc/python_headers.h>

#include <ATen/core/ivalue.h>

namespace kernelmill {

// Throws c10::TypeError for objects of unsupported types.
c10::IValue ValueOf(PyObject* object);
// Returns a new reference, or null with a Python exception set.
PyObject* ObjectOf(const c10::IValue& value);

}  // namespace kernelmill
