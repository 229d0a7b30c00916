// The part of the CUDA runtime's host API (cudaMalloc, cudaMemcpy, cudaGetLastError …) that
// candidates use, when the executor runs them. What is not inline is in the sources of
// stages/cuda_executor/runtime/. Every operation has ended when its call returns; streams and
// events decide only in which orders a replay may run the operations
// (runtime/replay/stream_order.h).
#pragma once

#include <cstddef>

#include <kernelmill/cuda_errors.h>
#include <kernelmill/device_attributes.h>
#include <kernelmill/executor.h>
#include <kernelmill/qualifiers.h>

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual,
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte,
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0,
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitPersistingL2CacheSize = 6,
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int maxDynamicSharedSizeBytes;
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged,
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

using cudaEvent_t = struct CUevent_st*;
using cudaHostFn_t = void (*)(void*);
enum : unsigned {
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaMemAttachGlobal = 1,
};
inline constexpr int cudaCpuDeviceId = -1;
#define cudaStreamLegacy static_cast<cudaStream_t>(nullptr)
#define cudaStreamPerThread static_cast<cudaStream_t>(nullptr)

extern "C" {
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t size,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory);

cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
// The time between two events is computed from the number of launches.
// Work has ended: every operation has when its call returns.
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);
}

namespace kernelmill {
enum class MemoryKind { kDevice, kManaged, kPinned };
cudaError_t AllocateMemory(void** memory, std::size_t size, MemoryKind kind);
// cudaMallocAsync() and cudaFreeAsync(): in the order of a stream.
cudaError_t AllocateInOrder(void** memory, std::size_t size, cudaStream_t stream);
cudaError_t FreeInOrder(void* memory, cudaStream_t stream);
// cudaFuncSetAttribute(kernel, MaxDynamicSharedMemorySize, bytes).
cudaError_t AllowDynamicShared(const void* kernel, int bytes);
int MultiprocessorCount();
int BlocksPerMultiprocessor(int block_size, std::size_t dynamic_shared);
// The bytes of stack that each thread has if its compiler does not know how many it needs.
cudaError_t SetStackLimit(std::size_t size);
std::size_t StackLimit();
// Registers and memory of any kernel, which the executor does not know:
// ExecutionOptions::residency chooses them, so that no result may depend on them.
cudaFuncAttributes AttributesOfKernels();
// The same as above for a kernel with these.
int ResidentBlocks(int block_size, std::size_t dynamic_shared);
// The bytes of the heap that kernels allocate from. Once one has, it keeps its size.
std::size_t HeapLimit();
cudaError_t SetHeapLimit(std::size_t size);
// The stream that torch's operators run on, and another one of torch's pool.
cudaStream_t CurrentStream();
void SetCurrentStream(cudaStream_t stream);
// Torch's allocator learns that another stream uses the memory of a tensor.
void NoteShared(const void* memory);
cudaStream_t StreamOfPool();
}  // namespace kernelmill

template <typename T>
cudaError_t cudaMalloc(T** memory, std::size_t size) {
  return kernelmill::AllocateMemory(reinterpret_cast<void**>(memory), size,
                                    kernelmill::MemoryKind::kDevice);
}
template <typename T>
cudaError_t cudaMallocAsync(T** memory, std::size_t size, cudaStream_t stream) {
  return kernelmill::AllocateInOrder(reinterpret_cast<void**>(memory), size, stream);
}
template <typename T>
cudaError_t cudaMallocManaged(T** memory, std::size_t size, unsigned = cudaMemAttachGlobal) {
  return kernelmill::AllocateMemory(reinterpret_cast<void**>(memory), size,
                                    kernelmill::MemoryKind::kManaged);
}
template <typename T>
cudaError_t cudaMallocHost(T** memory, std::size_t size, unsigned = 0) {
  return kernelmill::AllocateMemory(reinterpret_cast<void**>(memory), size,
                                    kernelmill::MemoryKind::kPinned);
}
template <typename T>
cudaError_t cudaHostAlloc(T** memory, std::size_t size, unsigned = 0) {
  return cudaMallocHost(memory, size);
}
template <typename T>
cudaError_t cudaMallocPitch(T** memory, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(memory, *pitch * height);
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return kernelmill::FreeInOrder(memory, stream);
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, size, kind);
  cudaStreamSynchronize(nullptr);
  return error;
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  const cudaError_t error =
      cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind);
  cudaStreamSynchronize(nullptr);
  return error;
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t size) {
  return cudaMemsetAsync(memory, value, size);
}
inline cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                                std::size_t height) {
  return cudaMemset2DAsync(memory, pitch, value, width, height);
}
inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t size) {
  return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t size,
                                       cudaStream_t stream = nullptr) {
  return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
}
inline cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return cudaSuccess; }
inline cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy,
};
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
// Pinned memory has the same address on host and device.
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t = nullptr) {
  return cudaSuccess;
}
// A symbol is a variable declared with __device__ or __constant__.
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t size,
                                    std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  if (offset > sizeof(T) || size > sizeof(T) - offset) return cudaErrorInvalidValue;
  char* const to = reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(&symbol)) + offset;
  return cudaMemcpyAsync(to, from, size,
                         kind == cudaMemcpyDeviceToDevice ? kind : cudaMemcpyDefault, stream);
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t size,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  const cudaError_t error = cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind);
  cudaStreamSynchronize(nullptr);
  return error;
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t size,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  if (offset > sizeof(T) || size > sizeof(T) - offset) return cudaErrorInvalidValue;
  return cudaMemcpyAsync(to, reinterpret_cast<const char*>(&symbol) + offset, size,
                         cudaMemcpyDefault, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t size,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  const cudaError_t error = cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind);
  cudaStreamSynchronize(nullptr);
  return error;
}
template <typename T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  *address = const_cast<void*>(static_cast<const void*>(&symbol));
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                            unsigned = 0) {
  return cudaEventRecord(event, stream);
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return limit == cudaLimitMallocHeapSize ? kernelmill::SetHeapLimit(value)
         : limit == cudaLimitStackSize    ? kernelmill::SetStackLimit(value)
                                          : cudaSuccess;
}
inline cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize        ? kernelmill::StackLimit()
           : limit == cudaLimitMallocHeapSize ? kernelmill::HeapLimit()
                                              : 8 << 20;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel kernel, cudaFuncAttribute attribute, int value) {
  return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize
             ? kernelmill::AllowDynamicShared((const void*)kernel, value)
             : cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel) {
  *attributes = kernelmill::AttributesOfKernels();
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int block_size,
                                                          std::size_t dynamic_shared) {
  *blocks = kernelmill::ResidentBlocks(block_size, dynamic_shared);
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel,
                                               std::size_t dynamic_shared = 0, int limit = 0) {
  *block_size = limit > 0 && limit < 1024 ? limit : 1024;
  *grid_size =
      kernelmill::MultiprocessorCount() * kernelmill::ResidentBlocks(*block_size, dynamic_shared);
  return cudaSuccess;
}
