// Reads problems whose inputs are described in a file beside their text, and writes them as tasks
// in KernelBench's convention: one task for each set of inputs. Three benchmarks have such files:
//
//   definition.json    workload.jsonl          SOL-ExecBench; its "reference" defines run()
//   func_NAME.py       config_NAME.json        robust-kbench; arguments of Model and get_inputs()
//   NAME.py            NAME.json               MultiKernelBench; cases for get_input_groups()
//
// SuppliedRows (supplied_rows.h) reads the folders of a source with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

inline constexpr std::string_view kDefinitionName = "definition.json";

// The path of the file that describes the inputs of the problem at `path`; "" when there is none.
// Of a definition.json it is named whether it exists or not.
std::string InputsBeside(const std::string& path);

struct WorkloadTask {
  std::string code;
  std::string problem;  // Why no task can be written for these inputs; `code` is empty then.
  std::string inputs;   // What the file says of them then.
};
// The tasks of the problem at `path`, which InputsBeside() names a file for. The error says why
// there are none, and names the file; links, large files and thousands of tasks are refused.
Result<std::vector<WorkloadTask>> WorkloadTasks(const std::string& path);

}  // namespace kernelmill
