#include "generators/grounding/unanswerable_claims.h"

#include <gmock/gmock.h>

namespace kernelmill {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr char kQuestion[] = R"(What limits `scale_kernel`?

```cuda
__global__ void scale_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 2.0f * x[i];
}
```

- `scale_kernel`: 10 load requests, 76 sectors; 12 registers a thread; 50 % occupancy on sm_80
)";

std::vector<std::string> Claims(const std::string& question, const std::string& answer) {
  TrainingRecord row;
  row.messages = {{"user", question}, {"assistant", answer}};
  return UnanswerableClaims(row);
}

TEST(UnanswerableClaims, WhatTheQuestionShowsIsAGround) {
  for (const char* const answer :
       {"`scale_kernel` stores `y[i] = 2.0f * x[i]`.", "Threads with `i >= n` return.",
        "`relu` is elementwise, as `x` and `exp` are.", "A barrier orders the accesses of a block.",
        "A load request touches 7.6 sectors on average, where 32 lanes need 4.",
        "The occupancy is 50 % with 12 registers per thread.", "The sizes (3, 4) have 12 elements.",
        "`if (i >= n) return` ends them."}) {
    EXPECT_THAT(Claims(kQuestion, answer), IsEmpty()) << answer;
  }
}

TEST(UnanswerableClaims, WhatItDoesNotShowIsNone) {
  for (const char* const answer :
       {"`launch_scale` starts it with `dim3 grid(n)`.", "It reads `offsets[i]`.",
        "In line 3 threads return.", "Lines 2 and 3 compute the index.",
        "A load request touches 7.5 sectors on average.",
        "A load request touches 8.6 sectors on average.", "The occupancy is 75 %.",
        "The kernel needs 13 registers per thread, and the occupancy is 50 %.",
        "The compiler spills nothing.", "Shared memory has no bank conflicts.",
        "The verifier says that values differ.", "When it is run, an error comes.",
        "Python reaches it by `scale_cuda`."}) {
    EXPECT_THAT(Claims(kQuestion, answer), SizeIs(testing::Ge(1u))) << answer;
  }
}

TEST(UnanswerableClaims, NumberedLinesAndMessagesNameLines) {
  EXPECT_THAT(Claims("```\n 9 | a\n10 | b\n```", "Line 9 is wrong."), IsEmpty());
  EXPECT_THAT(Claims("```\n 9 | a\n10 | b\n```", "Line 10 is wrong."), IsEmpty());
  EXPECT_THAT(Claims("```\n 9 | a\n10 | b\n```", "Line 11 is wrong."), SizeIs(1));
  EXPECT_THAT(Claims("cuda.cu:26: a thread reads outside", "Line 26 is wrong."), IsEmpty());
}

TEST(UnanswerableClaims, AProgramOfTheAnswerIsAGround) {
  const std::string program =
      "\n\n```python\nclass ModelNew(nn.Module):\n  rows_per_block = 3\n```\n";
  EXPECT_THAT(Claims("Write it.", "It uses `rows_per_block`." + program), IsEmpty());
  EXPECT_THAT(Claims("Write it.", "It uses `rows_per_block`."), SizeIs(1));
}

}  // namespace
}  // namespace kernelmill
