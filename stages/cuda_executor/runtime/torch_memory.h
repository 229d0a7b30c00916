// Torch's part in the two address spaces: tensors are allocated in pages of their own, and its
// operators reach all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace kernelmill {

// Once a process, before the first tensor.
void WatchTorch();
// The operators that torch knows now, and that those beyond them are the host code of an extension.
std::vector<std::string> KnownOperators();
void AddExtensionOperators(const std::vector<std::string>& known_before);
// Puts a tensor's memory on the device, whatever it was used for, or on the host; or lets both
// sides use it.
void MoveToDevice(const at::Tensor& tensor);
void MoveToHost(const at::Tensor& tensor);
void ShareMemory(const at::Tensor& tensor);

}  // namespace kernelmill
