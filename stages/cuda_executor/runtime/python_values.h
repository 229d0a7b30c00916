// Python objects to IValues and back. The caller holds the interpreter's lock.
#pragma once

#include <torch/csrc/python_headers.h>

#include <ATen/core/ivalue.h>

namespace kernelmill {

// Throws c10::TypeError for an object that no extension takes.
c10::IValue ValueOf(PyObject* object);
// A new reference; null with a Python exception set.
PyObject* ObjectOf(const c10::IValue& value);

}  // namespace kernelmill
