// Which operators of an extension forward() does not call.
#include "stages/verify/legality/other_uses.h"

#include <gtest/gtest.h>

#include <string>

namespace kernelmill {
namespace {

constexpr char kNative[] = R"(
torch::Tensor scale(torch::Tensor x) { return x; }
torch::Tensor scale_backward(torch::Tensor g, torch::Tensor x) { return g * x; }
)";
constexpr char kPass[] = R"(
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return ext.scale(x)

    @staticmethod
    def backward(ctx, grad):
        return ext.scale_backward(grad, x)
)";

bool Explains(const std::string& native, const std::string& python) {
  ExtensionSources sources;
  sources.cuda_sources = {native};
  return OtherUses(sources, CalledNames(python)).Explain("aten::mul_Tensor");
}

TEST(OtherUses, ExplainWhatOnlyABackwardPassCalls) {
  EXPECT_TRUE(Explains(kNative, kPass));
  EXPECT_TRUE(Explains(kNative, "y = ext.scale(x)"));
  EXPECT_TRUE(Explains("struct S : torch::autograd::Function<S> {\n"
                       "  static torch::Tensor backward(torch::Tensor g) { return g * g; }\n};",
                       "loss.backward()"));
}

TEST(OtherUses, ExplainNothingByItsName) {
  const std::string pass = kPass;
  EXPECT_FALSE(Explains(kNative, pass + "y = ext.scale_backward(x, x)"));
  EXPECT_FALSE(Explains(kNative, pass + "from ext import scale_backward"));
  EXPECT_FALSE(Explains(kNative, pass + "y = getattr(ext, name)(x, x)"));
  EXPECT_FALSE(Explains(kNative, pass + "y = Scale.backward(None, x)"));
  EXPECT_FALSE(Explains(kNative, "class Scale(nn.Module):\n"
                                 "  def backward(self, x): return ext.scale_backward(x, x)\n"));
  const std::string bound = std::string(kNative) +
                            "PYBIND11_MODULE(m, m) { m.def(\"run\", &scale_backward); }";
  EXPECT_FALSE(Explains(bound, "y = ext.run(x, x)"));
  EXPECT_TRUE(Explains(bound, kPass));
}

}  // namespace
}  // namespace kernelmill
