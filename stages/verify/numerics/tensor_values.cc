#include "stages/verify/numerics/tensor_values.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

enum Kind { kBool, kUint8, kInt8, kInt16, kInt32, kInt64, kHalf, kBfloat16, kFloat, kDouble };

struct DtypeEntry {
  std::string_view name;
  Kind kind;
  int bytes;
  bool pairs;
};

constexpr DtypeEntry kDtypes[] = {
    {"bool", kBool, 1, false},      {"uint8", kUint8, 1, false},
    {"int8", kInt8, 1, false},      {"int16", kInt16, 2, false},
    {"int32", kInt32, 4, false},    {"int64", kInt64, 8, false},
    {"float16", kHalf, 2, false},   {"bfloat16", kBfloat16, 2, false},
    {"float32", kFloat, 4, false},  {"float64", kDouble, 8, false},
    {"complex64", kFloat, 4, true}, {"complex128", kDouble, 8, true},
};

template <typename T>
T Load(std::string_view bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

double FromHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double FromBfloat16(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

const DtypeEntry* FindDtype(std::string_view name) {
  for (const DtypeEntry& entry : kDtypes) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

Status Bad(std::string_view what) {
  return Status(ErrorCode::kWorker, "a worker described a tensor with " + std::string(what));
}

}  // namespace

std::int64_t BytesOfElement(std::string_view dtype) {
  const DtypeEntry* const entry = FindDtype(dtype);
  return entry == nullptr ? 0 : entry->pairs ? 2 * entry->bytes : entry->bytes;
}

Result<TensorValues> TensorValues::FromSpec(const Json& spec, std::string_view bytes) {
  TensorValues tensor;
  std::vector<std::int64_t> stride;
  std::int64_t offset = 0;
  JsonFields fields(spec, "tensor");
  fields.Read("dtype", &tensor.dtype_);
  fields.Read("shape", &tensor.shape_);
  fields.Read("stride", &stride);
  fields.Read("offset", &offset);
  KM_RETURN_IF_ERROR(fields.Finish());
  const DtypeEntry* const entry = FindDtype(tensor.dtype_);
  if (entry == nullptr) return Bad("an unknown dtype");
  if (entry->pairs) tensor.shape_.push_back(2);
  const auto limit = static_cast<std::int64_t>(bytes.size());
  std::int64_t size = 1;
  for (std::int64_t extent : tensor.shape_) {
    if (extent < 0 || (extent > 0 && size > limit / extent)) return Bad("a size out of range");
    size *= extent;
  }
  if (offset < 0 || offset > limit || size > (limit - offset) / entry->bytes) {
    return Bad("values outside of the shared memory");
  }
  tensor.size_ = size;
  tensor.kind_ = entry->kind;
  tensor.floating_ = entry->kind >= kHalf;
  tensor.bytes_ =
      bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size * entry->bytes));
  return tensor;
}

TensorValues TensorValues::WithBytes(std::string_view bytes) const {
  TensorValues other = *this;
  other.bytes_ = bytes;
  return other;
}

double TensorValues::At(std::int64_t i) const {
  switch (kind_) {
    case kHalf:
      return FromHalf(Load<std::uint16_t>(bytes_, i));
    case kBfloat16:
      return FromBfloat16(Load<std::uint16_t>(bytes_, i));
    case kFloat:
      return Load<float>(bytes_, i);
    case kDouble:
      return Load<double>(bytes_, i);
    default:
      return static_cast<double>(IntegerAt(i));
  }
}

std::int64_t TensorValues::IntegerAt(std::int64_t i) const {
  switch (kind_) {
    case kInt8:
      return Load<std::int8_t>(bytes_, i);
    case kInt16:
      return Load<std::int16_t>(bytes_, i);
    case kInt32:
      return Load<std::int32_t>(bytes_, i);
    case kInt64:
      return Load<std::int64_t>(bytes_, i);
    default:
      return Load<std::uint8_t>(bytes_, i);
  }
}

bool TensorValues::IsFreshNan(std::int64_t i) const {
  if (!floating_ || !std::isnan(At(i))) return false;
  // x86 creates a negative NaN with a single fraction bit, and operations on a NaN preserve its
  // bits.
  switch (kind_) {
    case kHalf:
      return Load<std::uint16_t>(bytes_, i) != 0xFE00;
    case kBfloat16:
      return Load<std::uint16_t>(bytes_, i) != 0xFFC0;
    case kFloat:
      return Load<std::uint32_t>(bytes_, i) != 0xFFC00000;
    default:
      return Load<std::uint64_t>(bytes_, i) != 0xFFF8000000000000;
  }
}

std::vector<std::int64_t> TensorValues::IndexOf(std::int64_t i) const {
  std::vector<std::int64_t> index(shape_.size());
  for (std::size_t d = shape_.size(); d-- > 0;) {
    index[d] = i % shape_[d];
    i /= shape_[d];
  }
  return index;
}

Result<std::vector<TensorValues>> TensorsFromSpecs(const Json& specs, std::string_view bytes) {
  if (!specs.is_array()) return Status(ErrorCode::kWorker, "tensors that are no list");
  std::vector<TensorValues> tensors;
  for (const Json& spec : specs.as_array()) {
    KM_ASSIGN(TensorValues tensor, TensorValues::FromSpec(spec, bytes));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::string WriteValue(const TensorValues& tensor, std::int64_t i) {
  if (!tensor.is_floating()) return std::to_string(tensor.IntegerAt(i));
  const double value = tensor.At(i);
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

}  // namespace kernelmill
