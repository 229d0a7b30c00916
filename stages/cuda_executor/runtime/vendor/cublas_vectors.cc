// cuBLAS's functions of vectors, and of matrices that are read once (vendor/cublas_v2.h). They
// follow NVIDIA's documentation.
#include <cmath>
#include <cstdlib>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/vendor/cublas_call.h"

namespace kernelmill {
namespace {

using Type = at::ScalarType;

// Vectors: the element number i of n is at data[i * step], or from the other end if step < 0.
template <typename T>
T* First(T* data, int n, int step) {
  return step >= 0 ? data : data + static_cast<std::int64_t>(1 - n) * step;
}
template <typename T>
bool TakesVector(VendorCall* call, const T* data, int n, int step, const char* name) {
  return n <= 0 || call->Takes(data,
                               ((n - 1) * std::abs(static_cast<std::int64_t>(step)) + 1) *
                                   static_cast<std::int64_t>(sizeof(T)),
                               name);
}

// y = f(x, y) for each element of two vectors.
template <typename T>
cublasStatus_t ForEach(const char* function, cublasHandle_t handle, int n, const T* x, int incx,
                       T* y, int incy, const T* scalar, auto update) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  VendorCall call(function);
  double factor = 1.0;
  if ((scalar != nullptr && !ReadScalar(handle, &call, scalar, kTypeOf<T>, &factor)) ||
      !TakesVector(&call, x, n, incx, "x") || !TakesVector(&call, y, n, incy, "y")) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  if (!call.Runs()) return CUBLAS_STATUS_SUCCESS;
  const RunningScope open(Running::kAnything);
  x = First(x, n, incx);
  y = First(y, n, incy);
  for (int i = 0; i < n; ++i, x += incx, y += incy) update(static_cast<T>(factor), *x, *y);
  return CUBLAS_STATUS_SUCCESS;
}

// A number of two vectors, summed in double. Its place is the host's or the device's, as scalars'.
template <typename T>
cublasStatus_t Reduce(const char* function, cublasHandle_t handle, int n, const T* x, int incx,
                      const T* y, int incy, T* result, auto term, auto finish) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  VendorCall call(function);
  const bool on_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
  if (!TakesVector(&call, x, n, incx, "x") || !TakesVector(&call, y, n, incy, "y") ||
      (!on_host && !call.Takes(result, sizeof(T), "the result"))) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  double sum = 0.0;
  if (call.Runs() && n > 0) {
    const RunningScope open(Running::kAnything);
    x = First(x, n, incx);
    y = First(y, n, incy);
    for (int i = 0; i < n; ++i, x += incx, y += incy) sum += term(*x, *y);
  }
  if (on_host) {
    CountToHost(sizeof(T));
    *result = static_cast<T>(finish(sum));
    return CUBLAS_STATUS_SUCCESS;
  }
  const RunningScope open(Running::kAnything);
  *result = static_cast<T>(finish(sum));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t MatrixVector(const char* function, cublasHandle_t handle, cublasOperation_t trans,
                            int m, int n, const T* alpha, const T* a, int lda, const T* x, int incx,
                            const T* beta, T* y, int incy) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!IsOperation(trans) || m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0 ||
      alpha == nullptr || beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  VendorCall call(function);
  if (incx < 0 || incy < 0) {
    call.NeedsUnsupported("vectors with a negative increment");
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  double by = 0.0, keep = 0.0;
  const Type type = kTypeOf<T>;
  const bool turned = trans != CUBLAS_OP_N;
  const StoredMatrix matrix{a, m, n, 1, lda, type}, in{x, turned ? m : n, 1, incx, 1, type},
      out{y, turned ? n : m, 1, incy, 1, type};
  if (!ReadScalar(handle, &call, alpha, type, &by) ||
      !ReadScalar(handle, &call, beta, type, &keep) || !call.Takes(a, matrix.Bytes(), "A") ||
      !call.Takes(x, in.Bytes(), "x") || !call.Takes(y, out.Bytes(), "y")) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  if (!call.Runs()) return CUBLAS_STATUS_SUCCESS;
  Multiply(turned ? matrix.View().t() : matrix.View(), in.View(), by, keep, type, out.View());
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t RankOne(const char* function, cublasHandle_t handle, int m, int n, const T* alpha,
                       const T* x, int incx, const T* y, int incy, T* a, int lda) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || incx == 0 || incy == 0 || lda < std::max(1, m) || alpha == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  VendorCall call(function);
  double by = 0.0;
  const StoredMatrix matrix{a, m, n, 1, lda, kTypeOf<T>};
  if (!ReadScalar(handle, &call, alpha, kTypeOf<T>, &by) || !TakesVector(&call, x, m, incx, "x") ||
      !TakesVector(&call, y, n, incy, "y") || !call.Takes(a, matrix.Bytes(), "A")) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  if (!call.Runs()) return CUBLAS_STATUS_SUCCESS;
  const RunningScope open(Running::kAnything);
  x = First(x, m, incx);
  y = First(y, n, incy);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      a[j * lda + i] += static_cast<T>(by) * x[i * incx] * y[j * incy];
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t AddMatrices(const char* function, cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, const T* alpha, const T* a,
                           int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  if (!IsHandle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
  if (!IsOperation(transa) || !IsOperation(transb) || m < 0 || n < 0 || alpha == nullptr ||
      beta == nullptr || lda < std::max(1, ta ? n : m) || ldb < std::max(1, tb ? n : m) ||
      ldc < std::max(1, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  VendorCall call(function);
  double by[2] = {0.0, 0.0};
  const Type type = kTypeOf<T>;
  if (!ReadScalar(handle, &call, alpha, type, &by[0]) ||
      !ReadScalar(handle, &call, beta, type, &by[1])) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  // A matrix is not read where its factor is 0.
  const StoredMatrix left{a, ta ? n : m, ta ? m : n, 1, lda, type},
      right{b, tb ? n : m, tb ? m : n, 1, ldb, type}, out{c, m, n, 1, ldc, type};
  if ((by[0] != 0.0 && !call.Takes(a, left.Bytes(), "A")) ||
      (by[1] != 0.0 && !call.Takes(b, right.Bytes(), "B")) || !call.Takes(c, out.Bytes(), "C")) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  if (!call.Runs()) return CUBLAS_STATUS_SUCCESS;
  const RunningScope open(Running::kAnything);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      T sum = 0;
      if (by[0] != 0.0) sum += static_cast<T>(by[0]) * a[ta ? i * lda + j : j * lda + i];
      if (by[1] != 0.0) sum += static_cast<T>(by[1]) * b[tb ? i * ldb + j : j * ldb + i];
      c[j * ldc + i] = sum;
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

#define KM_VECTORS(X, T)                                                                           \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,  \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,     \
                                    const T* beta, T* y, int incy) {                               \
    return MatrixVector("cublas" #X "gemv", handle, trans, m, n, alpha, a, lda, x, incx, beta, y,  \
                        incy);                                                                     \
  }                                                                                                \
  cublasStatus_t cublas##X##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,            \
                                   const T* x, int incx, const T* y, int incy, T* a, int lda) {    \
    return RankOne("cublas" #X "ger", handle, m, n, alpha, x, incx, y, incy, a, lda);              \
  }                                                                                                \
  cublasStatus_t cublas##X##geam(                                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {    \
    return AddMatrices("cublas" #X "geam", handle, transa, transb, m, n, alpha, a, lda, beta, b,   \
                       ldb, c, ldc);                                                               \
  }                                                                                                \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int incx, T* y, int incy) {                                    \
    return ForEach("cublas" #X "axpy", handle, n, x, incx, y, incy, alpha,                         \
                   [](T by, const T& from, T& to) { to += by * from; });                           \
  }                                                                                                \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x,            \
                                    int incx) {                                                    \
    return ForEach<T>("cublas" #X "scal", handle, n, x, incx, x, incx, alpha,                      \
                      [](T by, const T&, T& to) { to *= by; });                                    \
  }                                                                                                \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y,      \
                                    int incy) {                                                    \
    return ForEach<T>("cublas" #X "copy", handle, n, x, incx, y, incy, nullptr,                    \
                      [](T, const T& from, T& to) { to = from; });                                 \
  }                                                                                                \
  cublasStatus_t cublas##X##dot_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result) {                                          \
    return Reduce(                                                                                 \
        "cublas" #X "dot", handle, n, x, incx, y, incy, result,                                    \
        [](double a, double b) { return a * b; }, [](double sum) { return sum; });                 \
  }                                                                                                \
  cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return Reduce(                                                                                 \
        "cublas" #X "nrm2", handle, n, x, incx, x, incx, result,                                   \
        [](double a, double) { return a * a; }, [](double sum) { return std::sqrt(sum); });        \
  }                                                                                                \
  cublasStatus_t cublas##X##asum_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return Reduce(                                                                                 \
        "cublas" #X "asum", handle, n, x, incx, x, incx, result,                                   \
        [](double a, double) { return std::abs(a); }, [](double sum) { return sum; });             \
  }
KM_VECTORS(S, float)
KM_VECTORS(D, double)
}
