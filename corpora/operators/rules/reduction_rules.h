// What reductions share: attributes `dim` and `keepdim`, and what they leave of a shape.
#pragma once

#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// dim=None, an int or a tuple; keepdim=False.
inline const std::vector<AttributeRow> kDimsAndKeep = {Proposed("dim", Attribute::Kind::kIntegers),
                                                       FlagOf("keepdim")};
// One dimension.
inline const std::vector<AttributeRow> kDimAndKeep = {Dimension(), FlagOf("keepdim")};

// Draws attribute 0: one dimension mostly, now and then all of them or several.
bool ProposeDims(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes);

// The result of `dtype`, where attribute `dim` holds the dimensions and the one behind it whether
// they are kept.
bool InferReduced(const OperatorUse& use, int dim, DType dtype, Types* results);
// How many elements become one.
std::int64_t CountReduced(const OperatorUse& use, int dim);

}  // namespace kernelmill
