// How much of KernelBench the operator table can say.
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
  std::string name;  // Of its file, without ".py".
  // Why torch could not run it without data; empty where it could.
  std::string not_captured;
  std::vector<std::string> unknown;  // Functions that no row stands for.
  std::string unfit;                 // GraphCapture::unfit.
  std::vector<std::string> operators;  // GraphCapture::operators.
  std::int64_t elements = 0;           // Of the tensors that forward() is given.
  OperatorCost cost;                   // Of the graph, where it is whole.
};

struct LevelCoverage {
  int problems = 0;
  int captured = 0;
  int known = 0;     // Every operator has a row.
  int complete = 0;  // And every call of one has arguments that the row has.
};

// The problems below `checkout`/KernelBench in order of level and number, each captured in the
// worker's sandbox. kNotFound where there are none.
Result<std::vector<ProblemCoverage>> CoverKernelBench(const std::string& checkout);

std::map<int, LevelCoverage> ByLevel(const std::vector<ProblemCoverage>& problems);

// {"levels": {level: {"problems", "captured", "known", "complete"}}, "problems": [{"level", "name",
// "operators", "elements", "flops", "bytes", "not_captured", "unknown", "unfit"}]}; no costs where
// no graph says the problem.
Json CoverageJson(const std::vector<ProblemCoverage>& problems);
// A line a level, then what is missing with the problems that it is missing in.
std::string CoverageText(const std::vector<ProblemCoverage>& problems);

}  // namespace kernelmill
