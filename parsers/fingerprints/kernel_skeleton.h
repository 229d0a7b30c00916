// The skeleton of a kernel: what it does to memory and how its threads work together, in program
// order, without how that is written. Functions are read where they are called, and variables are
// followed to the memory that they point to.
//
// Words:
//   read, write       an access to global memory; read4: of a float4; readv: of a structure;
//                     read/s: an index multiplies threadIdx.x, so that neighbours read apart
//   sread, swrite     an access to shared memory
//   atomic, satomic   an atomic operation on global or shared memory
//   bar               __syncthreads()
//   shfl, vote        a shuffle or reduction of a warp; a vote
//   mma, async, asm   tensor cores; an asynchronous copy; inline PTX
//   cub               a collective of a library of device functions
// Words with something inside:
//   for(…)            a loop
//   grid(…)           a loop that advances by the size of the grid
//   block(…)          a loop in which the threads of a block take turns; warp(…): the lanes of one
//   halve(…)          a loop that halves or doubles its variable
//   one(…)            a branch that one thread of a block or warp takes
// Left out are scalar arithmetic, accesses to registers, bounds checks, loops of up to
// kUnrolledTrips rounds (they are like the unrolled text), and what repeats directly: the order and
// number of operands that are read at one place does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parsers/fingerprints/native_program.h"

namespace kernelmill {

inline constexpr std::int64_t kUnrolledTrips = 8;

struct SkeletonItem {
  std::string word;
  std::vector<SkeletonItem> inner;

  friend bool operator==(const SkeletonItem&, const SkeletonItem&) = default;
};
using Skeleton = std::vector<SkeletonItem>;

struct KernelReading {
  Skeleton skeleton;
  int block_dimensions = 1;
  unsigned grid_axes = 0;  // Of blockIdx: a bit for each that it uses.
  bool shared_memory = false;
  bool register_tile = false;
};

// `kernel` is one of `program`.
KernelReading ReadKernel(const NativeProgram& program, const NativeFunction& kernel);

// Removes what carries no meaning: empty loops, repetitions, loops that only hold a loop; sorts
// neighbouring reads.
Skeleton Simplified(Skeleton skeleton);
// "for(read bar) write"
std::string SkeletonText(const Skeleton& skeleton);

}  // namespace kernelmill
