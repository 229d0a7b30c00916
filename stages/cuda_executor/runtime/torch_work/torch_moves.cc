#include "stages/cuda_executor/runtime/torch_work/torch_moves.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "stages/cuda_executor/runtime/operator_memory.h"

namespace kernelmill {
namespace {

// The type of the parts of complex numbers: a view of these shows the same numbers.
at::ScalarType RealType(at::ScalarType type) {
  return c10::isComplexType(type) ? c10::toRealValueType(type) : type;
}

struct Numbers {
  int digits;    // Binary ones, without the sign.
  int exponent;  // The largest power of two.
};

Numbers NumbersOf(at::ScalarType type) {
  switch (type) {
    case at::kBool: return {1, 0};
    case at::kByte: return {8, 7};
    case at::kChar: return {7, 6};
    case at::kShort: return {15, 14};
    case at::kInt: return {31, 30};
    case at::kLong: return {63, 62};
    case at::kHalf: return {11, 15};
    case at::kBFloat16: return {8, 127};
    case at::kFloat: return {24, 127};
    case at::kDouble: return {53, 1023};
    default: return {std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  }
}

// A constant in each element repeats no data.
bool WritesConstants(std::string_view name) {
  return name == "aten::fill_" || name == "aten::constant_pad_nd" || name == "aten::pad";
}

}  // namespace

bool Rounds(at::ScalarType from, at::ScalarType to) {
  const Numbers before = NumbersOf(RealType(from)), after = NumbersOf(RealType(to));
  return after.digits < before.digits || after.exponent < before.exponent;
}

TorchMoves& TheTorchMoves() {
  static auto* const moves = new TorchMoves;
  return *moves;
}

void TorchMoves::Begin(const std::vector<at::Tensor>& given) {
  types_.clear();
  written_.clear();
  found_.clear();
  for (const at::Tensor& tensor : given) NoteType(tensor);
}

void TorchMoves::NoteType(const at::Tensor& tensor) {
  if (const auto state = MemoryOf(tensor)) types_.emplace(state->number, tensor.scalar_type());
}

TorchMoves::Part TorchMoves::PartOf(const at::Tensor& tensor) {
  const auto* const first = static_cast<const char*>(tensor.const_data_ptr());
  std::int64_t reach = 1, distinct = 1;
  for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.stride(dim) == 0) continue;
    reach += (tensor.size(dim) - 1) * tensor.stride(dim);
    distinct *= tensor.size(dim);
  }
  const auto size = static_cast<std::int64_t>(tensor.element_size());
  return {first, first + reach * size, std::min(distinct, reach), size};
}

std::int64_t TorchMoves::DistinctIn(std::vector<Part> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.first < b.first; });
  std::int64_t distinct = 0;
  for (auto at = parts.begin(); at != parts.end();) {
    const char *const first = at->first, *end = at->end;
    std::int64_t elements = 0, size = at->size;
    for (; at != parts.end() && at->first < end; ++at) {
      elements += at->elements;
      end = std::max(end, at->end);
      size = std::min(size, at->size);
    }
    distinct += std::min(elements, (end - first) / size);
  }
  return distinct;
}

void TorchMoves::After(const char* name, const std::vector<at::Tensor>& read,
                       const std::vector<at::Tensor>& made) {
  std::vector<Part> parts;
  for (const at::Tensor& tensor : read) {
    const at::ScalarType type = tensor.scalar_type();
    parts.push_back(PartOf(tensor));
    const auto state = MemoryOf(tensor);
    const auto known = state ? types_.find(state->number) : types_.end();
    if (known == types_.end() || RealType(known->second) == RealType(type)) continue;
    for (const at::Tensor& other : made) {
      if (other.scalar_type() != type) AddFound("_cast_of_view", name);
    }
  }
  for (const at::Tensor& tensor : made) {
    NoteType(tensor);
    const auto state = MemoryOf(tensor);
    if (!state || parts.empty() || WritesConstants(name)) continue;
    Written& written = written_[state->number];
    const auto all = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
    written.elements = std::min(written.elements + tensor.numel(), all);
    written.from.insert(written.from.end(), parts.begin(), parts.end());
    const std::int64_t distinct = DistinctIn(written.from);
    // One number in all elements is a constant.
    if (distinct > 1 && written.elements > distinct) AddFound("_enlarging_copy", name);
  }
}

}  // namespace kernelmill
