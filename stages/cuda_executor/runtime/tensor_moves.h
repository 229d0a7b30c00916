// Moves tensors between host and device memory, as `.cpu()`, `.cuda()` and `.to(device)` do on a
// device. Torch, which has one device here, would return the same tensor.
#pragma once

#include <ATen/core/Tensor.h>

namespace kernelmill {

// A copy in the other memory, or the tensor itself if it lies there already. ToHost() counts the
// device's values that it copies.
at::Tensor ToHost(const at::Tensor& tensor);
at::Tensor ToDevice(const at::Tensor& tensor);
// A copy in memory that host code and kernels may access.
at::Tensor ToPinned(const at::Tensor& tensor);

// Makes calls of `to` with a device, from C++ too, act as on a device. C++ code does not tell which
// way it moves a tensor, because kCPU and kCUDA are the same device here: the first access to the
// result tells. Called once per process.
void WatchMoves();

}  // namespace kernelmill
