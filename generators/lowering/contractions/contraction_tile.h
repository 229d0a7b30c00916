// Writes the register-tiled kernel for a sum of products (contraction_spec.h): the choice of tile
// sizes, the loads of both factors into shared memory, and the multiply-adds in registers. Called
// by the strategies for contractions, and by those for multi-head attention and recurrent layers,
// which contain matrix products.
#pragma once

#include <cstdint>
#include <string>

#include "generators/lowering/call_plan.h"
#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

struct Tile {
  int rows, cols, depth;         // The tile of the result, and the step along k.
  int thread_rows, thread_cols;  // Of the result, per thread.

  constexpr int threads() const { return rows / thread_rows * (cols / thread_cols); }
  constexpr int results_of_thread() const { return thread_rows * thread_cols; }
  // The floats behind each row of a factor in shared memory, so that the threads of a warp that
  // store a column of it use different banks. A thread that needs four neighbours reads them with
  // one load of 16 bytes, which rows must be aligned for.
  constexpr int padding() const { return thread_rows <= 2 && thread_cols <= 2 ? 2 : 4; }
  constexpr int shared_floats() const { return depth * (rows + cols + 2 * padding()); }
};

// A result with fewer rows or columns is not tiled (one filter per channel, a vector), because most
// of a tile would lie outside of it.
inline constexpr std::int64_t kNarrow = 4;

// The tile for the task's sizes. It weighs multiply-adds wasted outside of the result against
// multiply-adds per read of shared memory. With `fill_device`, the tiles of the result must be
// enough blocks to fill a device.
Tile TileFor(const ContractionSpec& spec, bool fill_device);
// The number of tiles of the result.
std::int64_t TilesOf(const ContractionSpec& spec, const Tile& tile);

// The names of the result's sizes, of the range of k that is summed, and of the grid's axes.
struct TileNames {
  std::string M, N, k_begin, k_end, m_axis, n_axis;
};
// The names for a group's own sizes, which are added to the scope.
TileNames TileNamesOf(GroupScope* scope, const ContractionSpec& spec);
// " __launch_bounds__(256, 2)": limits registers so that two blocks fit on a multiprocessor.
std::string TileLaunchBounds(const Tile& tile);
// The host's expressions for the number of blocks along x and y: "(rows + 63) / 64, (cols + 63) /
// 64".
std::string TileGrid(const TileNames& names, const Tile& tile);
std::string TileGrid(const TileNames& names, const Tile& tile, const std::string& z);
// "(rows + 63) / 64"
std::string RoundedUpQuotient(const std::string& size, int part);
// The statements from the shared-memory tiles to the stores. `store`: the statements for the sum
// `acc` at `m` and `n`.
std::string TileBody(const GroupScope& scope, const ContractionSpec& spec, const Tile& tile,
                     const TileNames& names, const std::string& store);
// Sets the threads and the shared memory of the plan, with the reasons for the tile.
void AddTileToPlan(const ContractionSpec& spec, const Tile& tile, CallPlan* plan);

}  // namespace kernelmill
