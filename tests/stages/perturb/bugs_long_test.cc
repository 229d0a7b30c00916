// Every bug class can be made in a real answer, and running it shows it.
#include "tests/stages/perturb/perturbed_cases.h"

namespace kernelmill {
namespace {

TEST(BugsLong, EveryOneIsShown) {
  const std::vector<RightText> texts = RightTexts(3);
  ProofJudges judges(VerdictCache::kIgnore);
  for (const NamedBug& item : NamedBugs()) {
    SCOPED_TRACE(item.name);
    ExpectProved(*item.bug, texts, &judges);
  }
}

}  // namespace
}  // namespace kernelmill
