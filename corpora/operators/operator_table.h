// The table of all operators that kernelmill knows, at the level of user code: F.gelu, layer_norm,
// scaled_dot_product_attention, lstm. Each file of corpora/operators/table/ holds related rows,
// mostly of one OperatorFamily.
#pragma once

#include <span>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// In a fixed order: that of the functions in corpora/operators/table/families.h, then as each of
// them appends its rows.
std::span<const OperatorRow> Operators();

// Null when no row has this name.
const OperatorRow* FindOperator(std::string_view name);

// The rows with this spelling, such as "torch.Tensor.add", in the table's order. Several rows share
// a spelling when torch uses one name for different arguments: adding a tensor or a number, max
// over all elements or along one dimension.
std::span<const OperatorRow* const> OperatorsSpelled(std::string_view spelling);

}  // namespace kernelmill
