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
  for (const char* file : {"compiler.md", "compiler_limits.md"}) {
    for (const Attack& attack : AttacksIn(file)) Withstand(attack, NativeAnswer(attack.code, ""));
  }
}

}  // namespace
}  // namespace kernelmill
