// Judges every answer to every case, with checks for bounds and races.
#include "tests/stages/lowering/all_cases.h"

namespace kernelmill {
namespace {

TEST(LoweringLong, EveryAnswerIsCorrect) {
  LoweringJudge judge(true);
  for (const LoweringCase& item : AllLoweringCases()) {
    const BuiltCase built(item);
    for (const KernelBackend* backend : KernelBackends()) {
      for (const LoweredAnswer& answer :
           LowerInVariants(built.builder.graph(), built.module, *backend, kManyAnswers)) {
        SCOPED_TRACE(item.name + ": " + answer.Structure());
        judge.ExpectCorrect(built.reference, answer);
      }
    }
  }
}

}  // namespace
}  // namespace kernelmill
