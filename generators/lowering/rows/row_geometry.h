// The rows of a tensor that a reduction, a norm or a scan runs along, and how they are indexed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// Element k of row r lies at Position("r", "k"), in row-major order of the tensor. All members are
// names or literals of the scope.
struct RowGeometry {
  enum class Layout {
    kTrailing,   // Rows follow each other: the last dimensions are reduced.
    kMiddle,     // `inner` elements lie between two of a row.
    kChannel,    // All dimensions but one, in the middle, belong to a row: batch norm.
    kDiagonal,   // The only row is the diagonal of a matrix with `inner` columns.
    kScattered,  // Any dimensions: `kept` and `along` take row and k apart.
  };
  Layout layout = Layout::kTrailing;
  std::string rows, length, inner;
  std::string kept, along;  // Of kScattered: the parts of the position that row and k decide.
  // At the sizes of the scope's graph; `inner_count` of kMiddle.
  std::int64_t row_count = 0, row_length = 0, inner_count = 1;

  // The part of the position that does not depend on k, as a statement; empty where there is none.
  std::string Base(const GroupScope& scope) const;
  std::string Position() const;  // In terms of row, k and what Base() declares.
  // Whether rows lie side by side as columns of memory, wide enough for a warp to read them so.
  bool IsSideBySide() const;
  // Whether there are enough of those to fill a device with a thread for each, and so short ones
  // that no thread works long alone.
  bool HasManyColumns() const;
};

// Of a value whose dimensions `reduced` (sorted) form rows.
RowGeometry GeometryOf(GroupScope* scope, ValueId id, const std::vector<int>& reduced);
// The diagonal of a matrix as its only row.
RowGeometry DiagonalOf(GroupScope* scope, ValueId id);

// The dimensions that an attribute names: None, an int or a tuple. Sorted, from 0.
std::vector<int> DimensionsOf(const Attribute& attribute, int rank);

}  // namespace kernelmill
