#include "corpora/operators/tensor_type.h"

namespace kernelmill {
namespace {

constexpr std::array<std::string_view, 10> kNames = {"bool",    "uint8",  "int8",    "int16",
                                                     "int32",   "int64",  "float16", "bfloat16",
                                                     "float32", "float64"};
constexpr std::array<std::int64_t, 10> kBytes = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

}  // namespace

std::string_view DTypeName(DType dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

bool FindDType(std::string_view name, DType* dtype) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return false;
  *dtype = static_cast<DType>(found - kNames.begin());
  return true;
}

std::int64_t BytesOf(DType dtype) { return kBytes[static_cast<std::size_t>(dtype)]; }

DType Promoted(DType a, DType b) {
  if (a > b) std::swap(a, b);
  if (a == DType::kFloat16 && b == DType::kBFloat16) return DType::kFloat32;
  // No 8-bit type holds the values of both.
  if (a == DType::kUInt8 && b == DType::kInt8) return DType::kInt16;
  return b;
}

void Shape::Insert(int at, std::int64_t size) {
  if (rank_ == kMaxRank) return;
  std::copy_backward(sizes_.begin() + at, sizes_.begin() + rank_, sizes_.begin() + rank_ + 1);
  sizes_[at] = size;
  ++rank_;
}

void Shape::Erase(int at) {
  std::copy(sizes_.begin() + at + 1, sizes_.begin() + rank_, sizes_.begin() + at);
  --rank_;
}

std::int64_t Shape::Elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes()) elements *= size;
  return elements;
}

bool Broadcast(const Shape& a, const Shape& b, Shape* result) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape broadcast = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    std::int64_t& size = broadcast[offset + i];
    if (size == 1) {
      size = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != size) {
      return false;
    }
  }
  *result = broadcast;
  return true;
}

}  // namespace kernelmill
