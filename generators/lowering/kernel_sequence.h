// Kernels of one operator that run one behind the other, each launched where it is added.
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/strategy.h"

namespace kernelmill {

class KernelSequence {
 public:
  // `sizes`: what a kernel may take beside its own parameters. The launches stand behind `code`'s
  // own, where a variable `stream` is known.
  KernelSequence(const GroupScope& scope, std::vector<LaunchParameter> sizes, GroupCode* code)
      : scope_(scope), sizes_(std::move(sizes)), code_(*code) {}

  struct Kernel {
    std::string name;  // Its part of the function's name.
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
  // Defines it with those sizes that its body uses, and launches it.
  void Run(Kernel kernel, const std::string& grid, int threads);

 private:
  std::string NameOf(const std::string& name) const;

  const GroupScope& scope_;
  std::vector<LaunchParameter> sizes_;
  GroupCode& code_;
};

}  // namespace kernelmill
