// Declares CUDA's built-in variables (threadIdx and so on) as writable, for the executor: launch.cc
// and block.cc set them before a thread runs. Candidates see the same symbols as constants. A file
// that includes this header must not use the constants.
#pragma once

#include <kernelmill/vector_types.h>

namespace kernelmill {

extern uint3 current_thread_index asm("threadIdx");
extern uint3 current_block_index asm("blockIdx");
extern uint3 current_block_size asm("blockDim");
extern uint3 current_grid_size asm("gridDim");
extern int current_warp_width asm("warpSize");

}  // namespace kernelmill
