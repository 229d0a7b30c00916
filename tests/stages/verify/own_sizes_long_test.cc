// Tests verdicts on all kernels of own_sizes/. KERNELMILL_OWN_SIZES selects those whose name holds
// it.
#include <cstdlib>

#include "tests/stages/verify/own_size_cases.h"

namespace kernelmill {
namespace {

TEST(OwnSizes, AllAreDecidedAtTheTasksOwnSizes) {
  std::vector<OwnSizeCase> cases = OwnSizeCases();
  const auto right =
      std::count_if(cases.begin(), cases.end(), [](const OwnSizeCase& one) { return one.right; });
  EXPECT_GE(right, 57);
  EXPECT_GE(static_cast<std::ptrdiff_t>(cases.size()) - right, 107);
  if (const char* const part = std::getenv("KERNELMILL_OWN_SIZES"); part != nullptr) {
    std::erase_if(
        cases, [part](const OwnSizeCase& one) { return one.name.find(part) == std::string::npos; });
  }
  ExpectDecidedAtOwnSizes(std::move(cases));
}

}  // namespace
}  // namespace kernelmill
