// GpuDevice with the processor in place of a GPU: what is built, run, compared and timed is real,
// except that there are no device sources.
#include "stages/device/gpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shared_suite.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

constexpr char kReference[] = R"(
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2
def get_inputs():
    return [torch.randn(64, 100)]
def get_init_inputs():
    return []
)";

std::string AnswerThat(const std::string& body, const std::string& before = "") {
  return "import os\nimport torch\n" + before +
         "\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        " + body + "\n";
}

class GpuDeviceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    Result<std::unique_ptr<GpuDevice>> device =
        GpuDevice::Open({.device = "cpu",
                         .folder = folder_->path(),
                         .budget_ms = 20,
                         .run_limit = std::chrono::seconds(20)});
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = std::move(device).value();
  }
  static void TearDownTestSuite() {
    device_.reset();
    // Builds leave nothing behind.
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) {
      EXPECT_EQ(entry.path().filename(), "gpu0.lock");
    }
    folder_.reset();
  }
  static Measurement MeasurementOf(const std::string& code,
                                   const std::string& reference = kReference) {
    const Result<Measurement> measured = device_->Measure({.reference = reference, .code = code});
    EXPECT_TRUE(measured.ok()) << measured.status().message();
    return measured.ok() ? *measured : Measurement();
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static std::unique_ptr<GpuDevice> device_;
};
std::unique_ptr<TemporaryFolder> GpuDeviceTest::folder_;
std::unique_ptr<GpuDevice> GpuDeviceTest::device_;

KM_SHARED_SUITE(GpuDeviceTest);

TEST_F(GpuDeviceTest, BuildsRunsAndTimesAnAnswer) {
  // The second extension is asked for in forward(), when the process already has the device; the
  // answer keeps what it gets. Its source binds the function itself.
  const Measurement measured = MeasurementOf(AnswerThat(
      "return two().g(one.f(x))",
      "import functools\n"
      "@functools.cache\n"
      "def two():\n"
      "    return load_inline(name='b', cpp_sources='torch::Tensor g(torch::Tensor x) { return x * "
      "2; }'\n"
      "                       'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"g\", &g); }')\n"
      "from torch.utils.cpp_extension import load_inline\n"
      "one = load_inline(name='a', cpp_sources='torch::Tensor f(torch::Tensor x) "
      "{ return torch::relu(x); }', functions=['f'])\n"));
  EXPECT_EQ(OutcomeName(measured.outcome), "measured") << measured.detail;
  ASSERT_TRUE(measured.answer && measured.eager);
  EXPECT_GE(measured.answer->runs, 5);
  EXPECT_LE(measured.answer->low_ms, measured.answer->median_ms);
  EXPECT_LE(measured.answer->median_ms, measured.answer->high_ms);
  EXPECT_EQ(measured.device, device_->Identity());
  const Result<Measurement> read = Measurement::FromJson(measured.ToJson());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ToJson(), measured.ToJson());
}

TEST_F(GpuDeviceTest, TellsFailuresApart) {
  const auto outcome = [](const std::string& code) {
    return std::string(OutcomeName(MeasurementOf(code).outcome));
  };
  EXPECT_EQ(outcome(AnswerThat("return torch.relu(x) * 2")), "measured");
  EXPECT_EQ(outcome(AnswerThat("return torch.relu(x)")), "wrong");
  EXPECT_EQ(outcome(AnswerThat("return (torch.relu(x) * 2).double()")), "wrong");
  EXPECT_EQ(outcome(AnswerThat("return torch.relu(x)[:1] * 2")), "wrong");
  EXPECT_EQ(outcome(AnswerThat("raise ValueError(x.shape)")), "crashed");
  EXPECT_EQ(outcome(AnswerThat("os._exit(0)")), "crashed");
  EXPECT_EQ(outcome(AnswerThat("os.kill(os.getpid(), 9)")), "crashed");
  // What an answer sends or prints in place of a result.
  EXPECT_EQ(outcome(AnswerThat("os.write(0, b'\\0\\0\\0\\2no') and os._exit(0)")), "crashed");
  EXPECT_EQ(
      outcome(AnswerThat("os.write(0, b'\\0\\0\\0\\x14{\"state\":\"measured\"}') and os._exit(0)")),
      "crashed");
  for (const char* state : {"ready", "building"}) {
    const std::string frame = std::string("{\"state\": \"") + state + "\"}";
    EXPECT_EQ(outcome(AnswerThat("[os.write(0, len(f).to_bytes(4, 'big') + f) for f in [b'" +
                                 frame + "'] * 99] and os._exit(0)")),
              "crashed")
        << state;
  }
  EXPECT_EQ(outcome(AnswerThat("open('/proc/1/fd/2', 'w').write('bwrap: forged') and os._exit(0)")),
            "crashed");
  EXPECT_EQ(outcome(AnswerThat("raise ValueError('\\ud800')")), "crashed");
  // A build that fails may be caught.
  EXPECT_EQ(outcome("import os\nimport torch\nfrom torch.utils.cpp_extension import load_inline\n"
                    "try:\n    load_inline(name='a', cpp_sources='#error no', functions=['f']).f\n"
                    "except RuntimeError:\n    pass\n" +
                    AnswerThat("return torch.relu(x) * 2")),
            "measured");
  EXPECT_EQ(outcome("import no_such_module\n"), "not_loaded");
  EXPECT_EQ(outcome(AnswerThat("return x", "raise SystemError('no')")), "not_loaded");
  EXPECT_EQ(outcome(AnswerThat("return x", "print('x' * (1 << 20)); raise SystemError('no')")),
            "not_loaded");
}

