// The rules that a row about a task has to keep before it is published, such as that every number
// in it is true. The step "render" checks each such row against all of them (FindRowViolation())
// and rejects a row that breaks one, for the reason that the rule names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/task_rows/task_rows.h"

namespace kernelmill {

// The reason for a row whose answer says what its question does not show. Rows about mined kernels,
// which have no task, keep this rule too.
inline constexpr std::string_view kNotAnswerable = "not_answerable";

struct RowRule {
  std::string_view reason;  // Of the rejection: a name from manifests/reason.h.
  // Everything in the row that breaks the rule, each with the words around it; empty when the row
  // keeps the rule. `known` is the task that the row was written about.
  std::vector<std::string> (*violations)(const KnownTask& known, const WrittenRow& row);
};
// Every rule. A new rule is one more entry in row_rules.cc.
const std::vector<RowRule>& AllRowRules();

struct RowViolation {
  std::string_view reason;  // RowRule::reason.
  std::string detail;       // The first of the violations, on one line.
};
// The first rule that the row breaks; nothing when it keeps them all.
std::optional<RowViolation> FindRowViolation(const KnownTask& known, const WrittenRow& row);

}  // namespace kernelmill
