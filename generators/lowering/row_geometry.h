// A tensor as rows that belong together: what a reduction, a norm or a scan runs along.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// Element k of row r lies at Position("r", "k"), in row-major order of the tensor. All members are
// names or literals of the scope.
struct RowGeometry {
  enum class Layout {
    kTrailing,  // Rows follow each other: the last dimensions are reduced.
    kMiddle,    // `inner` elements lie between two of a row.
    kChannel,   // All dimensions but one, in the middle, belong to a row: batch norm.
  };
  Layout layout = Layout::kTrailing;
  std::string rows, length, inner;

  // The part of the position that does not depend on k, as a statement; empty where there is none.
  std::string Base(const GroupScope& scope) const;
  std::string Position() const;  // In terms of row, k and what Base() declares.
};

// Of a value whose dimensions `reduced` (sorted) form rows; nothing where they lie otherwise.
std::optional<RowGeometry> GeometryOf(GroupScope* scope, ValueId id,
                                      const std::vector<int>& reduced);
bool HasGeometry(const Shape& shape, const std::vector<int>& reduced);

// The dimensions that an attribute names: None, an int or a tuple. Sorted, from 0.
std::vector<int> DimensionsOf(const Attribute& attribute, int rank);

}  // namespace kernelmill
