// The native code of an answer, parsed: its text, its kernels with the facts of their syntax trees,
// and what its host code does. Reasoning, and the analyze, review and optimize rows, take what they
// say about code from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/records/candidate.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

struct AnswerKernel {
  std::string name;            // The name of the __global__ function.
  const DesignedKernel* plan;  // The plan of the host function that launches it; in the candidate.
  std::int64_t line = 0;       // The line of its definition in AnswerCode::native, from 1.
  KernelFacts facts;
};

struct AnswerCode {
  std::string native;     // The native code; empty when the answer has no single literal with it.
  std::int64_t line = 0;  // The line of the candidate on which `native` begins, from 1.
  std::vector<AnswerKernel> kernels;  // The kernels that could be parsed, in the plans' order.
  bool returns_early = false;         // The host code returns an empty result without a launch.
  bool limits_size = false;           // The host code rejects tensors beyond 32-bit indices.
  bool contiguous = false;            // The host code makes inputs contiguous.
  bool checks_launch = false;         // The host code checks for launch errors.

  bool Has(std::string_view text) const { return native.find(text) != native.npos; }
  // Whether the native code contains the identifier.
  bool HasName(std::string_view name) const;
  // Whether it contains every identifier of the expression; a plan's may have others.
  bool HasNamesOf(std::string_view expression) const;
};

// The result points into `answer`, which must outlive it.
AnswerCode ReadAnswerCode(const Candidate& answer);

// The assignments of the kernel that fit on one line of `code.native`, without indentation and
// semicolon. Leaves out declarations of shared memory and statements that read blockIdx.
std::vector<std::string> StatementsOf(const AnswerCode& code, const AnswerKernel& kernel);

}  // namespace kernelmill
