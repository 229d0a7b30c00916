#include "tests/stages/verify/sandbox_attacks.h"

namespace kernelmill {
namespace {

TEST_F(SandboxAttacks, OnTheCompilersLimits) {
  for (const Attack& attack : AttacksIn("compiler_limits.md")) {
    Withstand(attack, NativeAnswer(attack.code, ""));
  }
}

}  // namespace
}  // namespace kernelmill
