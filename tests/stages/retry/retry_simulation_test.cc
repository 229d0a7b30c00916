#include "tests/stages/retry/retry_simulation.h"

namespace kernelmill {
namespace {

constexpr int kRounds = 1000;

TEST(RetrySimulation, NothingIsLostOrDoubled) { NothingIsLostOrDoubled(kRounds); }

TEST(RetrySimulation, NorWhenTheBufferIsFullAndTheChoiceIsWeighted) {
  NorWhenTheBufferIsFullAndTheChoiceIsWeighted(kRounds);
}

}  // namespace
}  // namespace kernelmill
