// Under which rules a candidate is judged: one table.
#pragma once

#include <cstdint>
#include <string>
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
  // 1e-2, scaled by the values. For sizes at which the order of long sums shows, where smaller ones
  // have been judged by another rule.
  kLongSums,
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
  // How many numbers forward() may read on the host: settings and flags, but no data.
  std::int64_t host_values = INT64_MAX;
};

const std::vector<VerifyPolicy>& AllVerifyPolicies();
// kUsage for a name that is not in the table.
Result<const VerifyPolicy*> FindVerifyPolicy(std::string_view name);

// What is known of the task when an operator of a candidate is judged.
struct ReferenceOperators {
  const std::vector<std::string>& names;  // That the reference ran.
  bool move_data;                         // It consists of moving data.
};

// Whether an operator ("aten::relu") may run in a candidate's forward(). `called`: by the candidate
// itself, not by another operator.
enum class OperatorVerdict { kAllowed, kComputes, kIsTheTask };
OperatorVerdict JudgeOperator(OperatorRule rule, std::string_view name, bool called,
                              const ReferenceOperators& reference);
// Whether an operator as a library's symbol names it, overload and all ("aten::mul_Tensor"),
// computes whatever the task is.
bool AlwaysComputes(std::string_view name);
// Whether it computes nothing: allocation, views, moving data.
bool IsDataMovement(std::string_view name);
// Whether it reads and writes no values: a view, or memory with nothing in it yet. Operators that
// copy where they must (reshape) call another one then.
bool IsView(std::string_view name);

}  // namespace kernelmill
