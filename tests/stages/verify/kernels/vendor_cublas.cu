// Calls of cuBLAS, as extensions make them for matrices that torch stores by rows.
#include <torch/extension.h>
#include <cublas_v2.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>

static cublasHandle_t Handle() {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) TORCH_CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  return handle;
}

// a (m × k) and b (k × n), each of them stored transposed if its flag is set: alpha * a * b + beta * c.
torch::Tensor sgemm(torch::Tensor a, torch::Tensor b, torch::Tensor c, bool ta, bool tb, double alpha, double beta) {
  const int m = ta ? a.size(1) : a.size(0), k = ta ? a.size(0) : a.size(1), n = tb ? b.size(0) : b.size(1);
  const float by = alpha, keep = beta;
  cublasSetStream(Handle(), at::cuda::getCurrentCUDAStream());
  TORCH_CUDABLAS_CHECK(cublasSgemm(Handle(), tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k,
                                   &by, b.data_ptr<float>(), b.size(1), a.data_ptr<float>(), a.size(1), &keep,
                                   c.data_ptr<float>(), n));
  return c;
}

torch::Tensor dgemm(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  const double one = 1.0, zero = 0.0;
  TORCH_CUDABLAS_CHECK(cublasDgemm(at::cuda::getCurrentCUDABlasHandle(), CUBLAS_OP_N, CUBLAS_OP_N, b.size(1), a.size(0),
                                   a.size(1), &one, b.data_ptr<double>(), b.size(1), a.data_ptr<double>(), a.size(1),
                                   &zero, c.data_ptr<double>(), b.size(1)));
  return c;
}

static cudaDataType_t TypeOf(const torch::Tensor& x) {
  return x.scalar_type() == torch::kHalf ? CUDA_R_16F : x.scalar_type() == torch::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}
