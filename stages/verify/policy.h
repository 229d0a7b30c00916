// Under which rules a candidate is judged: one table.
#pragma once

#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Which operators of torch a candidate's forward() may run.
enum class OperatorRule {
  kAny,
  kPaper,   // The list that MusaCoder's paper prints in its appendix J.
  kStrict,  // Allocation, views, and moving data where that is not the task itself.
};

// When an output is right.
enum class ToleranceRule {
  kKernelBench,  // torch.allclose(expected, got, 1e-4, 1e-4), 1e-2 for half and bfloat16.
  kOracle,  // Also what float32 can be expected to miss of a float64 run; scaled by the values.
};

struct VerifyPolicy {
  std::string_view name;
  std::string_view explanation;
  bool syntax;  // What legality.py refuses ends the judgement.
  OperatorRule operators;
  bool kernels;  // A candidate has to launch kernels, and its result has to come from them.
  ToleranceRule tolerance;
  int trials;       // With fresh inputs of the task's own kind.
  bool generality;  // Other shapes, values and layouts are tried as well.
};

const std::vector<VerifyPolicy>& AllVerifyPolicies();
// kUsage for a name that is not in the table.
Result<const VerifyPolicy*> FindVerifyPolicy(std::string_view name);

// Whether an operator ("aten::relu") may run in a candidate's forward(). `task_moves_data`: the
// reference itself consists of moving data. `in_reference`: the reference ran this operator.
enum class OperatorVerdict { kAllowed, kComputes, kIsTheTask };
OperatorVerdict JudgeOperator(OperatorRule rule, std::string_view name, bool in_reference,
                              bool task_moves_data);
// Whether it computes nothing: allocation, views, moving data.
bool IsDataMovement(std::string_view name);

}  // namespace kernelmill
