// An answer's native code, as its syntax tree shows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/records/candidate.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

struct AnswerKernel {
  std::string name;            // Of the __global__ function.
  const DesignedKernel* plan;  // Of the host function that launches it; in the candidate.
  std::int64_t line = 0;       // In AnswerCode::native.
  KernelFacts facts;
};

struct AnswerCode {
  std::string native;                 // The device code's text; empty where it is not one literal.
  std::int64_t line = 0;              // In the candidate, of the native code's first line; 1-based.
  std::vector<AnswerKernel> kernels;  // Those that could be read, in the plans' order.
  bool returns_early = false;         // Host code gives back an empty result without a launch.
  bool limits_size = false;           // Host code refuses tensors beyond 32-bit positions.
  bool contiguous = false;            // Host code makes inputs contiguous.
  bool checks_launch = false;

  bool Has(std::string_view text) const { return native.find(text) != native.npos; }
};

// `answer` outlives the result.
AnswerCode ReadAnswerCode(const Candidate& answer);

// What the kernel computes and stores, statement by statement, each a line of `code.native` without
// the space around it: no declarations of shared memory, no question for thread and block numbers,
// and nothing that goes on on another line.
std::vector<std::string> StatementsOf(const AnswerCode& code, const AnswerKernel& kernel);

}  // namespace kernelmill
