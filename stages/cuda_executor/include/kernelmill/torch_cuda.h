// Replaces the headers of ATen/cuda and c10/cuda for candidates that the executor runs, with a
// torch without CUDA: there is one device.
#pragma once

#include <ATen/ceil_div.h>
#include <torch/types.h>

#include <stdexcept>
#include <utility>

#include <kernelmill/cuda.h>
#include <kernelmill/half_functions.h>

namespace c10::cuda {

class CUDAStream {
 public:
  CUDAStream() = default;
  explicit CUDAStream(cudaStream_t stream)
      : stream_(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, 0),
                reinterpret_cast<StreamId>(stream)) {}
  operator cudaStream_t() const { return stream(); }
  cudaStream_t stream() const { return reinterpret_cast<cudaStream_t>(id()); }
  void synchronize() const { cudaStreamSynchronize(stream()); }
  bool query() const { return cudaStreamQuery(stream()) == cudaSuccess; }
  DeviceIndex device_index() const { return 0; }
  c10::Device device() const { return c10::kCPU; }
  StreamId id() const { return stream_.id(); }
  bool operator==(const CUDAStream& other) const { return id() == other.id(); }
  bool operator!=(const CUDAStream& other) const { return id() != other.id(); }

 private:
  // As in torch, a stream has a device and a number.
  c10::Stream stream_{c10::Stream::DEFAULT, c10::Device(c10::kCUDA, 0)};
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
  return CUDAStream(kernelmill::CurrentStream());
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
  return CUDAStream(kernelmill::StreamOfPool());
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex) {
  return CUDAStream(stream);
}
inline void setCurrentCUDAStream(CUDAStream stream) {
  kernelmill::SetCurrentStream(stream.stream());
}

// None of these can be copied or moved, as none of torch's can.
struct CUDAGuard {
  CUDAGuard() = delete;
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(c10::Device) {}
  void set_device(c10::Device) {}
  void reset_device(c10::Device) {}
  void set_index(DeviceIndex) {}
  c10::Device current_device() const { return c10::kCPU; }

 private:
  c10::Device before_{c10::kCUDA, 0}, now_{c10::kCUDA, 0};
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  OptionalCUDAGuard(const OptionalCUDAGuard&) = delete;
  OptionalCUDAGuard& operator=(const OptionalCUDAGuard&) = delete;
  explicit OptionalCUDAGuard(DeviceIndex) {}
  explicit OptionalCUDAGuard(std::optional<c10::Device>) {}
  void set_device(c10::Device) {}
  void set_index(DeviceIndex) {}
  void reset() {}

 private:
  std::optional<CUDAGuard> guard_;
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream stream) : now_(stream) { setCurrentCUDAStream(stream); }
  CUDAStreamGuard() = delete;
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  ~CUDAStreamGuard() { setCurrentCUDAStream(before_); }
  void reset_stream(CUDAStream stream) { setCurrentCUDAStream(now_ = stream); }
  CUDAStream original_stream() const { return before_; }
  CUDAStream current_stream() const { return now_; }

 private:
  CUDAGuard guard_{DeviceIndex{0}};
  CUDAStream before_ = getCurrentCUDAStream(), now_;
};
inline DeviceIndex device_count() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { cudaDeviceSynchronize(); }

namespace CUDACachingAllocator {
inline void* raw_alloc(std::size_t size) {
  void* memory = nullptr;
  cudaMalloc(&memory, size);
  return memory;
}
inline void* raw_alloc_with_stream(std::size_t size, cudaStream_t) { return raw_alloc(size); }
inline void raw_delete(void* memory) { cudaFree(memory); }
inline void emptyCache() {}
inline void recordStream(const c10::DataPtr& memory, CUDAStream) {
  kernelmill::NoteShared(memory.get());
}
}  // namespace CUDACachingAllocator

}  // namespace c10::cuda

