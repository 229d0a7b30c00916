// The tiles in which a kernel computes the result of a contraction at the task's own sizes: how
// many blocks that are, how much of them lies outside of the result, and how often a factor is
// read. Mappings, optimisations and the check of their numbers ask for them.
#pragma once

#include <cstdint>
#include <optional>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

struct ResultTiles {
  std::int64_t rows = 0, columns = 0;            // Of the result.
  std::int64_t tile_rows = 0, tile_columns = 0;  // Of a tile.
  bool product = false;                          // Of matrices, and not a convolution.

  std::int64_t RowsOfTiles() const { return (rows + tile_rows - 1) / tile_rows; }
  std::int64_t ColumnsOfTiles() const { return (columns + tile_columns - 1) / tile_columns; }
  std::int64_t Count() const { return RowsOfTiles() * ColumnsOfTiles(); }
  // The percentage of the elements of all tiles that the result does not have, rounded down.
  std::int64_t PercentOutside() const {
    const std::int64_t all = RowsOfTiles() * tile_rows * ColumnsOfTiles() * tile_columns;
    return 100 * (all - rows * columns) / all;
  }
};

// Nothing where the plan has no tiles, where the task calls such an operator several times, or
// where shapes alone do not tell which matrices it multiplies.
std::optional<ResultTiles> ResultTilesOf(const Task& task, const Annotation& facts,
                                         const DesignedKernel& plan);

}  // namespace kernelmill
