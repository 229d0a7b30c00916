// Finds KernelBench's problems in a checkout of its repository
// (KernelBench/level<L>/<number>_<name>.py), for the commands that verify KernelBench samples and
// that measure which problems can be captured.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kernelmill {

// Problem number to path, for one level; empty when the checkout has no such folder.
std::map<int, std::filesystem::path> KernelBenchProblems(const std::string& checkout, int level);

// The levels that KernelBench has.
inline constexpr int kKernelBenchLevels[] = {1, 2, 3, 4};

}  // namespace kernelmill
