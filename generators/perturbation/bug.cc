#include "generators/perturbation/bug.h"

#include <regex>
#include <set>

#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

// An atomic operation of one thread counts as a request and a sector too: it replaces a store that
// neighbouring threads would share.
struct Cost {
  std::int64_t requests = 0, sectors = 0, conflicts = 0, atomics = 0;
  bool counted = false;
};

Cost CostOf(const Verdict& verdict) {
  Cost cost;
  for (const VerdictLaunch& launch : verdict.launches) {
    if (!launch.counts) return {};
    const VerdictCounts& counts = *launch.counts;
    const std::int64_t atomics = counts.global_atomics + counts.shared_atomics;
    cost.requests += counts.GlobalRequests() + counts.SharedRequests() + atomics;
    cost.sectors += counts.GlobalSectors() + atomics;
    cost.conflicts += counts.bank_conflicts;
    cost.atomics += atomics;
    cost.counted = true;
  }
  return cost;
}

}  // namespace

std::string_view FailureClassName(FailureClass failure) {
  switch (failure) {
    case FailureClass::kBuild:
      return "build";
    case FailureClass::kInterface:
      return "interface";
    case FailureClass::kLegality:
      return "legality";
    case FailureClass::kNumerics:
      return "numerics";
    case FailureClass::kBounds:
      return "bounds";
    case FailureClass::kRace:
      return "race";
    case FailureClass::kSlowness:
      return "slowness";
  }
  return {};
}

const std::vector<FailureClass>& AllFailureClasses() {
  using enum FailureClass;
  static const std::vector<FailureClass> kAll = {kBuild,  kInterface, kLegality, kNumerics,
                                                 kBounds, kRace,      kSlowness};
  return kAll;
}

const std::vector<BugClass>& AllBugs() {
  static const std::vector<BugClass> kBugs = [] {
    std::vector<BugClass> bugs;
    AddBuildBugs(&bugs);
    AddInterfaceBugs(&bugs);
    AddLegalityBugs(&bugs);
    AddIndexBugs(&bugs);
    AddValueBugs(&bugs);
    AddBoundsBugs(&bugs);
    AddRaceBugs(&bugs);
    AddSlownessBugs(&bugs);
    return bugs;
  }();
  return kBugs;
}

const BugClass* FindBug(std::string_view name) {
  for (const BugClass& bug : AllBugs()) {
    if (bug.name == name) return &bug;
  }
  return nullptr;
}

std::vector<std::string> MutantTexts(const BugClass& bug, const AnswerTrees& answer) {
  std::vector<BugSite> sites;
  bug.find_sites(answer, &sites);
  std::vector<std::string> mutants;
  std::set<std::string> seen;
  for (BugSite& site : sites) {
    std::optional<std::string> text = WithEdits(answer.code(), std::move(site));
    if (text && seen.insert(*text).second) mutants.push_back(*std::move(text));
  }
  return mutants;
}

bool CostsMore(const Verdict& one, const Verdict& other) {
  const Cost a = CostOf(one), b = CostOf(other);
  if (!a.counted || !b.counted) return false;
  bool more = false;
  for (const auto field : {&Cost::requests, &Cost::sectors, &Cost::conflicts, &Cost::atomics}) {
    if (a.*field < b.*field) return false;
    more = more || a.*field > b.*field + b.*field / 8;
  }
  return more;
}

bool ProvesBug(const BugClass& bug, const Verdict& mutant, const Verdict& right) {
  using enum VerdictStatus;
  if (!IsAboutCandidate(mutant.status)) return false;
  switch (bug.failure) {
    case FailureClass::kBuild:
      return mutant.status == kNotBuilt;
    case FailureClass::kInterface:
      return mutant.status != kCorrect;
    case FailureClass::kLegality:
      return mutant.status == kIllegal;
    case FailureClass::kSlowness:
      return mutant.status == kCorrect && right.status == kCorrect && CostsMore(mutant, right);
    default:
      return !IsOneOf(mutant.status, {kCorrect, kNoAnswer, kNotBuilt, kNotLoaded, kIllegal});
  }
}

std::string CauseIn(const BugClass& bug, const std::string& program) {
  struct Special {
    std::string_view bug;
    std::regex program;
    std::string cause;  // $1 is what the expression captures.
  };
  static const std::vector<Special> kSpecial = {
      {"loop_starts_late", std::regex(R"(for \(int k = 1; k < (\d+); \+\+k\))"),
       "the loop begins at 1, so the first of the $1 terms of every tile is never added"},
      {"loop_stops_early", std::regex(R"(for \(int k = 0; k < (\d+) - 1; \+\+k\))"),
       "the loop ends one iteration too early, so the last of the $1 terms of every tile is never "
       "added"},
      {"loop_one_too_far", std::regex(R"(\b(row) <= rows\w*;)"),
       "the loop includes its limit and so runs one iteration too many, with a $1 beyond the end"},
      // Each thread goes through neighbouring elements of its own.
      {"shared_element", std::regex(R"(i < (end); \+\+i\) out\[i / 2\])"),
       "two neighbouring elements of a thread are stored in one place, and half of the output is "
       "never written there"},
  };
  for (const Special& special : kSpecial) {
    std::smatch match;
    if (special.bug != bug.name || !std::regex_search(program, match, special.program)) continue;
    return match.format(special.cause);
  }
  return std::string(bug.cause);
}

}  // namespace kernelmill
