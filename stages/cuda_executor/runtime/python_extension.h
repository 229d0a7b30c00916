// An extension's library in this process.
#pragma once

#include <torch/csrc/python_headers.h>

namespace kernelmill {

// A module object whose attributes are the functions of the library at `path`; null with a Python
// exception set. The library stays loaded.
PyObject* LoadExtension(const char* path);

}  // namespace kernelmill
