// Bug classes: typical bugs in native kernels, how each is put into a correct answer by text edits,
// and how a verdict proves it. The steps "perturb" and "check" make mutants with them; review and
// repair rows explain them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "generators/perturbation/answer_trees.h"
#include "generators/perturbation/text_edit.h"

namespace kernelmill {

// How an answer with the bug fails. A closed list.
enum class FailureClass : std::uint8_t {
  kBuild,
  kInterface,  // Kernels, binding and model do not fit together.
  kLegality,
  kNumerics,
  kBounds,  // Also every bug that ends a launch or a process.
  kRace,
  kSlowness,  // The answer is correct but needlessly slow.
};
// "build", "interface" …
std::string_view FailureClassName(FailureClass failure);
const std::vector<FailureClass>& AllFailureClasses();

// The kind of run that proves a bug.
enum class BugProof : std::uint8_t {
  kRun,
  kMemory,  // A run that checks the bounds of every access.
  kRaces,   // A run that checks every access for races.
  kCounts,  // A comparison of the counters with those of the correct answer.
};

using BugSite = std::vector<TextEdit>;

struct BugClass {
  std::string_view name;  // "missing_guard"; unique.
  FailureClass failure;
  BugProof proof;
  std::string_view cause;   // What is wrong and what follows from it: a clause.
  std::string_view remedy;  // What to do about it: an imperative.
  // Appends every place where the bug can be made, in source order.
  void (*find_sites)(const AnswerTrees& answer, std::vector<BugSite>* sites);
};

// All classes, grouped by their failure class.
const std::vector<BugClass>& AllBugs();
// Null for an unknown name.
const BugClass* FindBug(std::string_view name);

// The cause in the words of this program, which has the bug: a loop over the terms of a tile leaves
// out one term in each, a loop over rows goes to a further row.
std::string CauseIn(const BugClass& bug, const std::string& program);

// Every distinct text that the bug turns the answer into, in order of the sites.
std::vector<std::string> MutantTexts(const BugClass& bug, const AnswerTrees& answer);

// Whether the verdict on the mutant proves the bug: the mutant fails in the way of the bug's
// failure class. For slowness `right` is the verdict on the correct answer, and both verdicts have
// counters; other classes ignore `right`.
bool ProvesBug(const BugClass& bug, const Verdict& mutant, const Verdict& right);

// Whether the launches of `one` cost more than those of `other`: at least one of requests, sectors,
// bank conflicts and atomics is higher by an eighth or more, and none is lower.
bool CostsMore(const Verdict& one, const Verdict& other);

// The tables of the classes, one per file of bugs.
void AddBuildBugs(std::vector<BugClass>* bugs);
void AddInterfaceBugs(std::vector<BugClass>* bugs);
void AddLegalityBugs(std::vector<BugClass>* bugs);
void AddIndexBugs(std::vector<BugClass>* bugs);
void AddValueBugs(std::vector<BugClass>* bugs);
void AddBoundsBugs(std::vector<BugClass>* bugs);
void AddRaceBugs(std::vector<BugClass>* bugs);
void AddSlownessBugs(std::vector<BugClass>* bugs);

}  // namespace kernelmill
