#include "generators/pytorch/input_draw.h"

#include <cmath>

#include "generators/pytorch/python_text.h"

namespace kernelmill {
namespace {

bool IsNormal(const Range& range) {
  const double bound = 7 * range.scale;
  return std::fabs(range.high - bound) <= 1e-9 * bound &&
         std::fabs(range.low + bound) <= 1e-9 * bound;
}

void AppendDType(DType dtype, DType usual, std::string* text) {
  if (dtype == usual) return;
  *text += ", dtype=torch.";
  *text += DTypeName(dtype);
}

// Whether the expression is more than a call.
bool HasArithmetic(const Value& value) {
  const Range& range = value.range;
  if (value.type.dtype == DType::kBool) return true;
  if (!IsFloating(value.type.dtype)) return false;
  if (range.low == range.high) return range.low != 0 && range.low != 1;
  return IsNormal(range) ? std::fabs(range.scale - 1) > 1e-9 : range.low != 0 || range.high != 1;
}

}  // namespace

InputDraw::Kind DrawKindOf(const Value& value) {
  if (value.type.dtype == DType::kBool) return InputDraw::Kind::kBools;
  if (!IsFloating(value.type.dtype)) return InputDraw::Kind::kIntegers;
  if (value.range.low == value.range.high) return InputDraw::Kind::kConstant;
  return IsNormal(value.range) ? InputDraw::Kind::kNormal : InputDraw::Kind::kUniform;
}

InputDraw AppendInputStart(const Value& value, std::string* text) {
  if (value.layout != InputLayout::kContiguous && HasArithmetic(value)) *text += '(';
  InputDraw draw = {.kind = DrawKindOf(value)};
  switch (draw.kind) {
    case InputDraw::Kind::kBools:
    case InputDraw::Kind::kUniform:
      *text += "torch.rand(";
      break;
    case InputDraw::Kind::kIntegers:
      *text += "torch.randint(";
      AppendInteger(static_cast<std::int64_t>(std::ceil(value.range.low)), text);
      *text += ", ";
      draw.tuple = true;
      break;
    case InputDraw::Kind::kConstant:
      *text += value.range.low == 0 ? "torch.zeros(" : "torch.ones(";
      break;
    case InputDraw::Kind::kNormal:
      *text += "torch.randn(";
      break;
  }
  return draw;
}

void AppendInputEnd(const InputDraw& draw, const Value& value, std::string* text) {
  const Range& range = value.range;
  switch (draw.kind) {
    case InputDraw::Kind::kBools:
      *text += ") ";
      *text += draw.comparison;
      break;
    case InputDraw::Kind::kIntegers:
      AppendDType(value.type.dtype, DType::kInt64, text);
      *text += ')';
      break;
    case InputDraw::Kind::kConstant:
      AppendDType(value.type.dtype, DType::kFloat32, text);
      *text += ')';
      if (range.low != 0 && range.low != 1) {
        *text += " * ";
        AppendFloat(range.low, text);
      }
      break;
    case InputDraw::Kind::kNormal:
      AppendDType(value.type.dtype, DType::kFloat32, text);
      *text += ')';
      if (std::fabs(range.scale - 1) > 1e-9) {
        *text += " * ";
        AppendFloat(range.scale, text);
      }
      break;
    case InputDraw::Kind::kUniform: {
      AppendDType(value.type.dtype, DType::kFloat32, text);
      *text += ')';
      const double width = range.high - range.low;
      if (width != 1) {
        *text += " * ";
        AppendFloat(width, text);
      }
      if (range.low != 0) {
        *text += range.low > 0 ? " + " : " - ";
        AppendFloat(std::fabs(range.low), text);
      }
      break;
    }
  }
  if (value.layout == InputLayout::kContiguous) return;
  if (HasArithmetic(value)) *text += ')';
  switch (value.layout) {
    case InputLayout::kContiguous:
      break;
    case InputLayout::kTransposed:
      *text += ".transpose(-2, -1)";
      break;
    case InputLayout::kChannelsLast:
      *text += value.type.shape.rank() == 5 ? ".contiguous(memory_format=torch.channels_last_3d)"
                                            : ".contiguous(memory_format=torch.channels_last)";
      break;
    case InputLayout::kSliced:
      *text += "[..., ::2]";
      break;
  }
}

}  // namespace kernelmill
