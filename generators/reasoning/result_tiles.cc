#include "generators/reasoning/result_tiles.h"

#include <regex>
#include <string>

#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The rows, columns and matrices of a product with a result of that shape.
bool SetProduct(const std::string& name, const std::vector<std::int64_t>& shape,
                ResultTiles* tiles) {
  if (shape.size() < 2) return false;
  tiles->product = true;
  tiles->columns = shape.back();
  if (name == "linear") {
    tiles->rows = ElementsIn(shape) / shape.back();
  } else if (shape.size() == 2) {
    tiles->rows = shape[0];
  } else if (shape.size() == 3 && (name == "bmm" || name == "baddbmm")) {
    tiles->rows = shape[1];
    tiles->matrices = shape[0];
  } else {
    return false;
  }
  return true;
}

// The same of a convolution without groups: rows are channels, and columns positions of all images.
bool SetConvolution(const Task& task, const std::string& name,
                    const std::vector<std::int64_t>& shape, ResultTiles* tiles) {
  const bool grouped = task.code.find("groups") != task.code.npos;
  const std::size_t dimensions = name == "conv1d"   ? 1
                                 : name == "conv2d" ? 2
                                 : name == "conv3d" ? 3
                                                    : 0;
  if (grouped || dimensions == 0 || shape.size() != dimensions + 2 || shape[1] == 0) return false;
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
  const std::string name(row->name);
  const bool known = row->family == OperatorFamily::kMatmul
                         ? SetProduct(name, result->shape, &tiles)
                     : row->family == OperatorFamily::kConvolution
                         ? SetConvolution(task, name, result->shape, &tiles)
                         : false;
  return known ? std::optional(tiles) : std::nullopt;
}

}  // namespace kernelmill
