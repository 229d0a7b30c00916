#include <kernelmill/cuda_errors.h>

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define KM_ERROR(name, number, text) \
  case name:                         \
    return #name;
    KM_CUDA_ERRORS(KM_ERROR)
#undef KM_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define KM_ERROR(name, number, text) \
  case name:                         \
    return text;
    KM_CUDA_ERRORS(KM_ERROR)
#undef KM_ERROR
  }
  return "unrecognized error code";
}

}  // extern "C"
