// The cases of attack_cases/, which fresh readers of the judge's sources wrote to deceive it, or to
// be refused without cause: cheats, wrong kernels and honest answers. The first lines of each name
// its task (a path from attack_cases/tasks), say what it tries, and whether it is to be "correct" or
// "refused".
// "# contract: …" names what its task asks for beside the usual, "# backend: musa" the other backend.
// "# open: …" marks a case that the judge does not see yet, and says what it would take.
#pragma once

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "stages/verify/judge/judge_workers.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

// The cases of one kind: "cheats", "wrong" or "honest".
inline std::vector<CandidateFile> AttackCases(const std::string& kind) {
  return CandidatesIn("attack_cases/" + kind);
}

// Judges the cases with checks for bounds and races. An undecided one is not correct. Open cases
// are judged and printed, and their verdicts are not compared.
inline void ExpectAsMarked(std::vector<CandidateFile> cases) {
  GroupByTask(&cases);
  const Result<JudgeOptions> options = PrepareJudging({.secret = "of the attack's tests",
                                                       .own_size_cpu_ms = 10'000,
                                                       .memory = true,
                                                       .races = true});
  ASSERT_TRUE(options.ok()) << options.status().message();
  const auto workers = std::make_shared<JudgeWorkers>();
  for (const CandidateFile& one : cases) {
    SCOPED_TRACE(one.task + ": " + one.name);
    JudgeOptions asked = *options;
    asked.workers = workers;
    const auto contract = one.head.find("contract");
    if (contract != one.head.end()) {
      asked.contract = TaskContract::Parse(contract->second).value();
    }
    if (one.head.contains("backend")) {
      asked.backend = FindKernelBackend(one.head.at("backend"));
      ASSERT_NE(asked.backend, nullptr);
    }
    Result<Judge> judge = Judge::Start(asked);
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    const Result<Verdict> verdict =
        judge->Verify(TextOf(VerifyTests() / "attack_cases/tasks" / (one.task + ".py")), one.code);
    ASSERT_TRUE(verdict.ok()) << verdict.status().message();
    const bool correct = verdict->status == VerdictStatus::kCorrect;
    std::cout << one.name << " -> " << StatusName(verdict->status) << " " << verdict->reason
              << (one.head.contains("open") ? " (open)" : "") << std::endl;
    if (one.head.contains("open")) continue;
    EXPECT_EQ(correct, one.head.at("expect") == "correct") << verdict->ToJson().Pretty();
  }
}

}  // namespace kernelmill
