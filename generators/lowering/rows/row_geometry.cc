#include "generators/lowering/rows/row_geometry.h"

#include <algorithm>

namespace kernelmill {
namespace {

enum class Form { kTrailing, kMiddle, kChannel, kScattered };

// Dimensions of size 1 fit any form.
Form FormOf(const Shape& shape, const std::vector<int>& reduced) {
  std::vector<bool> is_reduced;
  for (int d = 0; d < shape.rank(); ++d) {
    is_reduced.push_back(std::find(reduced.begin(), reduced.end(), d) != reduced.end());
  }
  // Whether each run of dimensions, from the outermost on, is reduced or kept.
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
  return Form::kScattered;
}

// The contribution of the dimensions `dims` to the position; `index` enumerates them in row-major
// order.
std::string PartOfPosition(const std::vector<std::string>& sizes, const std::vector<int>& dims,
                           const std::string& index) {
  std::string text;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string own = GroupScope::Product([&] {
      std::vector<std::string> behind;
      for (std::size_t j = i + 1; j < dims.size(); ++j) behind.push_back(sizes[dims[j]]);
      return behind;
    }());
    const std::string all = GroupScope::Product({sizes.begin() + dims[i] + 1, sizes.end()});
    std::string axis = own == "1" ? index : index + " / " + GroupScope::Parenthesized(own);
    if (i > 0) axis += " % " + GroupScope::Parenthesized(sizes[dims[i]]);
    if (all != "1") axis = (axis == index ? axis : "(" + axis + ")") + " * " + all;
    text += (text.empty() ? "" : " + ") + axis;
  }
  return text.empty() ? "0" : text;
}

}  // namespace

std::string RowGeometry::Base(const GroupScope& scope) const {
  const std::string type = "const " + scope.index() + ' ';
  switch (layout) {
    case Layout::kTrailing:
      return rows == "1" ? "" : type + "base = row * " + GroupScope::Parenthesized(length) + ";\n";
    case Layout::kMiddle:
      if (rows == inner) return "";
      return type + "base = row / " + inner + " * " + length + " * " + inner + " + row % " + inner +
             ";\n";
    case Layout::kScattered:
      return type + "base = " + kept + ";\n";
    case Layout::kChannel:
    case Layout::kDiagonal:
      return "";
  }
  return "";
}

std::string RowGeometry::Position() const {
  switch (layout) {
    case Layout::kTrailing:
      return rows == "1" ? "k" : "base + k";
    case Layout::kMiddle:
      // Without dimensions before the reduced ones, a row is a column of a matrix.
      return (rows == inner ? "k * " + inner + " + row" : "base + k * " + inner);
    case Layout::kChannel:
      return "(k / " + inner + " * " + rows + " + row) * " + inner + " + k % " + inner;
    case Layout::kDiagonal:
      return "k * (" + inner + " + 1)";
    case Layout::kScattered:
      return "base + " + along;
  }
  return "";
}

bool RowGeometry::IsSideBySide() const {
  constexpr std::int64_t kWarp = 32;
  return layout == Layout::kMiddle && inner_count >= kWarp;
}

// Measured on an H100: with fewer columns in relation to their length, one thread per column was
// slower.
bool RowGeometry::HasManyColumns() const {
  constexpr std::int64_t kThreads = 4096, kCountOverLength = 8;
  return IsSideBySide() && row_count >= kThreads && row_count >= kCountOverLength * row_length;
}

RowGeometry DiagonalOf(GroupScope* scope, ValueId id) {
  const std::vector<std::string> sizes = scope->Sizes(id);
  RowGeometry geometry;
  geometry.layout = RowGeometry::Layout::kDiagonal;
  geometry.rows = "1";
  geometry.length =
      scope->AddSize("length", "std::min<int64_t>(" + sizes[0] + ", " + sizes[1] + ")");
  geometry.inner = sizes[1];
  const Shape& shape = scope->TypeOf(id).shape;
  geometry.row_count = 1;
  geometry.row_length = std::min(shape[0], shape[1]);
  return geometry;
}

RowGeometry GeometryOf(GroupScope* scope, ValueId id, const std::vector<int>& reduced) {
  const Form form = FormOf(scope->TypeOf(id).shape, reduced);
  const std::vector<std::string> sizes = scope->Sizes(id);
  std::vector<std::string> kept, along, behind;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (is_reduced ? along : kept).push_back(sizes[d]);
  }
  RowGeometry geometry;
  geometry.row_count = geometry.row_length = 1;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (is_reduced ? geometry.row_length : geometry.row_count) *= scope->TypeOf(id).shape[d];
  }
  if (form == Form::kScattered) {
    std::vector<int> others;
    for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
      if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) others.push_back(d);
    }
    geometry.layout = RowGeometry::Layout::kScattered;
    geometry.rows = scope->AddSize("rows", GroupScope::Product(kept));
    geometry.length = scope->AddSize("length", GroupScope::Product(along));
    geometry.inner = "1";
    geometry.kept = PartOfPosition(sizes, others, "row");
    geometry.along = PartOfPosition(sizes, reduced, "k");
    return geometry;
  }
  geometry.layout = form == Form::kTrailing ? RowGeometry::Layout::kTrailing
                    : form == Form::kMiddle ? RowGeometry::Layout::kMiddle
                                            : RowGeometry::Layout::kChannel;
  // The dimensions after the last reduced one, or, for channels, after the kept one.
  const bool of_kept = form == Form::kChannel;
  for (int d = static_cast<int>(sizes.size()); d-- > 0;) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    if (is_reduced != of_kept) break;
    behind.insert(behind.begin(), sizes[d]);
    geometry.inner_count *= scope->TypeOf(id).shape[d];
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
