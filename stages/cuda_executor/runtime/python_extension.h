// Loads a candidate's extension, a shared library that was compiled for the executor, and makes its
// bound functions callable from Python. The Python module's load() (python_module.cc) calls it.
#pragma once

#include <torch/csrc/python_headers.h>

namespace kernelmill {

// Returns a module object whose attributes are the functions of the library at `path`, or null with
// a Python exception set. The library stays loaded.
PyObject* LoadExtension(const char* path);

}  // namespace kernelmill
