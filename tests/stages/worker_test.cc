// The real worker: real torch, real bubblewrap.
#include <gtest/gtest.h>

#include "stages/worker/torch_worker.h"

namespace kernelmill {
namespace {

constexpr char kPrelude[] =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n";
constexpr char kArguments[] =
    "\n\ndef get_inputs():\n    return [torch.randn(4, 8)]\n\n\n"
    "def get_init_inputs():\n    return []\n";

// A task whose forward has this body (indented by eight) and that has nothing to construct.
std::string TaskWith(const std::string& body, const std::string& before = "") {
  return kPrelude + before + "\n\nclass Model(nn.Module):\n    def forward(self, x):\n" + body +
         kArguments;
}

class Worker : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<TorchWorker> started = TorchWorker::Start();
    ASSERT_TRUE(started.ok()) << started.status().message();
    worker_ = new TorchWorker(std::move(started).value());
  }
  static void TearDownTestSuite() {
    delete worker_;
    worker_ = nullptr;
  }

  static Json Admit(const std::string& code, WorkerLimits limits = {}) {
    const Result<Json> reply = worker_->Call(
        Json::Object{{"kind", "admit"}, {"code", code}, {"seed", 7}, {"limits", limits.ToJson()}});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() ? *reply : Json();
  }
  static std::string End(const Json& reply) {
    const Json* end = reply.Find("end");
    return end != nullptr ? end->as_string() : "";
  }

  static TorchWorker* worker_;
};
TorchWorker* Worker::worker_ = nullptr;

TEST_F(Worker, DescribesWhatTorchComputed) {
  const Json reply = Admit(TaskWith("        y = F.relu(x)\n        return y @ y.t()\n"));
  ASSERT_EQ(End(reply), "ran") << reply.Dump();
  const Json& annotation = *reply.Find("annotation");
  EXPECT_EQ(annotation.Find("values")->Dump(),
            R"([{"dtype":"float32","line":7,"name":"x","shape":[4,8],"stride":[8,1]},)"
            R"({"dtype":"float32","line":8,"name":"y","shape":[4,8],"stride":[8,1]},)"
            R"({"dtype":"float32","line":9,"name":"return","shape":[4,4],"stride":[4,1]}])");
  // relu of 32 elements, and 2·4·8·4 for the product.
  EXPECT_EQ(annotation.Find("flops")->as_int(), 32 + 256);
}

TEST_F(Worker, GivesTheSameBytesForTheSameRequest) {
  const std::string code = TaskWith("        return torch.softmax(x * 3, -1)\n");
  EXPECT_EQ(Admit(code).Dump(), Admit(code).Dump());
}

}  // namespace
}  // namespace kernelmill
