#include "generators/grounding/row_rules.h"

#include "generators/grounding/unsupported_claims.h"

namespace kernelmill {
namespace {

// A row about the task alone (shape reasoning) is rendered from torch's report and is not read.
std::vector<std::string> UnsupportedClaimsIn(const KnownTask& known, const WrittenRow& row) {
  const std::vector<const Candidate*> candidates = CandidatesOf(known, row);
  if (candidates.empty()) return {};
  return UnsupportedClaims(row.training.messages.back().content, known, candidates);
}

}  // namespace

const std::vector<RowRule>& AllRowRules() {
  static const std::vector<RowRule> kRules = {
      {"unsupported_fact", UnsupportedClaimsIn},
  };
  return kRules;
}

std::optional<RowViolation> FindRowViolation(const KnownTask& known, const WrittenRow& row) {
  for (const RowRule& rule : AllRowRules()) {
    const std::vector<std::string> violations = rule.violations(known, row);
    if (!violations.empty()) return RowViolation{rule.reason, violations.front()};
  }
  return std::nullopt;
}

}  // namespace kernelmill
