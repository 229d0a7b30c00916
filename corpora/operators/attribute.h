// The value of an operator argument that is not a tensor, such as a dimension, a flag or a tuple of
// ints. Every node of an operator graph holds one for each attribute in the row of its operator
// (operator_row.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace kernelmill {

class Attribute {
 public:
  enum class Kind : std::uint8_t {
    kNone,     // Python's None: `dim=None`.
    kFlag,     // A bool.
    kInteger,  // An int that is not a size: a dimension, a stride, a count.
    kSize,  // An int that is a size, such as out_features. The graph may bind it to a SizeVariable.
    kIntegers,  // A tuple of int.
    kNumber,    // A float.
    kChoice,    // One of the row's strings: mode="bilinear".
  };
  static constexpr int kMaxIntegers = 8;

  Attribute() = default;
  static Attribute Flag(bool value) { return Of(Kind::kFlag, value); }
  static Attribute Integer(std::int64_t value) { return Of(Kind::kInteger, value); }
  static Attribute Size(std::int64_t value) { return Of(Kind::kSize, value); }
  // Only the first kMaxIntegers values are kept.
  static Attribute Integers(std::span<const std::int64_t> values) {
    Attribute attribute = Of(Kind::kIntegers, 0);
    attribute.count_ = 0;
    for (const std::int64_t value : values) {
      if (attribute.count_ < kMaxIntegers) attribute.integers_[attribute.count_++] = value;
    }
    return attribute;
  }
  static Attribute Number(double value) {
    Attribute attribute;
    attribute.kind_ = Kind::kNumber;
    attribute.number_ = value;
    return attribute;
  }
  // `index` is an index into AttributeRow::choices.
  static Attribute Choice(int index) { return Of(Kind::kChoice, index); }

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool flag() const { return integers_[0] != 0; }
  std::int64_t integer() const { return integers_[0]; }
  double number() const { return kind_ == Kind::kNumber ? number_ : double(integers_[0]); }
  int choice() const { return static_cast<int>(integers_[0]); }
  std::span<const std::int64_t> integers() const { return {integers_.data(), std::size_t(count_)}; }

  friend bool operator==(const Attribute&, const Attribute&) = default;

 private:
  static Attribute Of(Kind kind, std::int64_t value) {
    Attribute attribute;
    attribute.kind_ = kind;
    attribute.integers_[0] = value;
    attribute.count_ = 1;
    return attribute;
  }

  Kind kind_ = Kind::kNone;
  std::int8_t count_ = 0;
  std::array<std::int64_t, kMaxIntegers> integers_{};
  double number_ = 0;
};

}  // namespace kernelmill
