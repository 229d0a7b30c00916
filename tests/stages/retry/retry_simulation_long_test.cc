#include "tests/stages/retry/retry_simulation.h"

namespace kernelmill {
namespace {

constexpr int kRounds = 10000;

TEST(RetrySimulationLong, NothingIsLostOrDoubled) { NothingIsLostOrDoubled(kRounds); }

TEST(RetrySimulationLong, NorWhenTheBufferIsFullAndTheChoiceIsWeighted) {
  NorWhenTheBufferIsFullAndTheChoiceIsWeighted(kRounds);
}

}  // namespace
}  // namespace kernelmill
