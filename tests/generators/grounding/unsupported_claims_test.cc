#include "generators/grounding/unsupported_claims.h"

#include <gmock/gmock.h>

namespace kernelmill {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// A task with one answer, and the claims that are unsupported there.
struct Checked {
  KnownTask known;
  Candidate answer;

  Checked() {
    known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {2, 300}, .draw = "randn"}};
    known.facts.outputs = {{.shape = {2, 300}, .dtype = "float32", .stride = {300, 1}}};
    answer.code = "first line\nout[i] = x[i];\n";
    answer.kernels = {{.function = "copy_forward",
                       .kernels = {"copy_kernel"},
                       .threads = 256,
                       .grid = "blocks",
                       .bytes = 48000}};
  }
  std::vector<std::string> Claims(std::string_view text) const {
    return UnsupportedClaims(text, known, {&answer});
  }
};

TEST(UnsupportedClaims, KnowsAllFormsOfAShapeAndAnAmount) {
  const Checked checked;
  for (const char* text : {"(2, 300)", "[2, 300]", "2×300", "48000 bytes", "48,000 bytes",
                           "48.0 kB", "600 elements", "600 entries"}) {
    EXPECT_THAT(checked.Claims(text), IsEmpty()) << text;
  }
  for (const char* text :
       {"(2, 301)", "[2, 301]", "3×300", "48001 bytes", "48.1 kB", "601 elements", "601 entries"}) {
    EXPECT_THAT(checked.Claims(text), SizeIs(1)) << text;
  }
}

TEST(UnsupportedClaims, WorksOutWhichElementAThreadGets) {
  const Checked checked;
  EXPECT_THAT(checked.Claims("Thread 37 of block 2 has 2 * 256 + 37 = 549."), IsEmpty());
  EXPECT_THAT(checked.Claims("Thread 37 of block 2 has element 550."), SizeIs(1));
  // These elements are beyond the end of the output.
  EXPECT_FALSE(checked.Claims("Thread 88 of block 2 has element 600.").empty());
  EXPECT_FALSE(checked.Claims("Thread 299 of block 1 has element 555.").empty());
}

TEST(UnsupportedClaims, LooksALineUp) {
  const Checked checked;
  EXPECT_THAT(checked.Claims("Line 2 has `out[i] = x[i];`."), IsEmpty());
  EXPECT_THAT(checked.Claims("Line 1 has `out[i] = x[i];`."), SizeIs(1));
  EXPECT_THAT(checked.Claims("Line 3 has `out[i] = x[i];`."), SizeIs(1));
  EXPECT_THAT(checked.Claims("`out[j]` is in line 2."), SizeIs(2));
}

}  // namespace
}  // namespace kernelmill
