// The record of a candidate that kernelmill wrote: an answer to a task, the design of its kernels,
// and the verdict on it. The step "answer" records correct candidates, which serve as answers; the
// step "perturb" makes mutants of them (with `parent` and `bug`): wrong ones serve as examples to
// review and repair, needlessly slow ones as examples to review.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/verdict.h"

namespace kernelmill {

// A design choice and its reason, for example the choice "blocks of 256 threads".
struct DesignReason {
  std::string choice;
  std::string why;

  Json ToJson() const;
  static Result<DesignReason> FromJson(const Json& json);
  friend bool operator==(const DesignReason&, const DesignReason&) = default;
};

// A host function of a candidate, and the kernels that it launches.
struct DesignedKernel {
  std::string function;                // The name by which forward() calls it.
  std::string strategy;                // A name from generators/lowering/strategy.h.
  std::vector<std::string> operators;  // Rows of the operator table, in graph order.
  std::string head;                    // The operator that the kernel is built around, or "".
  std::vector<std::string> kernels;    // The names of its __global__ functions.
  std::string mapping;                 // One sentence: which thread computes what.
  std::string index_type;              // "int" or "int64_t".
  std::int64_t threads = 0;            // Threads per block.
  std::string grid;                    // The host's expression for the number of blocks.
  std::int64_t shared_bytes = 0;       // Shared memory per block.
  // At the task's own sizes. `bytes` counts every tensor that is read or written once.
  std::int64_t flops = 0, bytes = 0;
  std::vector<DesignReason> reasons;

  Json ToJson() const;
  static Result<DesignedKernel> FromJson(const Json& json);
  friend bool operator==(const DesignedKernel&, const DesignedKernel&) = default;
};

struct Candidate {
  Digest task;          // content_id of the task.
  std::string backend;  // "cuda" or "musa".
  std::string code;     // Python text that defines ModelNew.
  std::string author;   // "lowering" or "perturbation".
  // For "lowering": the strategies and groups. Answers to one task with the same structure differ
  // in nothing that matters.
  std::string structure;
  std::vector<DesignedKernel> kernels;  // In the order in which forward() runs them.
  // The estimated speedup over eager PyTorch on a GPU at the task's own sizes: eager's time divided
  // by this candidate's time, based on measurements of its strategies
  // (generators/lowering/estimated_speed.h). 0 means unknown.
  double estimated_speed = 0;
  // For "perturbation": the content_id of the candidate that the bug was put into, and the bug
  // class (generators/perturbation). Empty for other authors.
  std::string parent;
  std::string bug;

  // Only the parts that are the same on every machine (Verdict::Reproducible()): no numbers that
  // torch computed, no times and no logs.
  Verdict verdict;
  bool memory_checked = false, races_checked = false;  // By the sanitizers.

  // Whether the candidate is correct and has no bug put into it, so that it can serve as an answer.
  bool IsAnswer() const;
  // Whether it may be the answer that a row trains. An answer that is far slower than eager PyTorch
  // is trained only when it shows how a single operator is computed. Otherwise it serves as the
  // "before" version of a better one.
  bool IsTaught() const;

  Json ToJson() const;
  static Result<Candidate> FromJson(const Json& json);
};

// An answer is slow when its speedup over eager PyTorch is below this.
inline constexpr double kSlowSpeed = 0.3;
// `estimated_speed`: as in Candidate; 0 (unknown) is not slow.
bool IsSlow(double estimated_speed);

}  // namespace kernelmill
