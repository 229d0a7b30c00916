#include "stages/cuda_executor/runtime/python_value_copy.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {
namespace {

// Appends the values of the dimensions from `dim` on, in row-major order.
void CopyRows(const at::Tensor& source, std::int64_t dim, const char* from, std::size_t item,
              char** to) {
  if (dim == source.dim()) {
    std::memcpy(*to, from, item);
    *to += item;
    return;
  }
  const std::int64_t size = source.size(dim);
  const std::int64_t step = source.stride(dim) * static_cast<std::int64_t>(item);
  if (dim + 1 == source.dim() && step == static_cast<std::int64_t>(item)) {
    std::memcpy(*to, from, static_cast<std::size_t>(size) * item);
    *to += static_cast<std::size_t>(size) * item;
    return;
  }
  for (std::int64_t i = 0; i < size; ++i) CopyRows(source, dim + 1, from + i * step, item, to);
}

bool HasPlainMemory(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.device().is_cpu() &&
         tensor.has_storage() && !tensor.is_quantized() && !tensor.is_conj() && !tensor.is_neg() &&
         (tensor.numel() == 0 || tensor.storage().data() != nullptr);
}

}  // namespace

PyObject* CopyValues(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject *to = nullptr, *from = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &to, &from)) return nullptr;
  TORCH_CHECK_TYPE(THPVariable_Check(to) && THPVariable_Check(from), "two tensors are needed");
  const at::Tensor &target = THPVariable_Unpack(to), &source = THPVariable_Unpack(from);
  TORCH_CHECK_TYPE(HasPlainMemory(target) && HasPlainMemory(source) &&
                       target.dtype() == source.dtype() && target.numel() == source.numel(),
                   "a tensor without memory of its own");
  const RunningScope open(Running::kAnything);
  const std::size_t item = source.dtype().itemsize();
  if (target.is_contiguous()) {
    char* bytes = static_cast<char*>(target.mutable_data_ptr());
    CopyRows(source, 0, static_cast<const char*>(source.const_data_ptr()), item, &bytes);
    Py_RETURN_NONE;
  }
  std::string values(static_cast<std::size_t>(source.numel()) * item, '\0');
  char* bytes = values.data();
  CopyRows(source, 0, static_cast<const char*>(source.const_data_ptr()), item, &bytes);
  const char* next = values.data();
  std::vector<std::int64_t> at(static_cast<std::size_t>(target.dim()), 0);
  char* const first = static_cast<char*>(target.mutable_data_ptr());
  for (std::int64_t i = 0; i < target.numel(); ++i, next += item) {
    std::int64_t offset = 0;
    for (std::int64_t dim = 0; dim < target.dim(); ++dim) {
      offset += at[static_cast<std::size_t>(dim)] * target.stride(dim);
    }
    std::memcpy(first + offset * static_cast<std::int64_t>(item), next, item);
    for (std::int64_t dim = target.dim() - 1;
         dim >= 0 && ++at[static_cast<std::size_t>(dim)] == target.size(dim); --dim) {
      at[static_cast<std::size_t>(dim)] = 0;
    }
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* DigestOfValues(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(THPVariable_Check(object), "a tensor is needed");
  const at::Tensor& tensor = THPVariable_Unpack(object);
  TORCH_CHECK_TYPE(HasPlainMemory(tensor), "a tensor without memory of its own");
  const RunningScope open(Running::kAnything);
  std::string values;
  std::string_view bytes(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
  if (!tensor.is_non_overlapping_and_dense()) {
    values.resize(bytes.size());
    char* to = values.data();
    CopyRows(tensor, 0, bytes.data(), tensor.dtype().itemsize(), &to);
    bytes = values;
  }
  return PyLong_FromUnsignedLongLong(MixedBytes(bytes.size(), bytes.data(), bytes.size()));
  END_HANDLE_TH_ERRORS
}

}  // namespace kernelmill
