// Facts about a kernel, mined or written by us, that follow from its syntax tree: indices, loops,
// guards, shared arrays, calls and memory accesses. Every text is quoted from the source without
// comments and with white space collapsed; `line` is the line on which it begins, 1-based. Nothing
// is guessed. Facts are about the kernel's own body; of the functions that it calls only `helpers`
// says something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

struct KernelParameter {
  std::string name;
  std::string text;  // "const float* __restrict__ x".
  bool pointer = false;
  bool constant = false;  // The value, or what it points to, is const.
};

// A variable whose value depends on the thread.
struct ThreadIndex {
  enum class Kind {
    kGlobal,      // blockIdx.d * blockDim.d + threadIdx.d, in any order of the terms.
    kGridRank,    // this_grid().thread_rank().
    kThread,      // threadIdx.d alone.
    kBlock,       // blockIdx.d alone.
    kExpression,  // Another expression of threadIdx, blockIdx, thread_rank() …
    kDerived,     // An expression of other thread indices.
  };
  Kind kind = Kind::kExpression;
  std::string name;
  std::string expression;
  char dimension = 0;  // 'x', 'y' or 'z' for kGlobal, kThread and kBlock.
  std::int64_t line = 0;
};

struct KernelLoop {
  enum class Kind {
    kGridStride,   // Advances by gridDim.d * blockDim.d.
    kBlockStride,  // Advances by blockDim.d.
    kThreadStart,  // Starts at a thread index and has another step.
  };
  Kind kind = Kind::kGridStride;
  std::string variable;
  std::string start;
  std::string condition;
  std::string update;  // "i += blockDim.x * gridDim.x".
  std::int64_t line = 0;
};

// A condition on thread indices that excludes threads from the rest of the body.
struct KernelGuard {
  bool leaves = true;  // `if (condition) return;`. Otherwise `if (condition) { … }` around a store.
  std::string condition;
  std::int64_t line = 0;
};

struct SharedArray {
  std::string name;
  std::string text;      // "__shared__ float tile[32][33]".
  bool dynamic = false;  // Declared extern: the launch sets its size.
  std::int64_t line = 0;
};

// All calls of one function.
struct KernelCall {
  std::string name;        // "__shfl_down_sync".
  std::string first_call;  // Its text, or "" if it is too long to quote.
  int count = 0;
  int in_loops = 0;       // The number of calls inside loops.
  std::int64_t line = 0;  // Of the first call.
};

struct MemoryAccess {
  std::string array;  // A pointer parameter or a shared array.
  std::string text;   // "out[row * n + col]", "*out_ptr".
  bool shared = false;
  std::int64_t line = 0;
};

struct KernelStatement {
  std::string text;
  std::int64_t line = 0;
};

struct KernelHelper {
  std::string name;                      // A function of the same source that the body calls.
  std::vector<std::string> collectives;  // Barriers, warp functions and atomics in that function.
};

struct KernelFacts {
  std::string name;
  std::vector<std::string> template_parameters;  // "typename T".
  std::vector<KernelParameter> parameters;
  std::string launch_bounds;  // "__launch_bounds__(256)".
  std::vector<ThreadIndex> indices;
  std::vector<KernelLoop> loops;
  std::vector<KernelGuard> guards;
  std::vector<SharedArray> shared;
  std::vector<KernelCall> barriers;    // For example __syncthreads, __syncwarp, .sync().
  std::vector<KernelCall> warp_calls;  // Shuffles, votes and cooperative-group reductions.
  std::vector<KernelCall> atomics;
  std::vector<KernelCall> cached_loads;   // __ldg, __ldcs, …
  std::vector<std::string> vector_types;  // Types that pointers are cast to: "float4".
  // Pointers into a parameter's array: "int4* p = (int4*)(x + i)".
  std::vector<KernelStatement> pointers;
  // Pointers that are moved to a thread's part: "means += idx * 3".
  std::vector<KernelStatement> offsets;
  std::vector<MemoryAccess> stores;
  std::vector<MemoryAccess> loads;
  std::vector<KernelHelper> helpers;
  int unrolled = 0;          // The number of #pragma unroll.
  bool uses_macros = false;  // The body uses macros of the same source, which may hide anything.
};

// The facts about the kernel `name` that begins at line `line` of `code`. std::nullopt when it is
// not there, when its syntax tree holds an error (then the tree proves nothing), or when `code`
// exceeds 128 KiB: nobody writes such a kernel by hand, and the analysis takes more than linear
// time.
std::optional<KernelFacts> ReadKernelFacts(const std::string& code, std::string_view name,
                                           std::int64_t line);

}  // namespace kernelmill
