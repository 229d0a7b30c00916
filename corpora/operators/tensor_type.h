// The type of a tensor: its dtype and its shape. Operator graphs, the operator table and the
// lowering to kernels all use it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace kernelmill {

// In torch's order of promotion within each kind.
enum class DType : std::uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
};

// torch's name without "torch.": "float32".
std::string_view DTypeName(DType dtype);
// False when there is no dtype of that name.
bool FindDType(std::string_view name, DType* dtype);
std::int64_t BytesOf(DType dtype);  // Per element.
inline bool IsFloating(DType dtype) { return dtype >= DType::kFloat16; }
// Stored in 16 bits, computed in float32.
inline bool IsHalfPrecision(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}
inline bool IsIntegral(DType dtype) { return dtype != DType::kBool && dtype < DType::kFloat16; }
// The dtype that torch computes in for two tensors with dimensions.
DType Promoted(DType a, DType b);

inline constexpr int kMaxRank = 8;

// Sizes, outermost first. It does not allocate, because graphs are made by the million.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) Append(size);
  }
  explicit Shape(std::span<const std::int64_t> sizes) {
    for (const std::int64_t size : sizes) Append(size);
  }

  int rank() const { return rank_; }
  std::int64_t operator[](int i) const { return sizes_[i]; }
  std::int64_t& operator[](int i) { return sizes_[i]; }
  // Counted from the end: Back(0) is the last size.
  std::int64_t Back(int i) const { return sizes_[rank_ - 1 - i]; }
  // Does nothing when the shape has kMaxRank sizes already.
  void Append(std::int64_t size) {
    if (rank_ < kMaxRank) sizes_[rank_++] = size;
  }
  void Insert(int at, std::int64_t size);
  void Erase(int at);
  std::int64_t Elements() const;  // 1 for a scalar.

  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }
  std::span<const std::int64_t> sizes() const { return {begin(), end()}; }

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::int64_t, kMaxRank> sizes_{};
  std::int8_t rank_ = 0;
};

// torch's broadcasting rule. False when the shapes do not fit.
bool Broadcast(const Shape& a, const Shape& b, Shape* result);

struct TensorType {
  DType dtype = DType::kFloat32;
  Shape shape;

  std::int64_t Bytes() const { return BytesOf(dtype) * shape.Elements(); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

}  // namespace kernelmill
