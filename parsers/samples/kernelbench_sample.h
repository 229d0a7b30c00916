// A sample of a run folder of KernelBench: the file level_L_problem_P_sample_S_kernel.py, which
// holds the code that KernelBench has found in a model's message.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/samples/sample_format.h"

namespace kernelmill {

struct KernelBenchSampleName {
  int level = 0, problem = 0, sample = 0;

  // Of "level_2_problem_7_sample_0" or "level_2_problem_7_sample_0_kernel.py".
  static std::optional<KernelBenchSampleName> Parse(std::string_view name);
  // Whether the name of a file is that of a sample.
  static bool IsFile(std::string_view name);

  std::string Task() const;  // "level_2_problem_7"
  std::string Key() const;   // "level_2_problem_7_sample_0"

  friend auto operator<=>(const KernelBenchSampleName&, const KernelBenchSampleName&) = default;
};

// The row of `kernelbench` in AllSampleFormats().
ParsedSamples ParseKernelBenchFile(std::string_view name, std::string_view text);

}  // namespace kernelmill
