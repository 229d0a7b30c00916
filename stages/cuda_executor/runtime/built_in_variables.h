// threadIdx and its kin, as the executor writes them: the symbols that candidates see as constants.
// A file that includes this does not use those.
#pragma once

#include <kernelmill/vector_types.h>

namespace kernelmill {

extern uint3 current_thread_index asm("threadIdx");
extern uint3 current_block_index asm("blockIdx");
extern uint3 current_block_size asm("blockDim");
extern uint3 current_grid_size asm("gridDim");
extern int current_warp_width asm("warpSize");

}  // namespace kernelmill
