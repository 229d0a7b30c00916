// KernelSequence: appends several kernels of one operator, which run one after the other, and their
// launches to the code of a group. Used by the strategy for multi-head attention.
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/strategy.h"

namespace kernelmill {

class KernelSequence {
 public:
  // `sizes`: parameters that a kernel may use besides its own. Launches are appended to those in
  // `code`, whose host code declares `stream`.
  KernelSequence(const GroupScope& scope, std::vector<LaunchParameter> sizes, GroupCode* code)
      : scope_(scope), sizes_(std::move(sizes)), code_(*code) {}

  struct Kernel {
    std::string name;  // The suffix that is appended to the function's name.
    std::string comment;
    std::vector<LaunchParameter> parameters;
    std::string attributes;
    std::string body;
    std::int64_t shared_bytes = 0;
  };
  void Define(const Kernel& kernel);
  bool IsDefined(const std::string& name) const;
  void Launch(const std::string& name, const std::vector<LaunchParameter>& parameters,
              const std::string& grid, int threads);
  // Defines the kernel, with the sizes that its body uses, and launches it.
  void Run(Kernel kernel, const std::string& grid, int threads);

 private:
  std::string NameOf(const std::string& name) const;

  const GroupScope& scope_;
  std::vector<LaunchParameter> sizes_;
  GroupCode& code_;
};

}  // namespace kernelmill
