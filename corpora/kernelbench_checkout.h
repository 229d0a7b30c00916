// Finds KernelBench's problems in a checkout of its repository
// (KernelBench/level<L>/<number>_<name>.py), for the commands that verify KernelBench samples and
// that measure which problems can be captured.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace kernelmill {

// Problem number to path, for one level; empty when the checkout has no such folder.
std::map<int, std::filesystem::path> KernelBenchProblems(const std::string& checkout, int level);

// "level_1_problem_19" for a path that ends in "level1/19_ReLU.py".
std::optional<std::string> KernelBenchProblemAt(const std::filesystem::path& path);

// The levels that KernelBench has.
inline constexpr int kKernelBenchLevels[] = {1, 2, 3, 4};

}  // namespace kernelmill
