// Rules that the rows of reductions and scans share (corpora/operators/table/reductions.cc and
// scans.cc): the attributes `dim` and `keepdim`, how they are drawn, and the shapes of the results.
#pragma once

#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// dim=None, an int or a tuple; keepdim=False.
inline const std::vector<AttributeRow> kDimsAndKeep = {Proposed("dim", Attribute::Kind::kIntegers),
                                                       FlagOf("keepdim")};
// `dim` is one int; keepdim=False.
inline const std::vector<AttributeRow> kDimAndKeep = {Dimension(), FlagOf("keepdim")};

// Draws attribute 0 (`dim`): mostly one dimension, occasionally several or all.
bool ProposeDims(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes);
// Draws attribute 0 (`dim`), or, to reduce all dimensions, attribute 1 (`keepdim`).
bool ProposeDimOrAll(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes);

// Appends a result of `dtype`. Attribute `dim` holds the reduced dimensions, and the attribute
// after it is keepdim.
bool InferReduced(const OperatorUse& use, int dim, DType dtype, Types* results);
// The number of elements that are reduced to one.
std::int64_t CountReduced(const OperatorUse& use, int dim);

}  // namespace kernelmill
