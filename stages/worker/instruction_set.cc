#include "stages/worker/instruction_set.h"

#include <cstdlib>

namespace kernelmill {

std::string InstructionSet() {
  const char* const asked = std::getenv("ATEN_CPU_CAPABILITY");
  if (asked != nullptr) return asked;
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  return __builtin_cpu_supports("avx2") ? "avx2" : "default";
}

}  // namespace kernelmill
