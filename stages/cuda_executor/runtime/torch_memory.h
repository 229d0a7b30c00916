// Connects torch to the two address spaces (address_spaces.h) in the process that runs a candidate:
// tensors are allocated in pages of their own, and torch's operators may access all memory. Called
// by the Python module (python_module.cc) and the loader of extensions.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace kernelmill {

// Installs torch's allocator and a hook on its operators. Called once per process, before the first
// tensor is created.
void WatchTorch();
// KnownOperators() lists the operators that are registered now. AddExtensionOperators() declares
// all that were registered since to be host code of an extension.
std::vector<std::string> KnownOperators();
void AddExtensionOperators(const std::vector<std::string>& known_before);
// Move a tensor's memory to the device or to the host, whatever it was used for before, or let both
// use it.
void MoveToDevice(const at::Tensor& tensor);
void MoveToHost(const at::Tensor& tensor);
void ShareMemory(const at::Tensor& tensor);

}  // namespace kernelmill
