// Tasks made by chance: graphs of operators at sizes that are worth a kernel, each with small sizes
// for checks.
#pragma once

#include <cstdint>

#include "generators/graphs/graph_draft.h"
#include "generators/graphs/operator_choice.h"
#include "generators/graphs/sampler_options.h"

namespace kernelmill {

// Changes whenever an index of a seed can give another task than before.
inline constexpr int kGeneratorVersion = 6;

// One task at a time, in the same memory. What index i gives depends on the options and i alone.
class GraphSampler {
 public:
  explicit GraphSampler(SamplerOptions options);

  // False where nothing that was tried for this index fits; it has no task then.
  bool Sample(std::uint64_t index);

  // The task of the last call.
  const OperatorGraph& large() const { return draft_.large(); }
  const OperatorGraph& small() const { return draft_.small(); }
  const GraphNames& names() const { return draft_.names(); }
  int level() const { return level_; }
  bool any_shape() const { return any_shape_; }
  // What the text's idioms are drawn from.
  std::uint64_t text_seed() const { return text_seed_; }
  const OperatorCost& cost() const { return cost_; }

 private:
  // The operator that the task is about, at levels 1 and 2.
  const OperatorRow& Subject(std::uint64_t index, int attempt) const;
  bool Build(std::uint64_t seed, const OperatorRow& subject);
  bool IsAcceptable();
  // The value that a graph begins with, of one of the kinds of tensors that networks take.
  ValueId Begin(DType dtype);
  bool BuildOperator(const OperatorRow& op);
  // Begins anew until the operator fits; its result, or kAbsent.
  ValueId BeginWith(const OperatorRow& op, DType dtype);
  bool BuildChain(const OperatorRow& first, int operators);
  // Compares, and goes on with what the comparison chooses.
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