namespace at::cuda {

class CUDAEvent {
 public:
  explicit CUDAEvent(unsigned flags = 0) : flags_(flags) {}
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent(CUDAEvent&& other) noexcept { *this = std::move(other); }
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    std::swap(flags_, other.flags_);
    std::swap(created_, other.created_);
    std::swap(recorded_, other.recorded_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~CUDAEvent() {
    if (created_) cudaEventDestroy(event_);
  }
  void record() { record(c10::cuda::getCurrentCUDAStream()); }
  void record(const c10::cuda::CUDAStream& stream) {
    if (!created_) cudaEventCreateWithFlags(&event_, flags_);
    created_ = recorded_ = true;
    cudaEventRecord(event_, stream);
  }
  void recordOnce(const c10::cuda::CUDAStream& stream) {
    if (!recorded_) record(stream);
  }
  void block(const c10::cuda::CUDAStream& stream) {
    if (created_) cudaStreamWaitEvent(stream, event_);
  }
  void synchronize() const {
    if (created_) cudaEventSynchronize(event_);
  }
  bool query() const { return cudaEventQuery(event_) == cudaSuccess; }
  bool isCreated() const { return created_; }
  float elapsed_time(const CUDAEvent&) const {
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, nullptr, nullptr);
    return milliseconds;
  }
  operator cudaEvent_t() const { return event_; }
  cudaEvent_t event() const { return event_; }

 private:
  unsigned flags_ = 0;
  bool created_ = false, recorded_ = false;
  DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
};

using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::current_device;
using c10::cuda::device_count;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromExternal;
using c10::cuda::getStreamFromPool;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::set_device;
using c10::cuda::setCurrentCUDAStream;
inline bool is_available() { return true; }
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex = 0) {
  static cudaDeviceProp properties;
  [[maybe_unused]] static const cudaError_t filled = cudaGetDeviceProperties(&properties, 0);
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(); }
inline int warp_size() { return warpSize; }
template <typename T>
T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace at::cuda

namespace torch::cuda {
using c10::cuda::device_count;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
inline bool is_available() { return true; }
inline void synchronize(int64_t = -1) { cudaDeviceSynchronize(); }
}  // namespace torch::cuda

// torch declares this only for nvcc.
namespace at {
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};
}  // namespace at

#define C10_CUDA_CHECK(expression)                                                      \
  do {                                                                                  \
    const cudaError_t km_error = (expression);                                          \
    TORCH_CHECK(km_error == cudaSuccess, "CUDA error: ", cudaGetErrorString(km_error)); \
  } while (0)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define TORCH_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                             \
  index_type km_first_##i = static_cast<index_type>(blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = km_first_##i; i < (n); i += static_cast<index_type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

template <typename T>
T gpuAtomicAdd(T* address, T value, KM_HERE) {
  return kernelmill::AtomicUpdate(
      address, [=](T old) { return kernelmill::AtomicSum(address, old, value); }, KM_SITE);
}
template <typename T>
void gpuAtomicAddNoReturn(T* address, T value, KM_HERE) {
  gpuAtomicAdd(address, value, km_file, km_line);
}
template <typename T>
T gpuAtomicMax(T* address, T value, KM_HERE) {
  return kernelmill::AtomicUpdate(
      address, [value](T old) { return old < value ? value : old; }, KM_SITE);
}
template <typename T>
T gpuAtomicMin(T* address, T value, KM_HERE) {
  return kernelmill::AtomicUpdate(
      address, [value](T old) { return value < old ? value : old; }, KM_SITE);
}
template <typename T>
T gpuAtomicMul(T* address, T value, KM_HERE) {
  return kernelmill::AtomicUpdate(
      address, [value](T old) { return static_cast<T>(old * value); }, KM_SITE);
}
template <typename T>
T WARP_SHFL(T value, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
T WARP_SHFL_UP(T value, unsigned delta, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
T WARP_SHFL_DOWN(T value, unsigned delta, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <typename T>
T WARP_SHFL_XOR(T value, int lanes, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
// Atomics of torch's 16-bit types, as in THC/THCAtomics.cuh.
inline c10::Half atomicAdd(c10::Half* address, c10::Half value, KM_HERE) {
  return gpuAtomicAdd(address, value, km_file, km_line);
}
inline c10::BFloat16 atomicAdd(c10::BFloat16* address, c10::BFloat16 value, KM_HERE) {
  return gpuAtomicAdd(address, value, km_file, km_line);
}
