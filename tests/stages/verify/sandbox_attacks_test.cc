#include "tests/shared_suite.h"
#include "tests/stages/verify/sandbox_attacks.h"

namespace kernelmill {
namespace {

KM_SHARED_SUITE(SandboxAttacks);

TEST_F(SandboxAttacks, ThisCommitsShareFromPython) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("python.md"), 30)) {
    Withstand(attack, PythonAnswer(attack));
  }
}

TEST_F(SandboxAttacks, ThisCommitsShareFromNativeCode) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("native.md"), 8)) {
    Withstand(attack, NativeAnswer(attack.code, "attack();"));
  }
}

TEST_F(SandboxAttacks, ThisCommitsShareOnTheCompiler) {
  for (const Attack& attack : SampleOfCommit(AttacksIn("compiler.md"), 6)) {
    Withstand(attack, NativeAnswer(attack.code, ""));
  }
}

}  // namespace
}  // namespace kernelmill
