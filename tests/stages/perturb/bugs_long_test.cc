// Every bug class can be put into some real answer, and a run proves it.
#include "tests/stages/perturb/perturbed_cases.h"

namespace kernelmill {
namespace {

TEST(BugsLong, EveryOneIsShown) {
  const std::vector<RightText> texts = RightTexts(3);
  ProofJudges judges(StoreUse::kIgnore);
  for (const NamedBug& item : NamedBugs()) {
    SCOPED_TRACE(item.name);
    ExpectProved(*item.bug, texts, &judges);
  }
}

}  // namespace
}  // namespace kernelmill
