// Answers to graphs of every class, and what bugs make of them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "generators/perturbation/bug.h"
#include "stages/perturb/proof_judges.h"
#include "tests/stages/lowering/all_cases.h"

namespace kernelmill {

struct RightText {
  std::string reference, code;
};

// Of the first few ways of every case.
inline std::vector<RightText> RightTexts(int ways) {
  std::vector<RightText> texts;
  for (const LoweringCase& item : AllLoweringCases()) {
    const BuiltCase built(item);
    for (const LoweredAnswer& answer :
         LowerInWays(built.builder.graph(), built.module, KernelBackend::kCuda, ways)) {
      texts.push_back({built.reference, answer.text});
    }
  }
  return texts;
}

struct Mutant {
  RightText right;
  std::string code;
};

// At most `count`, from as many answers as there are.
inline std::vector<Mutant> MutantsOf(const BugClass& bug, const std::vector<RightText>& texts,
                                     std::size_t count) {
  std::vector<Mutant> mutants;
  for (std::size_t round = 0; round < count; ++round) {
    const std::size_t before = mutants.size();
    for (const RightText& right : texts) {
      const auto trees = AnswerTrees::Parse(right.code, right.reference);
      if (trees == nullptr) continue;
      const std::vector<std::string> codes = Mutants(bug, *trees);
      if (mutants.size() == count) return mutants;
      if (round < codes.size()) mutants.push_back({right, codes[round]});
    }
    if (mutants.size() == before) break;
  }
  return mutants;
}

// What the judge says of a bug's mutants, up to the first that it proves.
inline void ExpectProved(const BugClass& bug, const std::vector<RightText>& texts,
                         ProofJudges* judges) {
  std::string said;
  for (const Mutant& mutant : MutantsOf(bug, texts, 8)) {
    Result<Verdict> right = Verdict();
    if (bug.proof == BugProof::kCounts) {
      right = judges->Verify(bug.proof, "cuda", mutant.right.reference, mutant.right.code);
    }
    const Result<Verdict> verdict =
        judges->Verify(bug.proof, "cuda", mutant.right.reference, mutant.code);
    ASSERT_TRUE(right.ok() && verdict.ok()) << verdict.status().message();
    if (Proves(bug, *verdict, *right)) return;
    said += ' ' + std::string(StatusName(verdict->status));
  }
  ADD_FAILURE() << bug.name << " was not shown:" << said;
}

struct NamedBug {
  std::string name;
  const BugClass* bug;
};

inline std::vector<NamedBug> NamedBugs() {
  std::vector<NamedBug> bugs;
  for (const BugClass& bug : AllBugs()) bugs.push_back({std::string(bug.name), &bug});
  return bugs;
}

}  // namespace kernelmill
