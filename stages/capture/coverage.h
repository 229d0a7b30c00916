// Measures how much of KernelBench the operator table can express, for developers of the table:
// `generate --coverage CHECKOUT` prints the result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

struct ProblemCoverage {
  int level = 0;
  std::string name;  // The file's name without ".py".
  // Why torch could not run it without data; empty if it could.
  std::string not_captured;
  std::vector<std::string> unknown;  // Functions without a row in the table.
  std::string unfit;                 // CapturedGraph::unfit.
  std::vector<std::string> operators;  // CapturedGraph::operators.
  std::int64_t elements = 0;           // Number of elements of all input tensors.
  OperatorCost cost;                   // The cost of the graph, if it is complete.
};

struct LevelCoverage {
  int problems = 0;
  int captured = 0;
  int known = 0;     // Problems whose operators all have a row.
  int complete = 0;  // Those of them whose arguments the rows support too.
};

// Captures the problems below `checkout`/KernelBench in the worker's sandbox, in the order of level
// and number. kNotFound if there are none.
Result<std::vector<ProblemCoverage>> CoverKernelBench(const std::string& checkout);

std::map<int, LevelCoverage> ByLevel(const std::vector<ProblemCoverage>& problems);

// {"levels": {level: {"problems", "captured", "known", "complete"}}, "problems": [{"level", "name",
// "operators", "elements", "flops", "bytes", "not_captured", "unknown", "unfit"}]}; a problem whose
// graph is incomplete has no costs.
Json CoverageJson(const std::vector<ProblemCoverage>& problems);
// One line per level, then the missing operators with the problems that need them.
std::string CoverageText(const std::vector<ProblemCoverage>& problems);

}  // namespace kernelmill
