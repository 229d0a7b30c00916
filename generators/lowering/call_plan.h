// CallPlan: the facts of one call in forward() of an answer: what its kernels compute, how they are
// launched, and why they are written so. A strategy fills in the mapping, index type, geometry,
// memory accesses and reasons; PlanLowering() fills in the names, nodes, head and cost. It becomes
// part of the candidate's record (DesignedKernel), from which reasoning is written and speed is
// estimated.
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

struct CallPlan {
  std::string function;       // The name by which forward() calls it.
  std::string_view strategy;  // Strategy::name.
  std::vector<int> nodes;     // Of the graph.
  int head = -1;              // The node that it is built around, or -1.
  std::vector<std::string> kernels;
  std::string mapping;  // One sentence: which thread computes what.
  std::string index_type;
  int threads = 0;                // Per block.
  std::string grid;               // The host's expression for the number of blocks.
  std::int64_t shared_bytes = 0;  // Per block.
  // At the task's sizes: the number of threads that have work, 0 for one per element; and whether
  // the threads of a warp access different sectors of memory.
  std::int64_t busy_threads = 0;
  bool uncoalesced = false;
  // At the task's sizes. `bytes` counts each tensor that is read or written once.
  OperatorCost cost;
  std::vector<KernelReason> reasons;
};

}  // namespace kernelmill