// Tasks whose results hang on draws, on ties, or on inputs that they change.
TEST_F(GpuDeviceTest, ComparesWhatATaskDefines) {
  const auto outcome = [](const std::string& forward, const std::string& answer) {
    std::string reference = kReference;
    reference.replace(reference.find("torch.relu(x) * 2"), 17, forward);
    return std::string(
        OutcomeName(MeasurementOf(AnswerThat("return " + answer), reference).outcome));
  };
  const std::string dropout = "torch.nn.functional.dropout(x, 0.5, True)";
  EXPECT_EQ(outcome(dropout, dropout), "measured");
  EXPECT_EQ(outcome(dropout, "x * 0 + 7"), "wrong");
  EXPECT_EQ(outcome("x.add_(1).argmax(-1)", "(x * (1 + 1e-7)).argmax(-1)"), "measured");
  EXPECT_EQ(outcome("x.argmax(-1)", "x.argmin(-1)"), "wrong");
  EXPECT_EQ(outcome("torch.exp(x.half() * 100)", "torch.exp(x.half() * 100)"), "measured");
  EXPECT_EQ(outcome("torch.exp(x.half() * 0 + 12)", "x.half() * 0 + 3"), "wrong");
  EXPECT_EQ(outcome("torch.complex(x, x) * 3", "torch.complex(x, x) * (3 + 1e-6)"), "measured");
}

TEST_F(GpuDeviceTest, SaysWhatFailed) {
  const Measurement wrong = MeasurementOf(AnswerThat("return torch.relu(x) * 2 + (x == x[0, 0])"));
  EXPECT_THAT(wrong.detail, HasSubstr("trial 1: 1 of 6400 elements of output 0 differ"));
  const Measurement unbuilt = MeasurementOf(
      AnswerThat("return m.f(x)",
                 "from torch.utils.cpp_extension import load_inline\n"
                 "m = load_inline(name='a', cpp_sources='torch::Tensor f(torch::Tensor x) "
                 "{ return rellu(x); }', functions=['f'])"));
  EXPECT_EQ(OutcomeName(unbuilt.outcome), "not_built");
  EXPECT_THAT(unbuilt.detail, HasSubstr("rellu"));
  const Measurement no_task = MeasurementOf(AnswerThat("return x"), "import no_such_module\n");
  EXPECT_EQ(OutcomeName(no_task.outcome), "no_reference");
  EXPECT_THAT(no_task.detail, HasSubstr("no_such_module"));
}

TEST_F(GpuDeviceTest, CannotLeaveItsSandbox) {
  const std::string outside = folder_->path() + "/witness";
  const Measurement measured = MeasurementOf(
      AnswerThat("return torch.relu(x) * 2",
                 "import socket, pathlib\n"
                 "found = []\n"
                 "for path in ('" +
                     outside +
                     "', '/usr/witness', '/worker/witness'):\n"
                     "    try:\n"
                     "        pathlib.Path(path).write_text('x')\n"
                     "        found.append(path)\n"
                     "    except OSError:\n"
                     "        pass\n"
                     "try:\n"
                     "    socket.create_connection(('127.0.0.1', 22), 1)\n"
                     "    found.append('network')\n"
                     "except OSError:\n"
                     "    pass\n"
                     "if found or os.path.exists('/root') or 'HOME_OF_USER' in os.environ:\n"
                     "    raise SystemError(str(found))\n"));
  EXPECT_EQ(OutcomeName(measured.outcome), "measured") << measured.detail;
  EXPECT_FALSE(std::filesystem::exists(outside));
}

TEST(GpuDevice, EndsWhatTakesTooLong) {
  const TemporaryFolder folder;
  Result<std::unique_ptr<GpuDevice>> device =
      GpuDevice::Open({.device = "cpu",
                       .folder = folder.path(),
                       .budget_ms = 20,
                       .run_limit = std::chrono::seconds(3)});
  ASSERT_TRUE(device.ok()) << device.status().message();
  const Result<Measurement> measured =
      (*device)->Measure({.reference = kReference, .code = AnswerThat("while True: pass")});
  ASSERT_TRUE(measured.ok()) << measured.status().message();
  EXPECT_EQ(OutcomeName(measured->outcome), "timed_out");
}

TEST(GpuDevice, SaysThatThereIsNone) {
  const TemporaryFolder folder;
  const Result<std::unique_ptr<GpuDevice>> device = GpuDevice::Open({.folder = folder.path()});
  if (device.ok()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(device.status().code(), ErrorCode::kEnvironment);
  EXPECT_THAT(device.status().message(), HasSubstr("measuring needs a machine with a GPU"));
}

}  // namespace
}  // namespace kernelmill
