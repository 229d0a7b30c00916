// RowGeometry: which elements of a tensor form a row along which a reduction, norm, scan or sort
// runs, and how kernels compute their positions. The strategies for such operators ask for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// Element k of row r is at the row-major position Position("r", "k"). All members are names or
// literals of the scope.
struct RowGeometry {
  enum class Layout {
    kTrailing,   // The last dimensions are reduced: rows are contiguous and follow each other.
    kMiddle,     // Adjacent elements of a row are `inner` elements apart.
    kChannel,    // A row has all dimensions but one in the middle, as in batch norm.
    kDiagonal,   // There is one row: the diagonal of a matrix with `inner` columns.
    kScattered,  // Any dimensions: `kept` and `along` compute the position from row and k.
  };
  Layout layout = Layout::kTrailing;
  std::string rows, length, inner;
  // For kScattered: the terms of the position that depend on row, and on k.
  std::string kept, along;
  // At the sizes of the scope's graph; `inner_count` for kMiddle.
  std::int64_t row_count = 0, row_length = 0, inner_count = 1;

  // A declaration of the term of the position that does not depend on k; empty when there is none.
  std::string Base(const GroupScope& scope) const;
  std::string Position() const;  // In terms of row, k and the variable of Base().
  // Whether rows are adjacent columns in memory, and enough for a warp's reads to be coalesced.
  bool IsSideBySide() const;
  // Whether there are enough such rows to fill a device with one thread per row, and they are short
  // enough for one thread.
  bool HasManyColumns() const;
};

// The geometry of a value whose dimensions `reduced` (sorted) form the rows.
RowGeometry GeometryOf(GroupScope* scope, ValueId id, const std::vector<int>& reduced);
// The geometry of the diagonal of a matrix.
RowGeometry DiagonalOf(GroupScope* scope, ValueId id);

// The dimensions that an attribute names (None, an int or a tuple), sorted and non-negative.
std::vector<int> DimensionsOf(const Attribute& attribute, int rank);

}  // namespace kernelmill
