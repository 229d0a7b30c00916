// A backend is one row: with a row for HIP that exists only here, the lowering writes HIP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "generators/lowering/lower_graph.h"
#include "tests/corpora/hip_backend.h"
#include "tests/generators/task_rows/generated_known_task.h"

namespace kernelmill {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(HipBackend, AnswersHaveNoWordOfAnotherBackend) {
  TaskGenerator tasks({.seed = 3, .levels = {1, 2, 3, 4}});
  int answers = 0, bfloat16 = 0;
  for (int i = 0; i < 60 && tasks.Next(); ++i) {
    const OperatorGraph& graph = tasks.sampler().large();
    std::string source;
    tasks.AppendSource(SourceSizes::kLarge, &source);
    const ModuleText module = ModuleTextOfPlan(graph, tasks.sampler().small(),
                                               tasks.source().plan(), source, SourceSizes::kLarge);
    for (const LoweredAnswer& answer : LowerInVariants(graph, module, kHipBackend, 2)) {
      SCOPED_TRACE(source);
      ++answers;
      EXPECT_EQ(answer.backend, &kHipBackend);
      for (const std::string_view part :
           {"#include <hip/hip_runtime.h>", "c10::hip::HIPGuard guard(",
            "c10::hip::getCurrentHIPStream()", "C10_HIP_KERNEL_LAUNCH_CHECK();",
            "hip_sources=hip_source", "_hip\""}) {
        EXPECT_NE(answer.text.find(part), std::string::npos) << part;
      }
      bfloat16 += answer.text.find("__hip_bfloat16") != std::string::npos;
      std::string facts;
      for (const CallPlan& plan : answer.calls) {
        facts += plan.mapping + plan.grid;
        for (const KernelReason& reason : plan.reasons) facts += reason.choice + reason.why;
      }
      for (const std::string_view word : {"cuda", "musa", "nvcc", "nv_bfloat", "mt_bfloat"}) {
        EXPECT_EQ(Lower(answer.text).find(word), std::string::npos) << word << "\n" << answer.text;
        EXPECT_EQ(Lower(facts).find(word), std::string::npos) << word << "\n" << facts;
      }
    }
  }
  EXPECT_GE(answers, 60);
  EXPECT_GE(bfloat16, 1);
}

}  // namespace
}  // namespace kernelmill
