// A candidate: an answer to a task that kernelmill wrote itself, what is known of its kernels, and
// what running it showed. Right ones are answers, wrong ones are what somebody learns to find and
// mend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/verdict.h"

namespace kernelmill {

// A choice that its author made, and why: "blocks of 256 threads", "…".
struct DesignReason {
  std::string choice;
  std::string why;

  Json ToJson() const;
  static Result<DesignReason> FromJson(const Json& json);
  friend bool operator==(const DesignReason&, const DesignReason&) = default;
};

// A host function of a candidate with the kernels that it launches.
struct DesignedKernel {
  std::string function;                // As forward() calls it.
  std::string strategy;                // Of generators/lowering/strategy.h.
  std::vector<std::string> operators;  // Rows of the operator table, in order of the graph.
  std::string head;                    // The one that it is built around; empty where none is.
  std::vector<std::string> kernels;    // Names of __global__ functions.
  std::string mapping;                 // Which thread computes what: a sentence.
  std::string index_type;              // "int" or "int64_t".
  std::int64_t threads = 0;            // A block.
  std::string grid;                    // Blocks, as the host works them out.
  std::int64_t shared_bytes = 0;       // A block.
  // At the task's own sizes. Bytes of what it reads and writes in memory, each tensor once.
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
  // For "lowering": strategies and groups; answers of one task with equal ones are told apart by
  // nothing that matters.
  std::string structure;
  std::vector<DesignedKernel> kernels;  // In the order in which forward() runs them.
  // Eager's time over its own on a GPU, at the task's own sizes, as estimated from what kernels of
  // its strategies measured (generators/lowering/estimated_speed.h); 0: not known.
  double estimated_speed = 0;
  // For "perturbation": the content_id of the candidate that a bug was put into, and the bug's
  // class (generators/perturbation); empty for others.
  std::string parent;
  std::string bug;

  // Without what differs between processors: no number that torch computed is in it, no time, no
  // text of a log (Verdict::Reproducible()).
  Verdict verdict;
  bool memory_checked = false, races_checked = false;  // Under sanitizers.

  // A right one without a bug, which a question about its task can be answered with.
  bool IsAnswer() const;
  // Whether somebody is to learn to write it: what is far slower than eager only where it shows how
  // one operator is computed. Others serve as the "before" of a better one.
  bool IsTaught() const;

  Json ToJson() const;
  static Result<Candidate> FromJson(const Json& json);
};

// Below this part of eager's speed an answer is slow.
inline constexpr double kSlowSpeed = 0.3;
// `estimated_speed` of an answer.
bool IsSlow(double estimated_speed);

}  // namespace kernelmill
