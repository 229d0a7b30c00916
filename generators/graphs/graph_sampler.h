// Draws the graphs of generated tasks: random graphs of PyTorch operators at sizes that are worth
// a kernel, together with the same graph at small sizes for checks. The generator of tasks
// (generated_task.h) calls Sample() for each index of a seed and writes a module from the result.
#pragma once

#include <cstdint>

#include "generators/graphs/graph_draft.h"
#include "generators/graphs/operator_choice.h"
#include "generators/graphs/sampler_options.h"

namespace kernelmill {

// Raised whenever an index of a seed may give another task than before.
inline constexpr int kGeneratorVersion = 6;

// Holds one task at a time and reuses its memory. The task at an index depends on the options and
// the index alone. Not thread-safe.
class GraphSampler {
 public:
  explicit GraphSampler(SamplerOptions options);

  // False when nothing that was tried fits, so that this index has no task.
  bool Sample(std::uint64_t index);

  // The task of the last successful call.
  const OperatorGraph& large() const { return draft_.large(); }
  const OperatorGraph& small() const { return draft_.small(); }
  const GraphNames& names() const { return draft_.names(); }
  int level() const { return level_; }
  bool any_shape() const { return any_shape_; }
  // The seed of the choices among idioms in the task's text.
  std::uint64_t text_seed() const { return text_seed_; }
  const OperatorCost& cost() const { return cost_; }

 private:
  // The operator that the task is about, at levels 1 and 2.
  const OperatorRow& Subject(std::uint64_t index, int attempt) const;
  bool Build(std::uint64_t seed, const OperatorRow& subject);
  bool IsAcceptable();
  // Adds the first value of a graph: one of the usual inputs of networks.
  ValueId Begin(DType dtype);
  bool BuildOperator(const OperatorRow& op);
  // Tries first values until the operator fits. Its result, or kAbsent.
  ValueId BeginWith(const OperatorRow& op, DType dtype);
  bool BuildChain(const OperatorRow& first, int operators);
  // Adds a comparison, and an operator that selects by its result.
  ValueId InsertMask(const OperatorRow& comparison, ValueId at);

  SamplerOptions options_;
  OperatorChoice choice_;
  GraphDraft draft_;
  int level_ = 1;
  bool any_shape_ = false;
  std::uint64_t text_seed_ = 0;
  OperatorCost cost_;
};

}  // namespace kernelmill
