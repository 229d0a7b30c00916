// The cheats with native code in native_cheats/: the first lines of each name its task and verdict.
#pragma once

#include <string>
#include <vector>

#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

inline void ExpectRefusedWithTheirReason(const std::vector<CandidateFile>& cheats) {
  Result<JudgeOptions> options = PrepareJudging({});
  ASSERT_TRUE(options.ok()) << options.status().message();
  Result<Judge> judge = Judge::Start(std::move(*options));
  ASSERT_TRUE(judge.ok()) << judge.status().message();
  for (const CandidateFile& file : cheats) {
    SCOPED_TRACE(file.name);
    const Verdict verdict = VerdictOf(&*judge, file);
    EXPECT_EQ(std::string(StatusName(verdict.status)) + " " + verdict.reason,
              file.head.at("verdict"))
        << verdict.ToJson().Pretty();
    EXPECT_NE(ExplainVerdictReason(verdict.status, verdict.reason), "");
    EXPECT_LT(verdict.Reward(), 1.0);
    EXPECT_EQ(verdict.feedback.empty(), !IsAboutCandidate(verdict.status));
  }
}

}  // namespace kernelmill
