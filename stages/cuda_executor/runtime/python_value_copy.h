// Copies and compares values of tensors without torch's dispatcher, so that the judge's own work
// goes on whatever operators are refused (python_refused_operators.h). Called by the Python module
// (python_module.cc).
#pragma once

#include <torch/csrc/python_headers.h>

namespace kernelmill {

// Arguments: (target, source). Copies the values of a tensor to another one with the same dtype and
// number of elements, both in row-major order. Raises TypeError for a tensor without memory of its
// own: a sparse, quantized or wrapped one, or one whose values are computed when they are read.
PyObject* CopyValues(PyObject* module, PyObject* arguments);
// Argument: a tensor. Returns a digest of its values: other values of the same size have another
// one, but for a chance of 1 in 2^64. Raises TypeError as CopyValues() does.
PyObject* DigestOfValues(PyObject* module, PyObject* tensor);

}  // namespace kernelmill
