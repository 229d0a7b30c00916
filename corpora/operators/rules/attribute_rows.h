// Attributes as rows list them.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

inline AttributeRow NumberFrom(std::string_view name, double value, double low, double high) {
  return {name,
          Attribute::Kind::kNumber,
          Attribute::Number(value),
          {AttributeDraw::Kind::kNumber, low, high}};
}
// Without a default: always given.
inline AttributeRow Drawn(std::string_view name, double low, double high) {
  return {name, Attribute::Kind::kNumber, {}, {AttributeDraw::Kind::kNumber, low, high}};
}
inline AttributeRow Fixed(std::string_view name, const Attribute& value) {
  return {name, value.kind(), value, {}};
}
inline AttributeRow FlagOf(std::string_view name, bool value = false) {
  return {name, Attribute::Kind::kFlag, Attribute::Flag(value), {AttributeDraw::Kind::kFlag}};
}
inline AttributeRow Dimension(std::string_view name = "dim", const Attribute& value = {}) {
  return {name, Attribute::Kind::kInteger, value, {AttributeDraw::Kind::kDimension}};
}
inline AttributeRow Binned(std::string_view name, std::int64_t low, std::int64_t high,
                           const Attribute& value = {}) {
  return {name,
          Attribute::Kind::kInteger,
          value,
          {AttributeDraw::Kind::kBinned, double(low), double(high)}};
}
// Drawn by the row's `propose`.
inline AttributeRow Proposed(std::string_view name, Attribute::Kind kind,
                             const Attribute& value = {}) {
  return {name, kind, value, {AttributeDraw::Kind::kProposed}};
}
inline AttributeRow ChoiceOf(std::string_view name, std::span<const std::string_view> choices,
                             const Attribute& value = Attribute::Choice(0)) {
  return {name, Attribute::Kind::kChoice, value, {AttributeDraw::Kind::kChoice}, choices};
}
inline AttributeRow OfModule(AttributeRow row) {
  row.module_only = true;
  return row;
}
inline AttributeRow KeywordOnly(AttributeRow row) {
  row.keyword_only = true;
  return row;
}

}  // namespace kernelmill
