// Connects torch to the two address spaces (address_spaces.h) in the process that runs a candidate:
// tensors are allocated in pages of their own. Called by the Python module (python_module.cc).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace kernelmill {

// Installs torch's allocator and observes its operators. Called once per process, before the first
// tensor is created.
void WatchTorch();
// The names of the operators that are registered now, sorted.
std::vector<std::string> KnownOperators();
// From now on new memory holds what these tensors hold now, where it is as large as theirs, as the
// caching allocator of torch gives memory out again. With no tensors, this ends. `changed`: some of
// the values are others (ChangeSome()).
void LeaveValues(const std::vector<at::Tensor>& tensors, bool changed);
// Fills new memory of the device, with what is left for its size or by FillFresh().
void FillNew(void* memory, std::size_t size);
// Move a tensor's memory to the device or to the host, whatever it was used for before.
void MoveToDevice(const at::Tensor& tensor);
void MoveToHost(const at::Tensor& tensor);

}  // namespace kernelmill
