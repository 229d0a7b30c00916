#include "tests/shared_suite.h"
#include <signal.h>

#include <algorithm>

#include "tests/stages/verify/sandbox_attacks.h"

namespace kernelmill {
namespace {

KM_SHARED_SUITE(SandboxAttacks);

TEST_F(SandboxAttacks, ThisCommitsShareFromPython) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("python.md"), 20)) {
    Withstand(attack, PythonAnswer(attack));
  }
}

TEST_F(SandboxAttacks, ThisCommitsShareFromNativeCode) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("native.md"), 6)) {
    Withstand(attack, NativeAnswer(attack.code, "attack();"));
  }
}

TEST_F(SandboxAttacks, ThisCommitsShareOnTheCompiler) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("compiler.md"), 4)) {
    Withstand(attack, NativeAnswer(attack.code, ""));
  }
}

// The process that loads the executor is killed by somebody else: no answer is to blame.
TEST_F(SandboxAttacks, AnswersOutliveTheProcessThatTheyForkFrom) {
  const auto of = [](const std::string& pid) { return std::stol(pid); };
  const std::string branch = *std::ranges::max_element(processes_, {}, of);
  ASSERT_EQ(kill(static_cast<pid_t>(of(branch)), SIGKILL), 0);
  ExpectVerdict("correct", HonestAnswer("relu", "a grid-stride loop").code);
  EXPECT_FALSE(Processes().contains(branch));
  EXPECT_EQ(Processes().size(), processes_.size());
}

}  // namespace
}  // namespace kernelmill
