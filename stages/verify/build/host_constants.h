// Arrays of the host that device code reads. Code of the device may use the value of a scalar
// constant of the host, but no element of an array (CUDA C++ Programming Guide, "Const-qualified
// Variables"): nvcc 13.0 says `identifier "k" is undefined in device code` for k[i], k[2] and a
// loop over k, at file scope, in namespaces and in classes. Clang and NVRTC accept them. A k[2]
// alone is not seen here: clang puts its value in the code. Neither is an array that a constexpr
// function reads, which nvcc accepts where the function's result is a constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// The name of an array that `device_code` (LLVM's textual form, of clang's CUDA mode) reads and
// that is const or constexpr, but not of the device, where `texts`, the candidate's sources and
// headers, declare it; empty if there is none. A declaration with a macro is left out: the macro
// may place the array on the device.
std::string HostConstantIn(std::string_view device_code, const std::vector<std::string>& texts);

}  // namespace kernelmill
