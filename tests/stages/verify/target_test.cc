// Answers whose verdict depends on the architecture that it is for. The head of every file in
// targets/ has the status for each.
#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

KM_SHARED_SUITE(VerdictTargets);

TEST(VerdictTargets, AVerdictHoldsForItsTarget) {
  const std::vector<CandidateFile> files = CandidatesIn("targets");
  EXPECT_GE(files.size(), 3u);
  for (const DeviceTarget& target : kMusaBackend.targets) {
    JudgingChoice choice;
    choice.backend = &kMusaBackend;
    choice.target = target.name;
    Result<JudgeOptions> options = PrepareSharedJudging(choice);
    ASSERT_TRUE(options.ok()) << options.status().message();
    Result<Judge> judge = Judge::Start(*options);
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    for (const CandidateFile& file : files) {
      SCOPED_TRACE(file.name + " for " + std::string(target.name));
      const Verdict verdict = VerdictOf(&*judge, file);
      EXPECT_EQ(StatusName(verdict.status), file.head.at(std::string(target.name)))
          << verdict.ToJson().Pretty();
      EXPECT_EQ(verdict.target, target.name);
    }
  }
}

TEST(VerdictTargets, AnUnknownTargetIsRefused) {
  JudgingChoice choice;
  choice.target = "mp_22";  // Of another backend.
  EXPECT_EQ(PrepareSharedJudging(choice).status().code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace kernelmill
