#include "generators/grounding/row_rules.h"

#include "generators/grounding/false_relations.h"
#include "generators/grounding/unanswerable_claims.h"
#include "generators/grounding/unsupported_claims.h"

namespace kernelmill {
namespace {

// A row about the task alone (shape reasoning) is rendered from torch's report and is not read.
std::vector<std::string> UnsupportedClaimsIn(const KnownTask& known, const WrittenRow& row) {
  const std::vector<const Candidate*> candidates = CandidatesOf(known, row);
  if (candidates.empty()) return {};
  return UnsupportedClaims(row.training.messages.back().content, known, candidates);
}

// Sentences of the bug's description and of the program are about the candidates of the row.
std::vector<std::string> FalseRelationsIn(const KnownTask& known, const WrittenRow& row) {
  const std::vector<const Candidate*> candidates = CandidatesOf(known, row);
  const bool by_rule =
      row.training.reasoning_author.empty() || row.training.reasoning_author == kReasonedByRule;
  if (candidates.empty() || !by_rule) return {};
  return FalseRelations(row.training.messages.back().content, known, candidates);
}

std::vector<std::string> UnanswerableClaimsIn(const KnownTask&, const WrittenRow& row) {
  return UnanswerableClaims(row.training);
}

}  // namespace

const std::vector<RowRule>& AllRowRules() {
  static const std::vector<RowRule> kRules = {
      {"unsupported_fact", UnsupportedClaimsIn},
      {kNotAnswerable, UnanswerableClaimsIn},
      {"false_relation", FalseRelationsIn},
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
