// The products of matrices of vendor/cublas_v2.h, computed by torch on the processor. What they
// check and return is what NVIDIA's documentation states: matrices are stored by columns, `ld` is
// the distance between columns, and C is not read where beta is 0.
#include <optional>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/vendor/cublas_call.h"

namespace kernelmill {
namespace {

using Type = at::ScalarType;

std::optional<Type> TypeOf(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_32F:
      return at::kFloat;
    case CUDA_R_64F:
      return at::kDouble;
    case CUDA_R_16F:
      return at::kHalf;
    case CUDA_R_16BF:
      return at::kBFloat16;
    case CUDA_R_8I:
      return at::kChar;
    case CUDA_R_32I:
      return at::kInt;
    case CUDA_R_8U:
      return std::nullopt;
  }
  return std::nullopt;
}

// The types that a product is computed and scaled in. Half precision is computed in float and
// rounded at the end, within what a device's own order of additions leaves open.
struct ComputeTypes {
  Type products, scalars;
};
std::optional<ComputeTypes> TypesOf(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return ComputeTypes{at::kFloat, at::kHalf};
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return ComputeTypes{at::kDouble, at::kDouble};
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return ComputeTypes{at::kInt, at::kInt};
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return ComputeTypes{at::kFloat, at::kFloat};
  }
  return std::nullopt;
}

// Whether the documentation's table of types has the combination.
bool IsSupported(Type inputs, Type result, cublasComputeType_t compute) {
  const Type scalars = TypesOf(compute)->scalars;
  if (scalars == at::kDouble) return inputs == at::kDouble && result == at::kDouble;
  if (scalars == at::kHalf) return inputs == at::kHalf && result == at::kHalf;
  if (scalars == at::kInt) return inputs == at::kChar && result == at::kInt;
  if (inputs == at::kFloat || inputs == at::kChar) return result == at::kFloat;
  return (inputs == at::kHalf || inputs == at::kBFloat16) &&
         (result == inputs || result == at::kFloat);
}

const char* NameOf(int operand) { return operand == 0 ? "A" : operand == 1 ? "B" : "C"; }

