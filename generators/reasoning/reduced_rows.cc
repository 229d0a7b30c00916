#include "generators/reasoning/reduced_rows.h"

#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The only call of the reduction that the plan is built around; null when there are none or
// several.
const OperatorCall* ReductionOf(const Annotation& facts, const DesignedKernel& plan) {
  const OperatorRow* const row = OperatorCalled(plan.head);
  if (row == nullptr || row->family != OperatorFamily::kReduction) return nullptr;
  const OperatorCall* found = nullptr;
  for (const OperatorCall& call : facts.operators) {
    if (OperatorCalled(call.name) != row) continue;
    if (found != nullptr || call.outputs.size() != 1) return nullptr;
    found = &call;
  }
  return found;
}

}  // namespace

std::optional<std::size_t> ReducedDimension(const std::vector<std::int64_t>& from,
                                            const std::vector<std::int64_t>& to) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < from.size(); ++d) {
    std::vector<std::int64_t> removed = from, kept = from;
    removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(d));
    kept[d] = 1;
    if ((removed != to && kept != to) || from[d] < 2) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

std::optional<ReducedRows> ReducedRowsOf(const Task& task, const Annotation& facts,
                                         const DesignedKernel& plan) {
  const OperatorCall* const call = ReductionOf(facts, plan);
  if (call == nullptr) return std::nullopt;
  const std::vector<std::int64_t>& to = call->outputs[0].shape;
  const auto rows = [&](const std::vector<std::int64_t>& from) -> std::optional<ReducedRows> {
    const auto dimension = ReducedDimension(from, to);
    if (!dimension) return std::nullopt;
    return ReducedRows{ElementsIn(to), from[*dimension]};
  };
  const auto index = call - facts.operators.data();
  if (index > 0) {
    const OperatorCall& before = facts.operators[static_cast<std::size_t>(index) - 1];
    return before.outputs.size() == 1 ? rows(before.outputs[0].shape) : std::nullopt;
  }
  return task.inputs.empty() ? std::nullopt : rows(task.inputs[0].shape);
}

std::int64_t BlocksOfReduction(const Annotation& facts, const DesignedKernel& plan) {
  const OperatorCall* const call = ReductionOf(facts, plan);
  if (call == nullptr) return 0;
  constexpr std::int64_t kColumns = 32;
  const std::int64_t results = ElementsIn(call->outputs[0].shape);
  if (plan.strategy.starts_with("block_of_columns")) return (results + kColumns - 1) / kColumns;
  return plan.strategy.starts_with("block_a_row") || plan.strategy == "tree_a_row" ? results : 0;
}

}  // namespace kernelmill
