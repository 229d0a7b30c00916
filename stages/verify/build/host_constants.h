// Arrays of the host that device code reads. Code of the device may use the value of a constant of
// the host, but neither its address nor an element of it (CUDA C++ Programming Guide,
// "Const-qualified Variables"): nvcc 13.0 says `identifier "k" is undefined in device code` for
// k[i], k[2] and a loop over k, at file scope, in namespaces and in classes. Clang and NVRTC, whose
// code is all of the device, accept them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// The name of an array that `device_code` (LLVM's textual form, of clang's CUDA mode) reads and that
// is const or constexpr, but not of the device, where `units` declare it; empty if there is none. A
// declaration with a macro is left out: the macro may place the array on the device.
std::string HostConstantIn(std::string_view device_code, const std::vector<std::string>& units);

}  // namespace kernelmill
