#include "generators/reasoning/result_tiles.h"

#include <algorithm>
#include <regex>

#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The rows and columns of a product with a result of that shape. A layer with a weight of its own
// stacks all rows; of other products it is known for two dimensions alone.
bool SetProduct(const OperatorRow& row, const std::vector<std::int64_t>& shape,
                ResultTiles* tiles) {
  const bool layer =
      row.operands.size() > 1 && row.operands[1].role == OperandRow::Role::kParameter;
  if (shape.size() < 2 || (!layer && shape.size() > 2)) return false;
  tiles->product = true;
  tiles->columns = shape.back();
  tiles->rows = ElementsIn(shape) / shape.back();
  return true;
}

// The same of a convolution without groups: rows are channels, and columns positions of all images.
bool SetConvolution(const Task& task, const Annotation& facts,
                    const std::vector<std::int64_t>& shape, ResultTiles* tiles) {
  const bool grouped = task.code.find("groups") != task.code.npos;
  // A filter has as many dimensions as a result with a batch.
  const bool batch = std::any_of(facts.parameters.begin(), facts.parameters.end(),
                                 [&](const auto& one) { return one.shape.size() == shape.size(); });
  if (grouped || !batch || shape.size() < 3) return false;
  tiles->rows = shape[1];
  tiles->columns = ElementsIn(shape) / shape[1];
  return true;
}

}  // namespace

std::optional<ResultTiles> ResultTilesOf(const Task& task, const Annotation& facts,
                                         const DesignedKernel& plan) {
  static const std::regex kTile(R"(a (\d+) x (\d+) tile)");
  const OperatorRow* const row = OperatorCalled(plan.head);
  std::smatch tile;
  if (row == nullptr || !std::regex_search(plan.mapping, tile, kTile)) return std::nullopt;
  const TensorFacts* result = nullptr;
  for (const OperatorCall& call : facts.operators) {
    if (OperatorCalled(call.name) != row) continue;
    if (result != nullptr || call.outputs.size() != 1) return std::nullopt;
    result = &call.outputs[0];
  }
  if (result == nullptr || ElementsIn(result->shape) == 0) return std::nullopt;
  ResultTiles tiles;
  tiles.tile_rows = std::stoll(tile[1].str());
  tiles.tile_columns = std::stoll(tile[2].str());
  const bool known = row->family == OperatorFamily::kMatmul
                         ? SetProduct(*row, result->shape, &tiles)
                     : row->family == OperatorFamily::kConvolution
                         ? SetConvolution(task, facts, result->shape, &tiles)
                         : false;
  return known ? std::optional(tiles) : std::nullopt;
}

}  // namespace kernelmill
