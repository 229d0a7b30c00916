#include "generators/lowering/row_geometry.h"

#include <algorithm>

namespace kernelmill {
namespace {

enum class Form { kNone, kTrailing, kMiddle, kChannel };

// Sizes of 1 lie wherever it suits.
Form FormOf(const Shape& shape, const std::vector<int>& reduced) {
  std::vector<bool> is_reduced;
  for (int d = 0; d < shape.rank(); ++d) {
    is_reduced.push_back(std::find(reduced.begin(), reduced.end(), d) != reduced.end());
  }
  // How often it changes from kept to reduced and back, from the outermost dimension on.
  std::vector<bool> runs;
  for (int d = 0; d < shape.rank(); ++d) {
    if (runs.empty() || runs.back() != is_reduced[d]) runs.push_back(is_reduced[d]);
  }
  if (runs.empty() || runs == std::vector<bool>{true} || runs == std::vector<bool>{false, true}) {
    return Form::kTrailing;
  }
  if (runs == std::vector<bool>{true, false} || runs == std::vector<bool>{false, true, false}) {
    return Form::kMiddle;
  }
  if (runs == std::vector<bool>{true, false, true}) return Form::kChannel;
  return Form::kNone;
}

}  // namespace

std::string RowGeometry::Base(const GroupScope& scope) const {
  const std::string type = "const " + scope.index() + ' ';
  switch (layout) {
    case Layout::kTrailing:
      return rows == "1" ? "" : type + "base = row * " + GroupScope::Factor(length) + ";\n";
    case Layout::kMiddle:
      return type + "base = row / " + inner + " * " + length + " * " + inner + " + row % " + inner +
             ";\n";
    case Layout::kChannel:
      return "";
  }
  return "";
}

std::string RowGeometry::Position() const {
  switch (layout) {
    case Layout::kTrailing:
      return rows == "1" ? "k" : "base + k";
    case Layout::kMiddle:
      return "base + k * " + inner;
    case Layout::kChannel:
      return "(k / " + inner + " * " + rows + " + row) * " + inner + " + k % " + inner;
  }
  return "";
}

bool HasGeometry(const Shape& shape, const std::vector<int>& reduced) {
  return FormOf(shape, reduced) != Form::kNone;
}

std::optional<RowGeometry> GeometryOf(GroupScope* scope, ValueId id,
                                      const std::vector<int>& reduced) {
  const Form form = FormOf(scope->TypeOf(id).shape, reduced);
  if (form == Form::kNone) return std::nullopt;
  const std::vector<std::string> sizes = scope->Sizes(id);
  std::vector<std::string> kept, along, behind;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (is_reduced ? along : kept).push_back(sizes[d]);
  }
  RowGeometry geometry;
  geometry.layout = form == Form::kTrailing ? RowGeometry::Layout::kTrailing
                    : form == Form::kMiddle ? RowGeometry::Layout::kMiddle
                                            : RowGeometry::Layout::kChannel;
  // Behind the last reduced dimension, or, for channels, behind the kept ones.
  const bool of_kept = form == Form::kChannel;
  for (int d = static_cast<int>(sizes.size()); d-- > 0;) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    if (is_reduced != of_kept) break;
    behind.insert(behind.begin(), sizes[d]);
  }
  geometry.rows = scope->AddSize("rows", GroupScope::Product(kept));
  geometry.length = scope->AddSize("length", GroupScope::Product(along));
  geometry.inner = scope->AddSize("inner", GroupScope::Product(behind));
  return geometry;
}

std::vector<int> DimensionsOf(const Attribute& attribute, int rank) {
  std::vector<int> dimensions;
  const auto add = [&](std::int64_t d) {
    dimensions.push_back(static_cast<int>(d < 0 ? d + rank : d));
  };
  if (attribute.is_none()) {
    for (int d = 0; d < rank; ++d) dimensions.push_back(d);
  } else if (attribute.kind() == Attribute::Kind::kIntegers) {
    if (attribute.integers().empty()) {
      for (int d = 0; d < rank; ++d) dimensions.push_back(d);
    }
    for (const std::int64_t d : attribute.integers()) add(d);
  } else {
    add(attribute.integer());
  }
  std::sort(dimensions.begin(), dimensions.end());
  return dimensions;
}

}  // namespace kernelmill
