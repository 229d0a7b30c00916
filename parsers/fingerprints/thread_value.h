// What is known of a value in a kernel, for kernel_reader.h: on which thread indices it depends,
// and for a pointer where it points to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

enum class MemorySpace : std::uint8_t { kNone, kGlobal, kShared, kLocal };

// How a value follows threadIdx.x. kUnit: neighbouring threads have neighbouring values. kScaled: a
// multiple of it. kPart: several neighbours have the same.
enum class ThreadStride : std::uint8_t { kNone, kPart, kScaled, kUnit };

inline constexpr std::int64_t kLanesOfWarp = 32;
// ThreadValue::width of a structure whose size is not known.
inline constexpr int kStructureWidth = 99;

struct ThreadValue {
  bool thread = false, block = false, block_size = false, grid_size = false;
  bool lane = false;  // A thread's number within its warp.
  ThreadStride stride = ThreadStride::kNone;
  MemorySpace space = MemorySpace::kNone;  // Of what it points to.
  int width = 1;                           // Elements in one access through it.
  std::optional<std::int64_t> number;      // When it is a constant.
  SyntaxNode lambda;                       // When it is one.
};

// What is known of a value that depends on both.
ThreadValue Joined(const ThreadValue& a, const ThreadValue& b);
// left sign right.
ThreadValue Combined(std::string_view sign, const ThreadValue& left, const ThreadValue& right);
// 4 for float4, 2 for __half2, 1 for types without several elements.
int VectorWidth(std::string_view type);

}  // namespace kernelmill
