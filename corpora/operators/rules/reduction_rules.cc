#include "corpora/operators/rules/reduction_rules.h"

namespace kernelmill {

bool ProposeDims(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank == 0 || draw->Chance(0.15)) {
    attributes[0] = Attribute();
    attributes[1] = Attribute::Flag(false);
  } else if (rank == 1 || draw->Chance(0.75)) {
    attributes[0] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  } else {
    std::int64_t dims[kMaxRank];
    const int count = int(draw->Integer(2, std::min(rank, 3)));
    const int first = int(draw->Integer(0, rank - count));
    const std::int64_t offset = draw->Chance(0.5) ? rank : 0;
    for (int i = 0; i < count; ++i) dims[i] = first + i - offset;
    attributes[0] = Attribute::Integers({dims, std::size_t(count)});
  }
  return true;
}

bool ProposeDimOrAll(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank == 0 || draw->Chance(0.15)) {
    attributes[1] = Attribute::Flag(false);
  } else {
    attributes[0] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  }
  return true;
}

bool InferReduced(const OperatorUse& use, int dim, DType dtype, Types* results) {
  std::uint32_t bits = 0;
  if (!WrapDimensions(use.attribute(dim), use.shape(0).rank(), &bits)) return false;
  results->push_back({dtype, Reduced(use.shape(0), bits, use.attribute(dim + 1).flag())});
  return true;
}

std::int64_t CountReduced(const OperatorUse& use, int dim) {
  std::uint32_t bits = 0;
  if (!WrapDimensions(use.attribute(dim), use.shape(0).rank(), &bits)) return 1;
  return ElementsAlong(use.shape(0), bits);
}

}  // namespace kernelmill