torch::Tensor gemm_ex(torch::Tensor a, torch::Tensor b, bool to_float) {
  auto c = torch::empty({a.size(0), b.size(1)}, to_float ? a.options().dtype(torch::kFloat) : a.options());
  const float one = 1.0f, zero = 0.0f;
  TORCH_CUDABLAS_CHECK(cublasGemmEx(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, b.size(1), a.size(0), a.size(1), &one,
                                    b.data_ptr(), TypeOf(b), b.size(1), a.data_ptr(), TypeOf(a), a.size(1), &zero,
                                    c.data_ptr(), TypeOf(c), b.size(1), CUBLAS_COMPUTE_32F,
                                    CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  return c;
}
torch::Tensor hgemm(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  const __half one = __float2half(1.0f), zero = __float2half(0.0f);
  TORCH_CUDABLAS_CHECK(cublasHgemm(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, b.size(1), a.size(0), a.size(1), &one,
                                   (const __half*)b.data_ptr(), b.size(1), (const __half*)a.data_ptr(), a.size(1), &zero,
                                   (__half*)c.data_ptr(), b.size(1)));
  return c;
}

torch::Tensor strided(torch::Tensor a, torch::Tensor b) {
  const int batches = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  auto c = torch::empty({batches, m, n}, a.options());
  const float one = 1.0f, zero = 0.0f;
  TORCH_CUDABLAS_CHECK(cublasSgemmStridedBatched(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data_ptr<float>(), n,
                                                 (long long)k * n, a.data_ptr<float>(), k, (long long)m * k, &zero,
                                                 c.data_ptr<float>(), n, (long long)m * n, batches));
  return c;
}
torch::Tensor listed(torch::Tensor a, torch::Tensor b) {
  const int batches = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  auto c = torch::empty({batches, m, n}, a.options());
  std::vector<float*> pointers;
  for (int i = 0; i < batches; ++i) pointers.push_back(b.data_ptr<float>() + i * k * n);
  for (int i = 0; i < batches; ++i) pointers.push_back(a.data_ptr<float>() + i * m * k);
  for (int i = 0; i < batches; ++i) pointers.push_back(c.data_ptr<float>() + i * m * n);
  float** on_device = nullptr;
  cudaMalloc(&on_device, pointers.size() * sizeof(float*));
  cudaMemcpy(on_device, pointers.data(), pointers.size() * sizeof(float*), cudaMemcpyHostToDevice);
  const float one = 1.0f, zero = 0.0f;
  TORCH_CUDABLAS_CHECK(cublasSgemmBatched(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, on_device, n,
                                          on_device + batches, k, &zero, on_device + 2 * batches, n, batches));
  cudaFree(on_device);
  return c;
}

torch::Tensor gemv(torch::Tensor a, torch::Tensor x, bool turned) {
  auto y = torch::empty({turned ? a.size(1) : a.size(0)}, a.options());
  const float one = 1.0f, zero = 0.0f;
  TORCH_CUDABLAS_CHECK(cublasSgemv(Handle(), turned ? CUBLAS_OP_N : CUBLAS_OP_T, a.size(1), a.size(0), &one,
                                   a.data_ptr<float>(), a.size(1), x.data_ptr<float>(), 1, &zero, y.data_ptr<float>(), 1));
  return y;
}
torch::Tensor vectors(torch::Tensor x, torch::Tensor y) {
  auto result = torch::empty({3}, x.options());
  const int n = x.numel();
  const float by = 2.5f;
  float norm = 0.0f;
  cublasSaxpy(Handle(), n, &by, x.data_ptr<float>(), 1, y.data_ptr<float>(), 1);
  cublasSscal(Handle(), n / 2, &by, y.data_ptr<float>(), 2);
  cublasSnrm2(Handle(), n, y.data_ptr<float>(), 1, &norm);
  cublasSetPointerMode(Handle(), CUBLAS_POINTER_MODE_DEVICE);
  cublasSdot(Handle(), n, x.data_ptr<float>(), 1, y.data_ptr<float>(), -1, result.data_ptr<float>());
  cublasSasum(Handle(), n, y.data_ptr<float>(), 1, result.data_ptr<float>() + 1);
  cublasSetPointerMode(Handle(), CUBLAS_POINTER_MODE_HOST);
  cudaMemcpy(result.data_ptr<float>() + 2, &norm, sizeof(float), cudaMemcpyHostToDevice);
  return result;
}
torch::Tensor transposed(torch::Tensor x) {
  auto y = torch::empty({x.size(1), x.size(0)}, x.options());
  const float one = 1.0f, zero = 0.0f;
  const int rows = x.size(0), columns = x.size(1);
  TORCH_CUDABLAS_CHECK(cublasSgeam(Handle(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, x.data_ptr<float>(), columns,
                                   &zero, nullptr, rows, y.data_ptr<float>(), rows));
  return y;
}

// The status of a product whose leading dimension of A is `lda`, of a handle that is none, and of types that
// cuBLAS does not combine.
std::vector<int64_t> statuses(torch::Tensor a, int64_t lda) {
  const float one = 1.0f;
  float* const data = a.data_ptr<float>();
  const int n = a.size(0);
  return {cublasSgemm(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, data, lda, data, n, &one, data, n),
          cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, data, n, data, n, &one, data, n),
          cublasGemmEx(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, data, CUDA_R_32F, n, data, CUDA_R_16F, n, &one,
                       data, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)};
}
// The status of a product of more columns than the matrix has.
int64_t too_wide(torch::Tensor a, int64_t columns) {
  auto c = torch::empty({columns, a.size(0)}, a.options());
  const float one = 1.0f, zero = 0.0f;
  const int n = a.size(0);
  return cublasSgemm(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, columns, n, &one, a.data_ptr<float>(), n,
                     a.data_ptr<float>(), n, &zero, c.data_ptr<float>(), n);
}
int64_t of_host(torch::Tensor a) {
  std::vector<float> here(a.numel(), 1.0f);
  auto c = torch::empty_like(a);
  const float one = 1.0f, zero = 0.0f;
  const int n = a.size(0);
  return cublasSgemm(Handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data_ptr<float>(), n, here.data(), n, &zero,
                     c.data_ptr<float>(), n);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("sgemm", &sgemm);
  m.def("dgemm", &dgemm);
  m.def("gemm_ex", &gemm_ex);
  m.def("hgemm", &hgemm);
  m.def("strided", &strided);
  m.def("listed", &listed);
  m.def("gemv", &gemv);
  m.def("vectors", &vectors);
  m.def("transposed", &transposed);
  m.def("statuses", &statuses);
  m.def("too_wide", &too_wide);
  m.def("of_host", &of_host);
}
