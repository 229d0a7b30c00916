// Lists the CUDA runtime's errors that the executor's runtime API returns (runtime_api.h), numbered
// and described as CUDA 12 does (driver_types.h), since candidates print and compare them.
#pragma once

#define KM_CUDA_ERRORS(X)                                                                 \
  X(cudaSuccess, 0, "no error")                                                           \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                         \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                        \
  X(cudaErrorInitializationError, 3, "initialization error")                              \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                  \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                   \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                             \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                  \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                              \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                          \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")             \
  X(cudaErrorInsufficientDriver, 35,                                                      \
    "CUDA driver version is insufficient for CUDA runtime version")                       \
  X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")      \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                        \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                         \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                   \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                          \
  X(cudaErrorNoKernelImageForDevice, 209,                                                 \
    "no kernel image is available for execution on the device")                           \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                             \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                       \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                               \
  X(cudaErrorNotReady, 600, "device not ready")                                           \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")             \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")        \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")               \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")             \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")               \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                 \
  X(cudaErrorHostMemoryAlreadyRegistered, 712,                                            \
    "part or all of the requested memory range is already mapped")                        \
  X(cudaErrorHostMemoryNotRegistered, 713,                                                \
    "pointer does not correspond to a registered memory region")                          \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")           \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                            \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")     \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                \
  X(cudaErrorNotSupported, 801, "operation not supported")                                \
  X(cudaErrorUnknown, 999, "unknown error")

enum cudaError : int {
#define KM_ERROR(name, number, text) name = number,
  KM_CUDA_ERRORS(KM_ERROR)
#undef KM_ERROR
};
using cudaError_t = cudaError;

extern "C" {
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
}