struct Operand {
  const void* data = nullptr;
  Type type = at::kFloat;
  std::int64_t ld = 0;
  std::int64_t stride = 0;  // Of a batch.
};
struct Product {
  const char* function;
  cublasHandle_t handle;
  cublasOperation_t transa, transb;
  std::int64_t m, n, k;
  const void *alpha, *beta;
  Operand a, b, c;
  std::int64_t batches = 1;
  bool pointers = false;  // The data of a batch are arrays of pointers, in device memory.
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

cublasStatus_t Run(const Product& p) {
  if (!IsHandle(p.handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!IsOperation(p.transa) || !IsOperation(p.transb) || p.m < 0 || p.n < 0 || p.k < 0 ||
      p.batches < 0 || p.alpha == nullptr || p.beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool ta = p.transa != CUBLAS_OP_N, tb = p.transb != CUBLAS_OP_N;
  const std::int64_t rows[] = {ta ? p.k : p.m, tb ? p.n : p.k, p.m};
  const std::int64_t columns[] = {ta ? p.m : p.k, tb ? p.k : p.n, p.n};
  const Operand* const operands[] = {&p.a, &p.b, &p.c};
  for (int i = 0; i < 3; ++i) {
    if (operands[i]->ld < std::max<std::int64_t>(1, rows[i])) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::optional<ComputeTypes> types = TypesOf(p.compute);
  if (!types || p.a.type != p.b.type || !IsSupported(p.a.type, p.c.type, p.compute)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (p.m == 0 || p.n == 0 || p.batches == 0) return CUBLAS_STATUS_SUCCESS;
  VendorCall call(p.function);
  double alpha = 0.0, beta = 0.0;
  if (!ReadScalar(p.handle, &call, p.alpha, types->scalars, &alpha) ||
      !ReadScalar(p.handle, &call, p.beta, types->scalars, &beta)) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    at::Tensor views[3];
    for (int i = 0; i < 3; ++i) {
      const Operand& operand = *operands[i];
      StoredMatrix matrix{operand.data, rows[i], columns[i], 1, operand.ld, operand.type};
      if (p.pointers) {
        const auto* const list = static_cast<const void* const*>(operand.data);
        if (!call.Takes(list, p.batches * 8, NameOf(i))) return CUBLAS_STATUS_EXECUTION_FAILED;
        const RunningScope open(Running::kAnything);
        matrix.data = list[batch];
      } else {
        matrix.data =
            static_cast<const char*>(operand.data) +
            batch * operand.stride * static_cast<std::int64_t>(at::elementSize(operand.type));
      }
      if (!call.Takes(matrix.data, matrix.Bytes(), NameOf(i))) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
      }
      views[i] = matrix.View();
    }
    if (!call.Runs()) continue;
    Multiply(ta ? views[0].t() : views[0], tb ? views[1].t() : views[1], alpha, beta,
             types->products, views[2]);
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
inline constexpr cublasComputeType_t kComputeOf = std::is_same_v<T, double>   ? CUBLAS_COMPUTE_64F
                                                  : std::is_same_v<T, __half> ? CUBLAS_COMPUTE_16F
                                                                              : CUBLAS_COMPUTE_32F;

}  // namespace
}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

#define KM_GEMMS(X, T, gemm)                                                                     \
  cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                      int m, int n, int k, const T* alpha, const T* a, int lda, const T* b,      \
                      int ldb, const T* beta, T* c, int ldc) {                                   \
    constexpr Type type = kTypeOf<T>;                                                            \
    return Run({"cublas" #X "gemm",                                                              \
                handle,                                                                          \
                transa,                                                                          \
                transb,                                                                          \
                m,                                                                               \
                n,                                                                               \
                k,                                                                               \
                alpha,                                                                           \
                beta,                                                                            \
                {a, type, lda},                                                                  \
                {b, type, ldb},                                                                  \
                {c, type, ldc},                                                                  \
                1,                                                                               \
                false,                                                                           \
                kComputeOf<T>});                                                                 \
  }                                                                                              \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
      int k, const T* alpha, const T* a, int lda, long long stridea, const T* b, int ldb,        \
      long long strideb, const T* beta, T* c, int ldc, long long stridec, int batches) {         \
    constexpr Type type = kTypeOf<T>;                                                            \
    return Run({"cublas" #X "gemmStridedBatched",                                                \
                handle,                                                                          \
                transa,                                                                          \
                transb,                                                                          \
                m,                                                                               \
                n,                                                                               \
                k,                                                                               \
                alpha,                                                                           \
                beta,                                                                            \
                {a, type, lda, stridea},                                                         \
                {b, type, ldb, strideb},                                                         \
                {c, type, ldc, stridec},                                                         \
                batches,                                                                         \
                false,                                                                           \
                kComputeOf<T>});                                                                 \
  }
KM_GEMMS(S, float, cublasSgemm_v2)
KM_GEMMS(D, double, cublasDgemm_v2)
KM_GEMMS(H, __half, cublasHgemm)

#define KM_BATCHED(X, T)                                                                       \
  cublasStatus_t cublas##X##gemmBatched(                                                       \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, \
      int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,         \
      const T* beta, T* const c[], int ldc, int batches) {                                     \
    constexpr Type type = kTypeOf<T>;                                                          \
    return Run({"cublas" #X "gemmBatched",                                                     \
                handle,                                                                        \
                transa,                                                                        \
                transb,                                                                        \
                m,                                                                             \
                n,                                                                             \
                k,                                                                             \
                alpha,                                                                         \
                beta,                                                                          \
                {a, type, lda},                                                                \
                {b, type, ldb},                                                                \
                {c, type, ldc},                                                                \
                batches,                                                                       \
                true,                                                                          \
                kComputeOf<T>});                                                               \
  }
KM_BATCHED(S, float)
KM_BATCHED(D, double)

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t typea,
                                          int lda, long long stridea, const void* b,
                                          cudaDataType_t typeb, int ldb, long long strideb,
                                          const void* beta, void* c, cudaDataType_t typec, int ldc,
                                          long long stridec, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  const auto ta = TypeOf(typea), tb = TypeOf(typeb), tc = TypeOf(typec);
  if (!ta || !tb || !tc) return CUBLAS_STATUS_NOT_SUPPORTED;
  return Run({"cublasGemmStridedBatchedEx",
              handle,
              transa,
              transb,
              m,
              n,
              k,
              alpha,
              beta,
              {a, *ta, lda, stridea},
              {b, *tb, ldb, strideb},
              {c, *tc, ldc, stridec},
              batches,
              false,
              compute});
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType_t typea, int lda,
                                   const void* const b[], cudaDataType_t typeb, int ldb,
                                   const void* beta, void* const c[], cudaDataType_t typec, int ldc,
                                   int batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const auto ta = TypeOf(typea), tb = TypeOf(typeb), tc = TypeOf(typec);
  if (!ta || !tb || !tc) return CUBLAS_STATUS_NOT_SUPPORTED;
  return Run({"cublasGemmBatchedEx",
              handle,
              transa,
              transb,
              m,
              n,
              k,
              alpha,
              beta,
              {a, *ta, lda},
              {b, *tb, ldb},
              {c, *tc, ldc},
              batches,
              true,
              compute});
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t typea, int lda, const void* b,
                            cudaDataType_t typeb, int ldb, const void* beta, void* c,
                            cudaDataType_t typec, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, 0, b,
                                    typeb, ldb, 0, beta, c, typec, ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType_t typea, int lda, const void* b,
                             cudaDataType_t typeb, int ldb, const float* beta, void* c,
                             cudaDataType_t typec, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, b, typeb, ldb, beta, c,
                      typec, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
}
