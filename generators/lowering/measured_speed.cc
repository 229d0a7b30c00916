#include "generators/lowering/measured_speed.h"

namespace kernelmill {
namespace {

constexpr MeasuredSpeed kSpeeds[] = {
    {"block_a_row", "", false, 34, 0.73},
    {"block_a_row", "", true, 4, 0.36},
    {"block_a_row", "amax", false, 4, 2.2},
    {"block_a_row", "argmax", false, 3, 0.39},
    {"block_a_row", "mean", false, 4, 0.77},
    {"block_a_row_online", "", false, 27, 0.75},
    {"block_a_row_online", "", true, 6, 0.49},
    {"block_a_row_online", "group_norm", false, 4, 1.6},
    {"block_a_row_online", "layer_norm", false, 3, 0.67},
    {"block_a_row_online", "logsumexp", false, 4, 2.6},
    {"block_a_row_online", "softmax", false, 6, 0.71},
    {"block_a_row_online", "var", false, 4, 0.3},
    {"block_of_columns", "", false, 11, 1.2},
    {"block_of_columns", "", true, 2, 2.4},
    {"block_scan", "", false, 5, 1.9},
    {"block_scan", "cumsum", false, 3, 7.3},
    {"blocks_a_column", "", false, 4, 0.78},
    {"blocks_a_row", "", false, 16, 1.5},
    {"blocks_a_row", "", true, 4, 0.79},
    {"copy_a_part", "", false, 1, 1.2},
    {"copy_in_a_loop", "", false, 1, 0.89},
    {"gather_an_element", "", false, 42, 1},
    {"gather_an_element", "", true, 6, 0.68},
    {"gather_an_element", "index_add", false, 3, 0.11},
    {"gather_an_element", "index_copy", false, 4, 0.36},
    {"gather_an_element", "scatter_add", false, 5, 0.11},
    {"gather_in_a_loop", "", false, 27, 1.6},
    {"gather_in_a_loop", "", true, 3, 1.5},
    {"grid_stride", "", false, 39, 0.93},
    {"grid_stride", "", true, 5, 0.57},
    {"kernel_a_step", "", false, 5, 0.015},
    {"network_in_shared_memory", "", false, 13, 1.3},
    {"network_in_shared_memory", "argsort", false, 4, 1.4},
    {"network_in_shared_memory", "sort", false, 4, 2.8},
    {"network_in_shared_memory", "topk", false, 4, 1.4},
    {"network_of_tiles", "", false, 6, 0.87},
    {"network_of_tiles", "sort", false, 4, 0.65},
    {"one_thread_an_element", "", false, 18, 0.86},
    {"place_by_counting", "", false, 10, 0.94},
    {"place_by_counting", "argsort", false, 4, 0.75},
    {"place_by_counting", "sort", false, 4, 1.6},
    {"place_by_tiles", "", false, 1, 0.23},
    {"products_by_tiles", "", false, 4, 0.61},
    {"register_tile", "", false, 22, 0.71},
    {"register_tile", "", true, 6, 0.26},
    {"register_tile", "linear", false, 3, 0.81},
    {"scan_a_column", "", false, 3, 1.6},
    {"scatter_by_atomics", "", false, 5, 1},
    {"scatter_by_atomics", "scatter_add", false, 3, 1},
    {"scatter_in_order", "", false, 5, 1.9},
    {"scatter_in_order", "index_copy", false, 3, 1.4},
    {"unfused_attention", "", false, 7, 0.11},
    {"unfused_attention", "scaled_dot_product_attention", false, 6, 0.13},
    {"select_by_digits", "", false, 2, 0.4},
    {"serial_scan", "", false, 1, 0.27},
    {"shared_tile", "", false, 25, 0.22},
    {"shared_tile", "", true, 6, 0.25},
    {"split_k", "", false, 2, 0.92},
    {"thread_a_column", "", false, 9, 1.9},
    {"thread_a_column", "softmax", false, 3, 1.9},
    {"thread_a_projection", "", false, 5, 0.014},
    {"thread_a_projection", "", true, 2, 0.0061},
    {"thread_a_result", "", false, 4, 1.9},
    {"tiled_attention", "", false, 7, 1.6},
    {"tiled_attention", "scaled_dot_product_attention", false, 6, 1.7},
    {"tiled_projections", "", false, 5, 0.83},
    {"tiled_projections", "", true, 2, 0.16},
    {"vectorised", "", false, 19, 1},
    {"vectorised", "", true, 4, 0.57},
    {"warp_a_row", "", false, 5, 0.45},
};

}  // namespace

std::span<const MeasuredSpeed> AllMeasuredSpeeds() { return kSpeeds; }

std::optional<double> FindMeasuredSpeed(std::string_view strategy, std::string_view op,
                                        bool sixteen_bits) {
  const MeasuredSpeed* best = nullptr;
  int most = -1;
  for (const MeasuredSpeed& row : kSpeeds) {
    if (row.strategy != strategy) continue;
    if (!row.op.empty() && row.op != op) continue;
    if (row.sixteen_bits && !sixteen_bits) continue;
    const int says = (row.op.empty() ? 0 : 2) + (row.sixteen_bits ? 1 : 0);
    if (says > most) {
      most = says;
      best = &row;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->speed;
}

}  // namespace kernelmill
