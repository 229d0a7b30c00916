// cuBLAS for extensions under a policy that allows vendors' libraries: the part of its API that
// answers call, answered on the processor (runtime/vendor/cublas_products.cc, cublas_vectors.cc).
// Names, values and argument checks are those of NVIDIA's cuBLAS documentation. Under other
// policies this folder is not on the include path, and an extension may not import these functions
// (stages/verify/legality/allowed_symbols.h).
#pragma once

#include <kernelmill/cuda.h>
#include <kernelmill/half.h>

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
  CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
  CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
  CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
enum cudaDataType_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_R_8U = 8,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
};
using cudaDataType = cudaDataType_t;
using cublasDataType_t = cudaDataType_t;
using cublasHandle_t = struct cublasContext*;

#define CUBLAS_VERSION 120400
#define CUBLAS_VER_MAJOR 12

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

// Functions that differ in the type of their elements only.
#define KM_CUBLAS_TYPED(X, T)                                                                      \
  cublasStatus_t cublas##X##gemm_v2(cublasHandle_t handle, cublasOperation_t transa,               \
                                    cublasOperation_t transb, int m, int n, int k, const T* alpha, \
                                    const T* a, int lda, const T* b, int ldb, const T* beta, T* c, \
                                    int ldc);                                                      \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* a, int lda, long long stridea, const T* b, int ldb,          \
      long long strideb, const T* beta, T* c, int ldc, long long stridec, int batches);            \
  cublasStatus_t cublas##X##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,             \
      const T* beta, T* const c[], int ldc, int batches);
#define KM_CUBLAS_VECTORS(X, T)                                                                    \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,  \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,     \
                                    const T* beta, T* y, int incy);                                \
  cublasStatus_t cublas##X##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,            \
                                   const T* x, int incx, const T* y, int incy, T* a, int lda);     \
  cublasStatus_t cublas##X##geam(                                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);     \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int incx, T* y, int incy);                                     \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x, int incx); \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y,      \
                                    int incy);                                                     \
  cublasStatus_t cublas##X##dot_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result);                                           \
  cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result);                                                    \
  cublasStatus_t cublas##X##asum_v2(cublasHandle_t handle, int n, const T* x, int incx, T* result);
KM_CUBLAS_TYPED(S, float)
KM_CUBLAS_TYPED(D, double)
KM_CUBLAS_VECTORS(S, float)
KM_CUBLAS_VECTORS(D, double)
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stridea, const __half* b, int ldb,
                                         long long strideb, const __half* beta, __half* c, int ldc,
                                         long long stridec, int batches);

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType_t typea, int lda, const void* b,
                             cudaDataType_t typeb, int ldb, const float* beta, void* c,
                             cudaDataType_t typec, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t typea, int lda, const void* b,
                            cudaDataType_t typeb, int ldb, const void* beta, void* c,
                            cudaDataType_t typec, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t typea,
                                          int lda, long long stridea, const void* b,
                                          cudaDataType_t typeb, int ldb, long long strideb,
                                          const void* beta, void* c, cudaDataType_t typec, int ldc,
                                          long long stridec, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType_t typea, int lda,
                                   const void* const b[], cudaDataType_t typeb, int ldb,
                                   const void* beta, void* const c[], cudaDataType_t typec, int ldc,
                                   int batches, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm);
}

// The C++ overloads that name the type to compute in, as older code does.
inline cublasComputeType_t km_compute_type(cudaDataType_t type) {
  return type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
         : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
         : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                              : CUBLAS_COMPUTE_32F;
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* a, cudaDataType_t typea, int lda, const void* b,
                                   cudaDataType_t typeb, int ldb, const void* beta, void* c,
                                   cudaDataType_t typec, int ldc, cudaDataType_t compute,
                                   cublasGemmAlgo_t algorithm) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, b, typeb, ldb, beta, c,
                      typec, ldc, km_compute_type(compute), algorithm);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType_t typea, int lda, long long stridea,
    const void* b, cudaDataType_t typeb, int ldb, long long strideb, const void* beta, void* c,
    cudaDataType_t typec, int ldc, long long stridec, int batches, cudaDataType_t compute,
    cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, stridea,
                                    b, typeb, ldb, strideb, beta, c, typec, ldc, stridec, batches,
                                    km_compute_type(compute), algorithm);
}

// The names that cublas_v2.h gives to the functions of its second version.
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2

namespace at::cuda {
inline cublasHandle_t getCurrentCUDABlasHandle() {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  return handle;
}
}  // namespace at::cuda

#define TORCH_CUDABLAS_CHECK(expression)                        \
  do {                                                          \
    const cublasStatus_t km_status = (expression);              \
    TORCH_CHECK(km_status == CUBLAS_STATUS_SUCCESS,             \
                "CUDA error: ", cublasGetStatusName(km_status), \
                " when calling `" #expression "`");             \
  } while (0)
