// The families of the operator table: each function, in a file of this folder, appends the rows of
// its operators. operator_table.cc calls them all once, in the order of kFamilies, which fixes the
// order of the rows.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

void AddActivations(std::vector<OperatorRow>* rows);
void AddClippedActivations(std::vector<OperatorRow>* rows);
void AddArithmetic(std::vector<OperatorRow>* rows);
void AddNumberArithmetic(std::vector<OperatorRow>* rows);
void AddDivisions(std::vector<OperatorRow>* rows);
void AddBits(std::vector<OperatorRow>* rows);
void AddPowers(std::vector<OperatorRow>* rows);
void AddTrigonometry(std::vector<OperatorRow>* rows);
void AddRounding(std::vector<OperatorRow>* rows);
void AddComparisons(std::vector<OperatorRow>* rows);
void AddSelections(std::vector<OperatorRow>* rows);
void AddCasts(std::vector<OperatorRow>* rows);
void AddReductions(std::vector<OperatorRow>* rows);
void AddDistances(std::vector<OperatorRow>* rows);
void AddScans(std::vector<OperatorRow>* rows);
void AddSoftmaxes(std::vector<OperatorRow>* rows);
void AddNorms(std::vector<OperatorRow>* rows);
void AddProducts(std::vector<OperatorRow>* rows);
void AddAddedProducts(std::vector<OperatorRow>* rows);
void AddContractions(std::vector<OperatorRow>* rows);
void AddConvolutions(std::vector<OperatorRow>* rows);
void AddTransposedConvolutions(std::vector<OperatorRow>* rows);
void AddPools(std::vector<OperatorRow>* rows);
void AddInterpolations(std::vector<OperatorRow>* rows);
void AddEmbeddings(std::vector<OperatorRow>* rows);
void AddGathers(std::vector<OperatorRow>* rows);
void AddScatters(std::vector<OperatorRow>* rows);
void AddViews(std::vector<OperatorRow>* rows);
void AddDimensions(std::vector<OperatorRow>* rows);
void AddParts(std::vector<OperatorRow>* rows);
void AddLayouts(std::vector<OperatorRow>* rows);
void AddRearrangements(std::vector<OperatorRow>* rows);
void AddCreations(std::vector<OperatorRow>* rows);
void AddAttentions(std::vector<OperatorRow>* rows);
void AddRecurrences(std::vector<OperatorRow>* rows);
void AddLosses(std::vector<OperatorRow>* rows);
void AddMarginLosses(std::vector<OperatorRow>* rows);
void AddClassLosses(std::vector<OperatorRow>* rows);
void AddSorts(std::vector<OperatorRow>* rows);
void AddTriangles(std::vector<OperatorRow>* rows);

inline constexpr void (*kFamilies[])(std::vector<OperatorRow>*) = {
    AddActivations,   AddClippedActivations,
    AddArithmetic,    AddNumberArithmetic,
    AddDivisions,     AddBits,
    AddPowers,        AddTrigonometry,
    AddRounding,      AddComparisons,
    AddSelections,    AddCasts,
    AddReductions,    AddDistances,
    AddScans,         AddSoftmaxes,
    AddNorms,         AddProducts,
    AddAddedProducts, AddContractions,
    AddConvolutions,  AddTransposedConvolutions,
    AddPools,         AddInterpolations,
    AddEmbeddings,    AddGathers,
    AddScatters,      AddViews,
    AddDimensions,    AddParts,
    AddLayouts,       AddRearrangements,
    AddCreations,     AddAttentions,
    AddRecurrences,   AddLosses,
    AddMarginLosses,  AddClassLosses,
    AddSorts,         AddTriangles,
};

}  // namespace kernelmill
