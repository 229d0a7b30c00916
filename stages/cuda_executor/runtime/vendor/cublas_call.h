// What cuBLAS's functions share (vendor/cublas_v2.h): handles, scalars, and matrices in memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "stages/cuda_executor/runtime/vendor/vendor_call.h"
#include "stages/cuda_executor/vendor/cublas_v2.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace kernelmill {

// Whether cublasCreate() has made it and cublasDestroy() has not ended it.
bool IsHandle(cublasHandle_t handle);
bool IsOperation(cublasOperation_t operation);

// Reads alpha or beta. With pointers of the host it is read as host code reads it. False after a
// fault.
bool ReadScalar(cublasHandle_t handle, VendorCall* call, const void* address, at::ScalarType type,
                double* value);

// A matrix as it lies in memory, before it is transposed.
struct StoredMatrix {
  const void* data;
  std::int64_t rows, columns, row_step, column_step;
  at::ScalarType type;

  std::int64_t Bytes() const {
    if (rows == 0 || columns == 0) return 0;
    return ((rows - 1) * row_step + (columns - 1) * column_step + 1) *
           static_cast<std::int64_t>(at::elementSize(type));
  }
  at::Tensor View() const;
};

// c = alpha * a * b + beta * c, computed in the type `products`; c is not read if beta is 0.
void Multiply(const at::Tensor& a, const at::Tensor& b, double alpha, double beta,
              at::ScalarType products, at::Tensor c);

template <typename T>
inline constexpr at::ScalarType kTypeOf = std::is_same_v<T, double>   ? at::kDouble
                                          : std::is_same_v<T, __half> ? at::kHalf
                                                                      : at::kFloat;

}  // namespace kernelmill
