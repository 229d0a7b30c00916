// Shorthands for the AttributeRows of the operator table: each function returns the row of one
// attribute (its name, its kind, its default, and how the generator of tasks draws a value for it).
// Used by every file of corpora/operators/table/.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// A number with a default, drawn uniformly from [low, high].
inline AttributeRow NumberWithDefault(std::string_view name, double value, double low,
                                      double high) {
  return {name,
          Attribute::Kind::kNumber,
          Attribute::Number(value),
          {AttributeDraw::Kind::kNumber, low, high}};
}
// A number without a default, so it is always written.
inline AttributeRow NumberWithoutDefault(std::string_view name, double low, double high) {
  return {name, Attribute::Kind::kNumber, {}, {AttributeDraw::Kind::kNumber, low, high}};
}
// Always the default.
inline AttributeRow NeverVaried(std::string_view name, const Attribute& value) {
  return {name, value.kind(), value, {}};
}
inline AttributeRow FlagOf(std::string_view name, bool value = false) {
  return {name, Attribute::Kind::kFlag, Attribute::Flag(value), {AttributeDraw::Kind::kFlag}};
}
inline AttributeRow Dimension(std::string_view name = "dim", const Attribute& value = {}) {
  return {name, Attribute::Kind::kInteger, value, {AttributeDraw::Kind::kDimension}};
}
// An integer in [low, high], drawn by its power of two first.
inline AttributeRow IntegerBetween(std::string_view name, std::int64_t low, std::int64_t high,
                                   const Attribute& value = {}) {
  return {name,
          Attribute::Kind::kInteger,
          value,
          {AttributeDraw::Kind::kBinned, double(low), double(high)}};
}
// An attribute whose value the row's `propose` function chooses.
inline AttributeRow Proposed(std::string_view name, Attribute::Kind kind,
                             const Attribute& value = {}) {
  return {name, kind, value, {AttributeDraw::Kind::kProposed}};
}
inline AttributeRow ChoiceOf(std::string_view name, std::span<const std::string_view> choices,
                             const Attribute& value = Attribute::Choice(0)) {
  return {name, Attribute::Kind::kChoice, value, {AttributeDraw::Kind::kChoice}, choices};
}
// Marks an attribute that only the nn module takes.
inline AttributeRow ModuleOnly(AttributeRow row) {
  row.module_only = true;
  return row;
}
inline AttributeRow BehindFirst(AttributeRow row) {
  row.behind_first = true;
  return row;
}
inline AttributeRow KeywordOnly(AttributeRow row) {
  row.keyword_only = true;
  return row;
}

}  // namespace kernelmill
