// The table of policies: the rules that candidates are judged under.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Which operators of torch a candidate's forward() may run.
enum class OperatorRule {
  kAny,
  kPaper,   // The list that MusaCoder's paper prints in its appendix J.
  kStrict,  // Allocation, views, and copies and joins where moving data is not the task itself.
};

// The tolerance within which an output is right.
enum class ToleranceRule {
  kKernelBench,  // torch.allclose(expected, got, 1e-4, 1e-4), 1e-2 for half and bfloat16.
  kCloseTo1Percent,  // torch.allclose(expected, got, 1e-2, 1e-2) for all dtypes.
  kOracle,       // Scaled by the values, and widened by the error of float32 against float64.
  // 1e-2, scaled by the values. For sizes at which the order of long sums changes results;
  // precision was judged at smaller sizes by another rule.
  kLongSums,
};

// Whether a rule is that of torch.allclose(), which needs the reference in its own dtype alone.
inline bool IsAllClose(ToleranceRule rule) {
  return rule == ToleranceRule::kKernelBench || rule == ToleranceRule::kCloseTo1Percent;
}

struct VerifyPolicy {
  std::string_view name;
  std::string_view explanation;
  // Whether more ends a candidate than a wrong result: findings in its Python and native text and
  // in its library, a build that fails, and changed inputs.
  bool has_rules;
  OperatorRule operators;
  bool kernels;  // A candidate must launch kernels, and its result must come from them.
  ToleranceRule tolerance;
  int trials;       // Number of trials with new inputs of the task's own kind.
  bool generality;  // Whether other values, shapes and layouts are tried too.
  // How many bytes of device memory forward() may move to the host: enough for settings and flags,
  // not for data.
  std::int64_t host_bytes = INT64_MAX;
};

const std::vector<VerifyPolicy>& AllVerifyPolicies();
// kUsage for a name that is not in the table.
Result<const VerifyPolicy*> FindVerifyPolicy(std::string_view name);

// The facts about the reference that operators of a candidate are judged by.
struct ReferenceOperators {
  const std::vector<std::string>& names;  // The operators that the reference ran.
  bool move_data;                         // Whether the reference only moves data.
};

// Whether an operator ("aten::relu") may run in a candidate's forward(). `called`: the candidate
// itself called it, not another operator.
enum class OperatorRuling { kAllowed, kComputes, kIsTheTask };
OperatorRuling RuleOnOperator(OperatorRule rule, std::string_view name, bool called,
                              const ReferenceOperators& reference);
// The operators of namespace aten ("relu") that RuleOnOperator() allows when it is not known who
// calls them; all others raise while a candidate runs. Nothing if a candidate may run all.
std::optional<std::vector<std::string>> AllowedOperators(OperatorRule rule,
                                                         const ReferenceOperators& reference);
// Whether an operator counts as computation for every task. `name` is spelled as in a library's
// symbol, with its overload ("aten::mul_Tensor").
bool AlwaysComputes(std::string_view name);
// Whether an operator only allocates, views or moves data.
bool IsDataMovement(std::string_view name);
// Whether an operator reads and writes no values: a view, or an allocation. Operators that copy
// only where they must (reshape) call another operator for the copy.
bool IsViewOperator(std::string_view name);

}  // namespace kernelmill
