// What the syntax tree of a kernel proves about it. Every text is a piece of the source with
// comments left out and white space collapsed, and `line` is where it begins, 1-based; nothing here
// is a guess. Facts are about the kernel's own body; of the functions that it calls only what
// `helpers` says.
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
  bool constant = false;  // What it points to, or the value itself, is const.
};

// A variable that tells threads apart.
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
  char dimension = 0;  // 'x', 'y' or 'z' of the first four kinds but kGridRank.
  std::int64_t line = 0;
};

struct KernelLoop {
  enum class Kind {
    kGridStride,   // Advances by gridDim.d * blockDim.d.
    kBlockStride,  // Advances by blockDim.d.
    kThreadStart,  // Begins at a thread index and advances otherwise.
  };
  Kind kind = Kind::kGridStride;
  std::string variable;
  std::string start;
  std::string condition;
  std::string update;  // "i += blockDim.x * gridDim.x".
  std::int64_t line = 0;
};

// A condition on thread indices that keeps threads from the rest of the body.
struct KernelGuard {
  bool leaves = true;  // `if (condition) return;`; else `if (condition) { … }` around a store.
  std::string condition;
  std::int64_t line = 0;
};

struct SharedArray {
  std::string name;
  std::string text;      // "__shared__ float tile[32][33]".
  bool dynamic = false;  // extern: its size is given by the launch.
  std::int64_t line = 0;
};

struct KernelCall {
  std::string name;   // "__shfl_down_sync".
  std::string first;  // The first such call, "" when it is too long to quote.
  int count = 0;
  int in_loops = 0;       // How many of them stand in a loop.
  std::int64_t line = 0;  // Of the first.
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
  std::vector<KernelCall> barriers;    // __syncthreads, __syncwarp, .sync().
  std::vector<KernelCall> warp_calls;  // Shuffles, votes, cooperative reductions.
  std::vector<KernelCall> atomics;
  std::vector<KernelCall> cached_loads;   // __ldg, __ldcs, …
  std::vector<std::string> vector_types;  // What pointers are cast to: "float4".
  std::vector<KernelStatement> pointers;  // "int4* p = (int4*)(x + i)": into a parameter's array.
  std::vector<KernelStatement> offsets;   // "means += idx * 3": a pointer moved to a thread's part.
  std::vector<MemoryAccess> stores;
  std::vector<MemoryAccess> loads;
  std::vector<KernelHelper> helpers;
  int unrolled = 0;          // #pragma unroll.
  bool uses_macros = false;  // The body calls macros of the same source, which may hide anything.
};

// The facts of the kernel `name` that begins at line `line` of `code`. Nothing when there is none, when
// its syntax tree holds an error (then the tree proves nothing), or when `code` has over 128 KiB: nobody
// writes such a kernel by hand, and reading facts takes more than linear time.
std::optional<KernelFacts> ReadKernelFacts(const std::string& code, std::string_view name,
                                           std::int64_t line);

}  // namespace kernelmill
