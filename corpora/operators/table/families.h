// The families of the operator table: each function appends its rows, in a fixed order.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

void AddActivations(std::vector<OperatorRow>* rows);
void AddArithmetic(std::vector<OperatorRow>* rows);
void AddReductions(std::vector<OperatorRow>* rows);
void AddSoftmaxes(std::vector<OperatorRow>* rows);
void AddNorms(std::vector<OperatorRow>* rows);
void AddProducts(std::vector<OperatorRow>* rows);
void AddConvolutions(std::vector<OperatorRow>* rows);
void AddViews(std::vector<OperatorRow>* rows);
void AddLayouts(std::vector<OperatorRow>* rows);

inline constexpr void (*kFamilies[])(std::vector<OperatorRow>*) = {
    AddActivations, AddArithmetic,   AddReductions, AddSoftmaxes, AddNorms,
    AddProducts,    AddConvolutions, AddViews,      AddLayouts,
};

}  // namespace kernelmill
