#include "parsers/fingerprints/thread_value.h"

#include <algorithm>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"
#include "parsers/fingerprints/native_program.h"

namespace kernelmill {

ThreadValue Joined(const ThreadValue& a, const ThreadValue& b) {
  ThreadValue both;
  both.thread = a.thread || b.thread;
  both.block = a.block || b.block;
  both.block_size = a.block_size || b.block_size;
  both.grid_size = a.grid_size || b.grid_size;
  both.lane = a.lane || b.lane;
  both.stride = std::max(a.stride, b.stride);
  both.space = a.space != MemorySpace::kNone ? a.space : b.space;
  both.width = std::max(a.width, b.width);
  return both;
}

ThreadValue Combined(std::string_view sign, const ThreadValue& left, const ThreadValue& right) {
  ThreadValue both = Joined(left, right);
  if (left.number && right.number) both.number = Folded(sign, *left.number, *right.number);
  // Only a sum or difference of a pointer is one.
  if (sign != "+" && sign != "-") both.space = MemorySpace::kNone;
  const auto is = [](const ThreadValue& value, std::int64_t number) {
    return value.number && *value.number == number;
  };
  if (sign == "*" && both.stride == ThreadStride::kUnit && !is(left, 1) && !is(right, 1)) {
    both.stride = ThreadStride::kScaled;
  } else if ((sign == "/" || sign == ">>") && left.stride != ThreadStride::kNone) {
    both.stride = ThreadStride::kPart;
    both.lane = false;
  } else if ((sign == "%" && is(right, kLanesOfWarp)) ||
             (sign == "&" && is(right, kLanesOfWarp - 1))) {
    both.lane = left.thread;
  }
  return both;
}

int VectorWidth(std::string_view type) {
  int width = 1;
  for (const std::string_view name : IdentifiersIn(type)) {
    const bool pair = name == "half2" || name == "__half2" || name.ends_with("bfloat162");
    const bool built_in = IsVectorType(name) && name != "dim3" && name.back() > '1';
    if (pair) width = std::max(width, 2);
    if (built_in) width = std::max(width, name.back() - '0');
  }
  return width;
}

}  // namespace kernelmill
