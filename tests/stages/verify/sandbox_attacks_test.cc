#include "tests/stages/verify/sandbox_attacks.h"

namespace kernelmill {
namespace {

TEST_F(SandboxAttacks, FromPython) {
  for (const Attack& attack : AttacksIn("python.md")) Withstand(attack, PythonAnswer(attack));
}

TEST_F(SandboxAttacks, FromNativeCode) {
  for (const Attack& attack : AttacksIn("native.md")) {
    Withstand(attack, NativeAnswer(attack.code, "attack();"));
  }
}

TEST_F(SandboxAttacks, OnTheCompiler) {
  for (const Attack& attack : AttacksIn("compiler.md")) {
    Withstand(attack, NativeAnswer(attack.code, ""));
  }
}

}  // namespace
}  // namespace kernelmill
