// The C++ types of tensor elements in kernels, by dtype and backend, and the expressions by which
// kernels convert an element that they load or store: ToComputeType() and ToStorageType() return
// C++ text.
#pragma once

#include <string>

#include "corpora/kernel_backend.h"
#include "corpora/operators/scalar_expression.h"
#include "corpora/operators/tensor_type.h"

namespace kernelmill {

// The C++ names of a dtype.
struct ScalarName {
  std::string storage;  // The type in device memory: "__half".
  std::string compute;  // The type in registers: "float".
  std::string torch;    // The type argument of data_ptr<>: "at::Half".
  std::string dtype;    // The torch constant: "torch::kFloat16".
};
ScalarName ScalarNameOf(DType dtype, const KernelBackend& backend);

// ToComputeType(): the element `place` ("x[i]") converted to the compute type. ToStorageType(): a
// value of the compute type converted to the storage type.
std::string ToComputeType(DType dtype, const std::string& place);
std::string ToStorageType(DType dtype, const std::string& value);

}  // namespace kernelmill
