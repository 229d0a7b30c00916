// Answers that call vendors' libraries. The head of every file in vendor/ has the verdict under the
// policy that allows these libraries, and under the one that does not.
#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

KM_SHARED_SUITE(VendorLibraries);

TEST(VendorLibraries, ThePolicyDecides) {
  const std::vector<CandidateFile> files = CandidatesIn("vendor");
  EXPECT_GE(files.size(), 6u);
  for (const std::string policy : {"kernelbench", "strict"}) {
    JudgingChoice choice;
    choice.policy = policy;
    Result<JudgeOptions> options = PrepareSharedJudging(choice);
    ASSERT_TRUE(options.ok()) << options.status().message();
    Result<Judge> judge = Judge::Start(*options);
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    for (const CandidateFile& file : files) {
      SCOPED_TRACE(file.name + " under " + policy);
      const Verdict verdict = VerdictOf(&*judge, file);
      EXPECT_EQ(std::string(StatusName(verdict.status)) +
                    (verdict.reason.empty() ? "" : " " + verdict.reason),
                file.head.at(policy))
          << verdict.ToJson().Pretty();
    }
  }
}

}  // namespace
}  // namespace kernelmill
