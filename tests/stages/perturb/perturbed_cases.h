// Answers to graphs of every class, mutants of them, and the judges that prove the bugs.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "generators/perturbation/bug.h"
#include "stages/perturb/proof_judges.h"
#include "tests/stages/lowering/all_cases.h"

namespace kernelmill {

struct RightText {
  std::string reference, code;
  std::shared_ptr<const AnswerTrees> trees;

  RightText(std::string task, std::string answer)
      : reference(std::move(task)), code(std::move(answer)) {
    trees = AnswerTrees::Parse(code, reference);
  }
};

// A handwritten answer with what generated answers lack: an atomic sum and a randomly initialized
// parameter.
inline RightText AtomicSum() {
  return {R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(features))
        self.scale = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return ((x + self.shift) * self.scale).sum(dim=1)


def get_inputs():
    return [torch.randn(9, 70)]


def get_init_inputs():
    return [70]
)",
          R"(
import torch
import torch.nn as nn
from torch.utils import cpp_extension

source = """
#include <torch/extension.h>

__global__ void weighted_sum(const float* x, const float* shift, const float* scale, float* out,
                             int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    if (col < cols) {
        atomicAdd(&out[row], (x[row * cols + col] + shift[col]) * scale[col]);
    }
}

torch::Tensor weighted_sum_cuda(torch::Tensor x, torch::Tensor shift, torch::Tensor scale) {
    x = x.contiguous();
    auto out = torch::zeros({x.size(0)}, x.options());
    dim3 grid((x.size(1) + 63) / 64, x.size(0));
    weighted_sum<<<grid, 64>>>(x.data_ptr<float>(), shift.data_ptr<float>(),
                               scale.data_ptr<float>(), out.data_ptr<float>(), x.size(0),
                               x.size(1));
    return out;
}
"""

ops = cpp_extension.load_inline(
    name="weighted_sum",
    cpp_sources="""
torch::Tensor weighted_sum_cuda(torch::Tensor x, torch::Tensor shift, torch::Tensor scale);
""",
    cuda_sources=source,
    functions=["weighted_sum_cuda"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(features))
        self.scale = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return ops.weighted_sum_cuda(x, self.shift, self.scale)
)"};
}

// The first answers to every case, and the handwritten one.
inline std::vector<RightText> RightTexts(int ways) {
  std::vector<RightText> texts;
  for (const LoweringCase& item : AllLoweringCases()) {
    const BuiltCase built(item);
    for (const LoweredAnswer& answer :
         LowerInVariants(built.builder.graph(), built.module, kCudaBackend, ways)) {
      texts.emplace_back(built.reference, answer.text);
    }
  }
  texts.push_back(AtomicSum());
  return texts;
}

struct Mutant {
  const RightText& right;
  std::string code;
};

// At most `count` mutants, from as many different answers as possible. Each answer starts at
// another one of its sites, because the first site is often harmless in all answers, such as the
// barrier that protects scratch memory from an earlier use that does not exist.
inline std::vector<Mutant> MutantsOf(const BugClass& bug, const std::vector<RightText>& texts,
                                     std::size_t count) {
  std::vector<Mutant> mutants;
  for (std::size_t round = 0; round < count; ++round) {
    const std::size_t before = mutants.size();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].trees == nullptr) continue;
      const std::vector<std::string> codes = MutantTexts(bug, *texts[i].trees);
      if (mutants.size() == count) return mutants;
      if (round < codes.size()) mutants.push_back({texts[i], codes[(round + i) % codes.size()]});
    }
    if (mutants.size() == before) break;
  }
  return mutants;
}

// Judges a bug's mutants until one of them is proved; fails the test if there is none.
inline void ExpectProved(const BugClass& bug, const std::vector<RightText>& texts,
                         ProofJudges* judges) {
  std::string said;
  for (const Mutant& mutant : MutantsOf(bug, texts, 32)) {
    Result<Verdict> right = Verdict();
    if (bug.proof == BugProof::kCounts) {
      right = judges->Verify(bug.proof, "cuda", mutant.right.reference, mutant.right.code);
    }
    const Result<Verdict> verdict =
        judges->Verify(bug.proof, "cuda", mutant.right.reference, mutant.code);
    ASSERT_TRUE(right.ok() && verdict.ok()) << verdict.status().message();
    if (ProvesBug(bug, *verdict, *right)) return;
    said += ' ' + std::string(StatusName(verdict->status));
  }
  ADD_FAILURE() << bug.name << " was not shown:" << said;
}

struct NamedBug {
  std::string name;
  const BugClass* bug;
};

inline std::vector<NamedBug> NamedBugs() {
  std::vector<NamedBug> bugs;
  for (const BugClass& bug : AllBugs()) bugs.push_back({std::string(bug.name), &bug});
  return bugs;
}

}  // namespace kernelmill
