// Every operator that kernelmill knows, at the level of what users write: F.gelu, layer_norm,
// scaled_dot_product_attention, lstm. The rows of a family stand in one file of table/.
#pragma once

#include <span>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// In one order always: by family, then as the family's file lists them.
std::span<const OperatorRow> Operators();

// Null when no row has this name.
const OperatorRow* FindOperator(std::string_view name);

// The rows of which `spelling` is a spelling, "torch.Tensor.add". Several where torch gives one
// name to what differs in its arguments: a tensor or a number added, max of all or along one
// dimension. In the table's order.
std::span<const OperatorRow* const> OperatorsSpelled(std::string_view spelling);

}  // namespace kernelmill
