#include "generators/lowering/kernel_sequence.h"

#include <algorithm>

namespace kernelmill {

std::string KernelSequence::NameOf(const std::string& name) const {
  return scope_.function() + '_' + name + "_kernel";
}

bool KernelSequence::IsDefined(const std::string& name) const {
  const std::vector<std::string>& known = code_.plan.kernels;
  return std::find(known.begin(), known.end(), NameOf(name)) != known.end();
}

void KernelSequence::Define(const Kernel& kernel) {
  const std::string name = NameOf(kernel.name);
  code_.definitions.push_back(
      {name, CommentText(kernel.comment) +
                 SignatureText("__global__ void" + kernel.attributes + ' ' + name + '(',
                               kernel.parameters, ") {") +
                 FillHoles("\n\n  @body@\n}\n", {{"body", kernel.body}})});
  code_.plan.kernels.push_back(name);
  code_.plan.shared_bytes = std::max(code_.plan.shared_bytes, kernel.shared_bytes);
}

void KernelSequence::Launch(const std::string& name,
                            const std::vector<LaunchParameter>& parameters,
                            const std::string& grid, int threads) {
  code_.after_outputs +=
      LaunchText(NameOf(name) + "<<<" + grid + ", " + std::to_string(threads) + ", 0, stream>>>(",
                 parameters) +
      '\n' + std::string(scope_.backend().launch_check) + '\n';
}

void KernelSequence::Run(Kernel kernel, const std::string& grid, int threads) {
  const std::vector<LaunchParameter> used = UsedParameters(sizes_, kernel.body);
  kernel.parameters.insert(kernel.parameters.end(), used.begin(), used.end());
  Define(kernel);
  Launch(kernel.name, kernel.parameters, grid, threads);
}

}  // namespace kernelmill
