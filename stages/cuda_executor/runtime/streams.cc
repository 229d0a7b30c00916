// Implements the CUDA runtime's functions for streams, events and waits.
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/replay/replay.h"

namespace kernelmill {
namespace {

StreamOrder& Order() { return TheReplay().order(); }

// The error of a kernel, which every later call reports.
cudaError_t KernelError() {
  return Device().last_error == cudaErrorLaunchFailure ? cudaErrorLaunchFailure : cudaSuccess;
}

}  // namespace

cudaStream_t CurrentStream() { return Order().current(); }
void SetCurrentStream(cudaStream_t stream) { Order().SetCurrent(stream); }
void NoteShared(const void* memory) { TheReplay().OnShared(memory); }

cudaStream_t StreamOfPool() {
  constexpr std::size_t kStreams = 32;  // As many as torch's pool has for one priority.
  static std::vector<cudaStream_t> pool;
  static std::size_t next = 0;
  if (pool.size() < kStreams) {
    pool.push_back(Order().NewStream(false));
    return pool.back();
  }
  return pool[next++ % kStreams];
}

}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = Order().NewStream((flags & cudaStreamNonBlocking) == 0);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Order().DropStream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Order().HostWaitsFor(stream);
  return KernelError();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  Order().Wait(stream, event);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = Order().NewEvent();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Order().DropEvent(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Order().Record(event, stream);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Order().HostWaitsFor(event);
  return KernelError();
}
cudaError_t cudaDeviceSynchronize() {
  Order().HostWaitsForAll();
  return KernelError();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
// The elapsed time is the number of launches as microseconds: it is never zero, does not depend on
// the machine, and tells nothing of the values that kernels have.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1e-3f * static_cast<float>(1 + Log().launch_count());
  return cudaSuccess;
}
}
