// Bugs that people and models make in kernels, and where an answer has room for them.
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

// What a bug comes to when the answer is tried. Closed.
enum class FailureClass : std::uint8_t {
  kBuild,
  kInterface,  // Between the kernels, their binding and the model.
  kLegality,
  kNumerics,
  kBounds,  // And all that ends a launch or a process.
  kRace,
  kSlowness,  // Right, and needlessly slow.
};
// "build", "interface" …
std::string_view FailureClassName(FailureClass failure);
const std::vector<FailureClass>& AllFailureClasses();

// What it takes to show a bug.
enum class BugProof : std::uint8_t {
  kRun,
  kMemory,  // Every access checked for bounds.
  kRaces,   // Every access checked for its order.
  kCounts,  // The counters of both, the right answer and the changed one.
};

using BugSite = std::vector<TextEdit>;

struct BugClass {
  std::string_view name;  // "missing_guard"; no two have the same.
  FailureClass failure;
  BugProof proof;
  // In one of several ways each, as generators/wording/voice.h reads them.
  std::string_view cause;   // What a reviewer says of it: a clause.
  std::string_view remedy;  // What its author has to do: an imperative.
  // Every place where it can be made, in source order.
  void (*find)(const AnswerTrees& answer, std::vector<BugSite>* sites);
};

// All classes, grouped by their failure.
const std::vector<BugClass>& AllBugs();
// Null for an unknown name.
const BugClass* FindBug(std::string_view name);

// Every text that the bug makes of the answer, without repeats, in order of the sites.
std::vector<std::string> Mutants(const BugClass& bug, const AnswerTrees& answer);

// Whether the verdict on a mutant shows the bug: that it fails, and not by something else than what
// the bug stands for. For slowness both verdicts have counts, and `right` is the one on the answer
// without the bug; other classes do not look at it.
bool Proves(const BugClass& bug, const Verdict& mutant, const Verdict& right);

// Whether launches cost more in one of requests, sectors, bank conflicts and atomics, by an eighth
// or more, and less in none.
bool CostsMore(const Verdict& one, const Verdict& other);

// The tables of the classes.
void AddBuildBugs(std::vector<BugClass>* bugs);
void AddInterfaceBugs(std::vector<BugClass>* bugs);
void AddLegalityBugs(std::vector<BugClass>* bugs);
void AddIndexBugs(std::vector<BugClass>* bugs);
void AddValueBugs(std::vector<BugClass>* bugs);
void AddBoundsBugs(std::vector<BugClass>* bugs);
void AddRaceBugs(std::vector<BugClass>* bugs);
void AddSlownessBugs(std::vector<BugClass>* bugs);

}  // namespace kernelmill
