#include "generators/reasoning/reduced_rows.h"

#include <algorithm>
#include <regex>

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

// The only call of a normalisation of the columns of a matrix that the plan is built around: one
// that keeps statistics of each channel.
const OperatorCall* ColumnNormOf(const Annotation& facts, const DesignedKernel& plan) {
  const OperatorRow* const row = OperatorCalled(plan.head);
  const bool keeps = row != nullptr && row->family == OperatorFamily::kNorm &&
                     std::any_of(row->operands.begin(), row->operands.end(), [](const auto& one) {
                       return one.role == OperandRow::Role::kBuffer;
                     });
  const OperatorCall* found = nullptr;
  for (const OperatorCall& call : facts.operators) {
    if (!keeps || OperatorCalled(call.name) != row) continue;
    if (found != nullptr || call.outputs.size() != 1 || call.outputs[0].shape.size() != 2) {
      return nullptr;
    }
    found = &call;
  }
  return found;
}

// The rows or columns that the plan reduces; 0 when that is not known.
std::int64_t ResultsOf(const Annotation& facts, const DesignedKernel& plan) {
  if (const OperatorCall* const norm = ColumnNormOf(facts, plan)) return norm->outputs[0].shape[1];
  const OperatorCall* const call = ReductionOf(facts, plan);
  return call == nullptr ? 0 : ElementsIn(call->outputs[0].shape);
}

// The elements of each; 0 when that is not known.
std::int64_t LengthOf(const Task& task, const Annotation& facts, const DesignedKernel& plan) {
  if (const OperatorCall* const norm = ColumnNormOf(facts, plan)) return norm->outputs[0].shape[0];
  const auto rows = ReducedRowsOf(task, facts, plan);
  return rows ? rows->length : 0;
}

constexpr std::int64_t kColumns = 32;  // Of a block.

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
  const std::int64_t results = ResultsOf(facts, plan);
  if (plan.strategy.starts_with("block_of_columns")) return (results + kColumns - 1) / kColumns;
  return plan.strategy.starts_with("block_a_row") || plan.strategy == "tree_a_row" ? results : 0;
}

std::optional<SplitGrid> SplitGridOf(const Task& task, const Annotation& facts,
                                     const DesignedKernel& plan, const std::string& code) {
  static const std::regex kParts(R"(\+ \d+\) / (\d+),\s*(\d+) /\s*std::max<int64_t>\(\s*1,)");
  const bool columns = plan.strategy.starts_with("blocks_a_column");
  std::smatch match;
  if ((!columns && !plan.strategy.starts_with("blocks_a_row")) ||
      !std::regex_search(code, match, kParts)) {
    return std::nullopt;
  }
  const std::int64_t results = ResultsOf(facts, plan), length = LengthOf(task, facts, plan);
  if (results == 0 || length == 0) return std::nullopt;
  const std::int64_t fewest = std::stoll(match[1].str()), blocks = std::stoll(match[2].str());
  SplitGrid grid;
  grid.groups = columns ? (results + kColumns - 1) / kColumns : results;
  grid.parts = std::max<std::int64_t>(
      1, std::min((length + fewest - 1) / fewest, blocks / std::max<std::int64_t>(1, grid.groups)));
  return grid;
}

}  // namespace kernelmill
