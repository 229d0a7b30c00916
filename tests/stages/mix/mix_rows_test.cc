#include "stages/mix/mix_rows.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

Annotation Calling(const std::vector<std::string>& names) {
  Annotation annotation;
  for (const std::string& name : names) annotation.operators.push_back({.name = name});
  return annotation;
}

// The names that annotations have for "x / 2", "2 * x", "1 + x", "x.add_(1)", "x & y" and "x % 3".
TEST(ElementwiseOnly, KnowsOperatorsOfPythonByTheirNames) {
  EXPECT_TRUE(IsElementwiseOnly(
      Calling({"truediv", "rmul", "radd", "add_", "and", "mod", "gelu", "pow", "rsub"})));
  for (const char* other : {"matmul", "sum", "softmax", "cumsum", "view_as_nothing_known"}) {
    EXPECT_FALSE(IsElementwiseOnly(Calling({"rmul", other}))) << other;
  }
  EXPECT_FALSE(IsElementwiseOnly(Calling({})));
}

}  // namespace
}  // namespace kernelmill
