// Candidates that attack the sandbox and the judge. None may escape, change the verdict on the next
// one, or leave a process or file behind.
#pragma once

#include <unistd.h>

#include <set>

#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

inline constexpr char kMark[] =
    "kernelmill_attack";  // In the name of every file that an attack makes.

inline constexpr char kSource[] = R"cpp(
#include <torch/extension.h>
  __global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
  }
  torch::Tensor run(torch::Tensor x) {
    x = x.contiguous();
    auto y = torch::empty_like(x);
    int n = x.numel();
    relu_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    ATTACK
    return y;
  }
)cpp";

inline constexpr char kImports[] = R"py(
import atexit, ctypes, gc, json, mmap, multiprocessing, os, resource, shutil, signal, socket, struct
import subprocess, sys, threading, time
from multiprocessing import shared_memory
import numpy, torch, torch.nn as nn
from torch.utils.cpp_extension import load, load_inline

libc = ctypes.CDLL(None, use_errno=True)
DECLARED = "torch::Tensor run(torch::Tensor x);"
SOURCE = """#include <torch/extension.h>
torch::Tensor run(torch::Tensor x) { return x; }
"""


def password():
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["nonce"]


def frame_of(value):
    body = json.dumps(value).encode()
    return struct.pack(">I", len(body)) + body


)py";

struct Attack {
  std::string name, place, verdict, code;
};

inline std::string Indented(const std::string& text, const std::string& indent) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += indent + line + "\n";
  return result;
}

// Reads the sections of attacks/<file>: a heading, a line "place: status reason" or "status
// reason", and a code block.
inline std::vector<Attack> AttacksIn(const std::string& file) {
  std::vector<Attack> attacks;
  std::istringstream lines(TextOf(VerifyTests() / "attacks" / file));
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    if (!in_code && line.starts_with("## ")) {
      attacks.push_back({line.substr(3), "", "", ""});
      std::getline(lines, line);
      const std::size_t colon = line.find(": ");
      if (colon != line.npos) attacks.back().place = line.substr(0, colon);
      attacks.back().verdict = colon == line.npos ? line : line.substr(colon + 2);
    } else if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (in_code) {
      attacks.back().code += line + "\n";
    }
  }
  return attacks;
}

inline std::string PythonAnswer(const Attack& attack) {
  const auto at = [&](const char* place) {
    return attack.place == place ? Indented(attack.code, "        ") : "";
  };
  return kImports + (attack.place == "module" ? attack.code : "") +
         "class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n" +
         at("constructor") + "\n    def forward(self, x):\n" + at("forward") +
         "        return torch.relu(x)\n";
}

inline std::string NativeAnswer(const std::string& top, const std::string& call) {
  std::string source = top + kSource;
  source.replace(source.find("ATTACK"), 6, call);
  return "import torch\nimport torch.nn as nn\n"
         "from torch.utils.cpp_extension import load_inline\n\nSOURCE = r'''" +
         source +
         "'''\next = load_inline(name='ext', cpp_sources='torch::Tensor run(torch::Tensor x);', "
         "cuda_sources=SOURCE, functions=['run'])\n\n\nclass ModelNew(nn.Module):\n"
         "    def forward(self, x):\n        return ext.run(x)\n";
}

// The processes that descend from this one.
inline std::set<std::string> Processes() {
  std::map<std::string, std::string> parents;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != pid.npos) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::size_t name_end = text.rfind(')');  // "pid (name) state parent …"
    if (name_end == text.npos) continue;
    std::istringstream rest(text.substr(name_end + 1));
    std::string state;
    rest >> state >> parents[pid];
    if (state == "Z") parents.erase(pid);
  }
  std::set<std::string> found;
  for (const auto& [pid, parent] : parents) {
    std::string up = pid;
    while (parents.contains(up) && up != std::to_string(getpid())) up = parents[up];
    if (up == std::to_string(getpid()) && pid != up) found.insert(pid);
  }
  return found;
}

inline std::vector<std::string> FilesLeft(const std::string& cache_folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const std::filesystem::path& folder :
       {std::filesystem::path("/tmp"), std::filesystem::path("/dev/shm"),
        std::filesystem::current_path(), CheckoutRoot(), std::filesystem::path(cache_folder),
        std::filesystem::path("/"), std::filesystem::path("/etc"),
        std::filesystem::path(getenv("HOME"))}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (name.find(kMark) != name.npos) found.push_back(entry.path());
    }
  }
  return found;
}

class SandboxAttacks : public testing::Test {
 protected:
  void SetUp() override {
    Result<JudgeOptions> options = PrepareJudging({});
    ASSERT_TRUE(options.ok()) << options.status().message();
    cache_folder_ = options->folders.front();
    options->policy = *FindVerifyPolicy("kernelbench");
    options->compile_for_device = nullptr;
    options->limits.cpu_ms = 2'000;
    options->limits.idle_ms = 12'000;
    options->limits.memory_bytes = std::int64_t{4} << 30;
    Result<Judge> judge = Judge::Start(std::move(*options));
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    judge_.emplace(std::move(judge).value());
    ExpectVerdict("correct", kHonest);
    // The worker has a process that loads the executor once for all answers with kernels.
    ExpectVerdict("correct", HonestAnswer("relu", "a grid-stride loop").code);
    processes_ = Processes();
  }

  void ExpectVerdict(const std::string& expected, const std::string& code) {
    const Result<Verdict> verdict = judge_->Verify(TaskText("relu"), code);
    ASSERT_TRUE(verdict.ok()) << verdict.status().message();
    std::string got(StatusName(verdict->status));
    if (!verdict->reason.empty()) got += " " + verdict->reason;
    const std::string text = verdict->ToJson().Pretty();
    EXPECT_EQ(got, expected) << text.substr(0, 2000);
    EXPECT_LT(text.size(), 100'000u);
    EXPECT_EQ(text.find("root:"), text.npos);  // Of /etc/passwd.
  }

  void Withstand(const Attack& attack, const std::string& code) {
    SCOPED_TRACE(attack.name);
    ExpectVerdict(attack.verdict, code);
    ExpectVerdict("correct", kHonest);
    EXPECT_EQ(Processes(), processes_);
    EXPECT_EQ(FilesLeft(cache_folder_), std::vector<std::string>());
  }

  static constexpr char kHonest[] =
      "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
      "        return torch.relu(x)\n";
  std::string cache_folder_;
  std::optional<Judge> judge_;
  std::set<std::string> processes_;
};

}  // namespace kernelmill
