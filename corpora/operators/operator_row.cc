#include "corpora/operators/operator_row.h"

#include <bit>
#include <cmath>

#include "corpora/operators/rules/type_rules.h"
#include "manifests/split_mix.h"

namespace kernelmill {

std::string_view OperatorFamilyName(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kActivation:
      return "activation";
    case OperatorFamily::kElementwise:
      return "elementwise";
    case OperatorFamily::kComparison:
      return "comparison";
    case OperatorFamily::kSelection:
      return "selection";
    case OperatorFamily::kCast:
      return "cast";
    case OperatorFamily::kReduction:
      return "reduction";
    case OperatorFamily::kArgReduction:
      return "arg_reduction";
    case OperatorFamily::kScan:
      return "scan";
    case OperatorFamily::kSoftmax:
      return "softmax";
    case OperatorFamily::kNorm:
      return "norm";
    case OperatorFamily::kMatmul:
      return "matmul";
    case OperatorFamily::kConvolution:
      return "convolution";
    case OperatorFamily::kTransposedConvolution:
      return "transposed_convolution";
    case OperatorFamily::kPooling:
      return "pooling";
    case OperatorFamily::kPadding:
      return "padding";
    case OperatorFamily::kInterpolation:
      return "interpolation";
    case OperatorFamily::kEmbedding:
      return "embedding";
    case OperatorFamily::kGather:
      return "gather";
    case OperatorFamily::kShape:
      return "shape";
    case OperatorFamily::kLayout:
      return "layout";
    case OperatorFamily::kCreation:
      return "creation";
    case OperatorFamily::kAttention:
      return "attention";
    case OperatorFamily::kRecurrent:
      return "recurrent";
    case OperatorFamily::kLoss:
      return "loss";
    case OperatorFamily::kSort:
      return "sort";
    case OperatorFamily::kTriangular:
      return "triangular";
  }
  return "";
}

Range Range::Uniform(double low, double high) {
  return {low, high, std::sqrt((low * low + low * high + high * high) / 3)};
}

std::uint64_t Draw::Next() { return NextMixedBits(&state_); }

std::int64_t Draw::Integer(std::int64_t low, std::int64_t high) {
  // Drawn whatever the bounds are, so that other bounds do not change later draws.
  const std::uint64_t next = Next();
  if (high <= low) return low;
  return low + static_cast<std::int64_t>(next % static_cast<std::uint64_t>(high - low + 1));
}

std::int64_t Draw::Binned(std::int64_t low, std::int64_t high) {
  if (high <= low) {
    Next();
    Next();
    return low;
  }
  if (low < 1) return Chance(0.25) ? low : Binned(1, high);
  const int first = std::bit_width(static_cast<std::uint64_t>(low)) - 1;
  const int last = std::bit_width(static_cast<std::uint64_t>(high)) - 1;
  const std::int64_t bin = std::int64_t{1} << Integer(first, last);
  return Integer(std::max(low, bin), std::min(high, 2 * bin - 1));
}

double Draw::Number() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

bool OperatorRow::DrawAttributes(Draw* draw, std::span<const TensorType* const> inputs,
                                 std::vector<Attribute>* attributes) const {
  attributes->clear();
  const int rank = inputs.empty() ? 0 : inputs[0]->shape.rank();
  for (const AttributeRow& row : this->attributes) {
    Attribute value = row.default_value;
    const bool keep = !value.is_none() && draw->Chance(0.5);
    switch (keep ? AttributeDraw::Kind::kFixed : row.draw.kind) {
      case AttributeDraw::Kind::kFixed:
      case AttributeDraw::Kind::kProposed:
        break;
      case AttributeDraw::Kind::kBinned:
        value = Attribute::Integer(
            draw->Binned(std::int64_t(row.draw.low), std::int64_t(row.draw.high)));
        break;
      case AttributeDraw::Kind::kDimension:
        if (rank == 0) return false;
        value = Attribute::Integer(draw->Integer(-rank, rank - 1));
        break;
      case AttributeDraw::Kind::kFlag:
        value = Attribute::Flag(draw->Chance(0.5));
        break;
      case AttributeDraw::Kind::kNumber: {
        // Two decimal places, as people write numbers.
        const double number = row.draw.low + (row.draw.high - row.draw.low) * draw->Number();
        value = Attribute::Number(std::round(100 * number) / 100);
        break;
      }
      case AttributeDraw::Kind::kChoice:
        value = Attribute::Choice(int(draw->Index(row.choices.size())));
        break;
    }
    if (row.kind == Attribute::Kind::kSize && value.kind() == Attribute::Kind::kInteger) {
      value = Attribute::Size(value.integer());
    }
    attributes->push_back(value);
  }
  return propose == nullptr || propose(draw, inputs, *attributes);
}

DType OperatorRow::ScalarType(const OperatorUse& use, DType result) const {
  DType type = result;
  if (family == OperatorFamily::kComparison) {
    type = ResultDType(use);
    for (const Attribute& attribute : use.attributes) type = ResultDTypeWithNumber(use, attribute);
  } else if (family == OperatorFamily::kCast) {
    type = use.operand(0).dtype;
  }
  return IsHalfPrecision(type) ? DType::kFloat32 : type;
}

std::string_view OperatorRow::Scalar(const OperatorUse& use, DType result) const {
  if (scalar_of != nullptr) return scalar_of(use);
  if (!integral_scalar.empty() && !IsFloating(ScalarType(use, result))) return integral_scalar;
  return scalar;
}

}  // namespace kernelmill
