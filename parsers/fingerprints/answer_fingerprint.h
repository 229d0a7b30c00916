// The structural fingerprint of an answer: how its kernels compute, without how they are worded.
// Correct samples of one task with equal fingerprints are one cluster (stages/select/selection.h).
//
// A fingerprint is read from the native code in the answer's strings. Every kernel that the answer
// launches becomes a line of its memory accesses, barriers, warp operations and loops in program
// order (kernel_skeleton.h). Names, the values and names of constants, comments, formatting, the
// order of declarations, scalar arithmetic and the division into functions are not part of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

// What one kernel of an answer does, in the terms in which people compare strategies.
struct KernelStrategy {
  // The accesses, loops and collectives in program order: kernel_skeleton.h describes the words.
  std::string skeleton;
  int block_dimensions = 1;      // 1 to 3: how many dimensions of threadIdx it uses.
  // The same of blockIdx, whichever they are: a grid by row differs from a flat index over all.
  int grid_dimensions = 1;
  int vector_width = 1;          // The largest number of elements in one access: 4 for float4.
  bool structures = false;       // Accesses to global memory move a structure at once.
  bool grid_stride = false;      // A loop advances by the size of the grid.
  bool shared_memory = false;
  bool warp_operations = false;  // Shuffles, votes, reductions of a warp or of a tile of it.
  bool atomics = false;
  bool tensor_cores = false;
  bool register_tile = false;    // A thread collects results in an array of its own, in a loop.
  int global_passes = 0;         // Loops that read global memory themselves.
  bool launched_in_loop = false; // The host launches it again and again.

  friend bool operator==(const KernelStrategy&, const KernelStrategy&) = default;
  friend auto operator<=>(const KernelStrategy&, const KernelStrategy&) = default;
};

struct AnswerFingerprint {
  // One entry for each kernel that is launched, sorted, so that no order of declarations matters.
  // Empty for an answer without native kernels.
  std::vector<KernelStrategy> kernels;
  // Vendor libraries that its host code calls ("cublas"), sorted.
  std::vector<std::string> libraries;

  // Identifies the structure: equal for answers that differ in wording alone.
  Digest Cluster() const;
  // For reports: "2 kernels: grid-stride, float4 | shared memory, warp operations".
  std::string Text() const;
  Json ToJson() const;
};

// The fingerprint of an answer's Python text. Never fails: text that cannot be parsed has fewer
// kernels. Takes a few milliseconds.
AnswerFingerprint ReadAnswerFingerprint(std::string_view answer);

}  // namespace kernelmill
