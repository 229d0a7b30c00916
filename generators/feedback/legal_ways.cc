#include "generators/feedback/legal_ways.h"

#include <map>

namespace kernelmill {

std::string_view LegalWay(std::string_view reason) {
  static const std::map<std::string_view, std::string_view> kWays = {
      {"torch_compute",
       "compute it in a kernel; forward() may allocate (torch.empty_like), make views and copies "
       "(view, transpose, contiguous) and call the extension"},
      {"task_operator", "move the data in a kernel"},
      {"layer_called",
       "keep the layer for its parameters, and hand its weight and bias to a kernel"},
      {"inherits_reference",
       "derive ModelNew from nn.Module, and create the parameters in the reference's order"},
      {"fallback",
       "take the same way in every call, and raise an error (TORCH_CHECK, raise) for inputs that "
       "the kernels do not handle"},
      {"foreign_compute", "compute in a kernel; other libraries may compute launch settings"},
      {"data_on_host",
       "leave the data in device memory and compute in a kernel; single numbers may be read with "
       ".item()"},
      {"compiled_by_torch", "write the kernel's source and build it with load_inline"},
      {"graph_replay", "launch the kernels in forward()"},
      {"tensor_subclass", "return plain tensors that the extension has allocated"},
      {"loads_parameters", "create the parameters in the constructor, in the reference's order"},
      {"forbidden_import",
       "leave the import out; torch, math, os, typing and the like are enough to build and launch "
       "kernels"},
      {"vendor_library", "write the computation as a kernel, for example a tiled matrix product"},
      {"forbidden_symbol",
       "leave the call out; host code checks its arguments, allocates through torch or the CUDA "
       "runtime, and launches kernels"},
      {"reaches_interpreter",
       "read attributes by name, of objects of your own and of torch's public modules"},
      {"patches_torch",
       "leave torch's modules and classes as they are, and define functions of "
       "your own"},
      {"observer_disabled",
       "leave torch's dispatch modes, hooks and profilers alone; an answer needs none of them"},
      {"no_kernel", "build a kernel with load_inline and launch it in forward()"},
      {"decoy_kernel", "return the tensors that the kernels write"},
      {"host_values", "compute every value of the result in a kernel, from the inputs of this call"},
  };
  const auto way = kWays.find(reason);
  return way == kWays.end() ? std::string_view() : way->second;
}

}  // namespace kernelmill
