#include "stages/cuda_executor/runtime/vendor/cublas_call.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <set>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {
namespace {

std::set<cublasHandle_t>& Handles() {
  static auto* const handles = new std::set<cublasHandle_t>;
  return *handles;
}

double NumberAt(const void* address, at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return *static_cast<const double*>(address);
    case at::kHalf:
      return *static_cast<const at::Half*>(address);
    case at::kInt:
      return *static_cast<const int*>(address);
    default:
      return *static_cast<const float*>(address);
  }
}

}  // namespace

bool IsHandle(cublasHandle_t handle) { return Handles().contains(handle); }

bool IsOperation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

bool ReadScalar(cublasHandle_t handle, VendorCall* call, const void* address, at::ScalarType type,
                double* value) {
  if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
    *value = NumberAt(address, type);
    return true;
  }
  if (!call->Takes(address, static_cast<std::int64_t>(at::elementSize(type)), "a scalar")) {
    return false;
  }
  const RunningScope open(Running::kAnything);
  *value = NumberAt(address, type);
  return true;
}

at::Tensor StoredMatrix::View() const {
  return at::from_blob(const_cast<void*>(data), {rows, columns}, {row_step, column_step},
                       at::TensorOptions().dtype(type));
}

void Multiply(const at::Tensor& a, const at::Tensor& b, double alpha, double beta,
              at::ScalarType products, at::Tensor c) {
  const RunningScope open(Running::kAnything);
  // Nothing of it is an operator that the extension calls.
  const c10::impl::ExcludeDispatchKeyGuard unseen(
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot}));
  const at::Tensor left = a.to(products), right = b.to(products);
  if (c.scalar_type() == products) {
    at::addmm_out(c, c, left, right, beta, alpha);
  } else {
    c.copy_(at::addmm(c.to(products), left, right, beta, alpha));
  }
}

}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  Handles().insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (Handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// Sets or gets one member of a handle.
#define KM_PROPERTY(Set, Get, T, member)                         \
  cublasStatus_t Set(cublasHandle_t handle, T value) {           \
    if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED; \
    handle->member = value;                                      \
    return CUBLAS_STATUS_SUCCESS;                                \
  }                                                              \
  cublasStatus_t Get(cublasHandle_t handle, T* value) {          \
    if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED; \
    *value = handle->member;                                     \
    return CUBLAS_STATUS_SUCCESS;                                \
  }
KM_PROPERTY(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
KM_PROPERTY(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
KM_PROPERTY(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, std::size_t) {
  return IsHandle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t) {
  return IsHandle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define KM_STATUS(name) \
  case name:            \
    return #name;
    KM_STATUS(CUBLAS_STATUS_SUCCESS)
    KM_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
    KM_STATUS(CUBLAS_STATUS_ALLOC_FAILED)
    KM_STATUS(CUBLAS_STATUS_INVALID_VALUE)
    KM_STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
    KM_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
    KM_STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
    KM_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
    KM_STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
    KM_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
  }
  return "<unknown>";
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }
}
