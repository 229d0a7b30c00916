// The cases of own_sizes/: one file for each task, whose sizes are too large for most trials. It
// holds the task, and kernels under headings "right: ..." or "wrong: ...". The right ones are made
// for the task's own sizes, and most are wrong or refuse at others; the wrong ones are right at
// small sizes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {

struct OwnSizeCase {
  std::string task;  // Its text.
  std::string name;  // "softmax: wrong: a buffer for 4096 columns"
  bool right = false;
  std::string code;
};

// The text between the first "```<language>" from `at` on and the next fence.
inline std::string BlockFrom(const std::string& text, std::size_t at, std::string_view language) {
  const std::string fence = "```" + std::string(language) + "\n";
  const std::size_t begin = text.find(fence, at) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

// Python that builds the kernels and calls run() with the inputs.
inline std::string CandidateOf(const std::string& kernels) {
  constexpr std::string_view kRun = "torch::Tensor run(", kType = "torch::Tensor ";
  const std::size_t begin = kernels.rfind(kRun), open = begin + kRun.size();
  const std::size_t close = kernels.find(')', open);
  std::string arguments = kernels.substr(open, close - open);
  for (std::size_t at; (at = arguments.find(kType)) != arguments.npos;) {
    arguments.erase(at, kType.size());
  }
  return "import torch\nimport torch.nn as nn\n"
         "from torch.utils.cpp_extension import load_inline\n\nSOURCE = r'''\n"
         "#include <torch/extension.h>\n" +
         kernels + "'''\next = load_inline(name='own', cpp_sources='" +
         kernels.substr(begin, close + 1 - begin) +
         ";',\n                  cuda_sources=SOURCE, functions=['run'])\n\n\n"
         "class ModelNew(nn.Module):\n    def forward(self, " +
         arguments + "):\n        return ext.run(" + arguments + ")\n";
}

// In the order of their tasks.
inline std::vector<OwnSizeCase> OwnSizeCases() {
  std::vector<OwnSizeCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(VerifyTests() / "own_sizes")) {
    const std::string text = TextOf(entry.path()), task = BlockFrom(text, 0, "python");
    constexpr std::string_view kHeading = "\n## ";
    for (std::size_t at = text.find(kHeading); at != text.npos; at = text.find(kHeading, at + 1)) {
      const std::size_t title = at + kHeading.size();
      const std::string heading = text.substr(title, text.find('\n', title) - title);
      cases.push_back({task, entry.path().stem().string() + ": " + heading,
                       heading.starts_with("right"), CandidateOf(BlockFrom(text, at, "cuda"))});
    }
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const OwnSizeCase& a, const OwnSizeCase& b) { return a.task < b.task; });
  return cases;
}

// Expects right ones to be correct and wrong ones to be refused with the sizes at which they fail.
inline void ExpectDecidedAtOwnSizes(std::vector<OwnSizeCase> cases) {
  std::stable_sort(cases.begin(), cases.end(),
                   [](const OwnSizeCase& a, const OwnSizeCase& b) { return a.task < b.task; });
  const Result<JudgeOptions> options = PrepareJudging({.own_size_cpu_ms = 10'000});
  ASSERT_TRUE(options.ok()) << options.status().message();
  Result<Judge> judge = Judge::Start(*options);
  ASSERT_TRUE(judge.ok()) << judge.status().message();
  for (const OwnSizeCase& one : cases) {
    SCOPED_TRACE(one.name);
    const Result<Verdict> verdict = judge->Verify(one.task, one.code);
    ASSERT_TRUE(verdict.ok()) << verdict.status().message();
    std::cout << one.name << " -> " << StatusName(verdict->status) << " " << verdict->reason << ", "
              << verdict->full_size.state << ": " << verdict->detail << "\n";
    if (one.right) {
      EXPECT_EQ(StatusName(verdict->status), "correct") << verdict->ToJson().Pretty();
      EXPECT_NE(verdict->full_size.state, "not_checked");
      continue;
    }
    EXPECT_TRUE(IsAboutCandidate(verdict->status)) << verdict->ToJson().Pretty();
    EXPECT_NE(StatusName(verdict->status), "correct") << verdict->ToJson().Pretty();
    EXPECT_TRUE(verdict->detail.find("own sizes (") != std::string::npos ||
                verdict->detail.starts_with("where "))
        << verdict->detail;
  }
}

}  // namespace kernelmill
