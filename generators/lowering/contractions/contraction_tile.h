// Register-tiled contractions: the choice of tile sizes, the loads of both factors into shared
// memory, and the multiply-adds in registers.
#pragma once

#include <cstdint>
#include <string>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/kernel_plan.h"

namespace kernelmill {

struct Tile {
  int rows, cols, depth;         // Of the result, and of k.
  int thread_rows, thread_cols;  // Of one thread.

  constexpr int threads() const { return rows / thread_rows * (cols / thread_cols); }
  constexpr int results_of_thread() const { return thread_rows * thread_cols; }
  // Floats of shared memory, with what keeps columns in different banks.
  constexpr int shared_floats() const { return depth * (rows + cols + 8); }
};

// Fewer rows or columns of a result (a filter a channel, a vector): most of a tile would lie outside
// of it.
inline constexpr std::int64_t kNarrow = 4;

// The tile for the task's sizes: the fewest multiply-adds on parts of tiles that lie outside of the
// result, against how many of them a read of shared memory serves. With `fill` the result alone has
// to give a device enough blocks.
Tile TileFor(const ContractionSpec& spec, bool fill);
// How many tiles the result has.
std::int64_t TilesOf(const ContractionSpec& spec, const Tile& tile);

// What code calls the result's sizes, the part of k that is summed, and the axes of the grid.
struct TileNames {
  std::string M, N, k_begin, k_end, m_axis, n_axis;
};
// Those of a group's own sizes, which the scope gets.
TileNames TileNamesOf(GroupScope* scope, const ContractionSpec& spec);
// " __launch_bounds__(256, 2)": as many registers a thread as two blocks on a multiprocessor leave.
std::string TileLaunchBounds(const Tile& tile);
// The blocks along x and y: "(rows + 63) / 64, (cols + 63) / 64".
std::string TileGrid(const TileNames& names, const Tile& tile);
std::string TileGrid(const TileNames& names, const Tile& tile, const std::string& z);
// "(rows + 63) / 64"
std::string PartsOf(const std::string& size, int part);
// The statements from the tiles in shared memory to the stores; `store`: those for the sum `acc` at
// `m` and `n`.
std::string TileBody(const GroupScope& scope, const ContractionSpec& spec, const Tile& tile,
                     const TileNames& names, const std::string& store);
// Its threads, its shared memory, and why it is so.
void NoteTile(const Tile& tile, KernelPlan* plan);

}  // namespace kernelmill
