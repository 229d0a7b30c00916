// The facts of one call of forward(): what its kernels compute, how they are launched, and why they
// are written so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct KernelReason {
  std::string choice;  // "blocks of 256 threads"
  std::string why;
};

struct KernelPlan {
  std::string function;       // As forward() calls it.
  std::string_view strategy;  // Strategy::name.
  std::vector<int> nodes;     // Of the graph.
  int head = -1;              // Of them, the one that it is built around.
  std::vector<std::string> kernels;
  std::string mapping;  // Which thread computes what: a sentence.
  std::string index_type;
  int threads = 0;                // A block.
  std::string grid;               // Blocks, as the host works them out.
  std::int64_t shared_bytes = 0;  // A block.
  // At the task's sizes: threads that have something to do, 0 where there are as many as elements;
  // and whether the threads of a warp access different sectors of memory.
  std::int64_t busy_threads = 0;
  bool uncoalesced = false;
  OperatorCost cost;  // At the task's sizes; bytes of what it reads and writes in memory.
  std::vector<KernelReason> reasons;
};

}  // namespace kernelmill
