// The families of lowering strategies: each function, in a file of this folder, appends the
// strategies for one class of operators, best first. strategy.cc calls them all once, in the order
// of kStrategyFamilies; a fusion group gets the first strategy that fits it, or a later one when a
// variant of the answer is asked for.
#pragma once

#include <vector>

#include "generators/lowering/strategy.h"

namespace kernelmill {

void AddElementwiseStrategies(std::vector<Strategy>* strategies);
void AddColumnStrategies(std::vector<Strategy>* strategies);
void AddSplitRowStrategies(std::vector<Strategy>* strategies);
void AddRowStrategies(std::vector<Strategy>* strategies);
void AddSplitSumStrategies(std::vector<Strategy>* strategies);
void AddContractionStrategies(std::vector<Strategy>* strategies);
void AddScatterStrategies(std::vector<Strategy>* strategies);
void AddProgramStrategies(std::vector<Strategy>* strategies);
void AddAttentionStrategies(std::vector<Strategy>* strategies);
void AddScanStrategies(std::vector<Strategy>* strategies);
void AddSortStrategies(std::vector<Strategy>* strategies);
void AddDigitStrategies(std::vector<Strategy>* strategies);
void AddRankStrategies(std::vector<Strategy>* strategies);
void AddSampleLossStrategies(std::vector<Strategy>* strategies);
void AddRecurrentStrategies(std::vector<Strategy>* strategies);
void AddMultiHeadStrategies(std::vector<Strategy>* strategies);
void AddPartStrategies(std::vector<Strategy>* strategies);
void AddModeStrategies(std::vector<Strategy>* strategies);

inline constexpr void (*kStrategyFamilies[])(std::vector<Strategy>*) = {
    AddElementwiseStrategies, AddColumnStrategies,     AddSplitRowStrategies,
    AddRowStrategies,         AddSplitSumStrategies,   AddContractionStrategies,
    AddScatterStrategies,     AddProgramStrategies,    AddAttentionStrategies,
    AddScanStrategies,        AddSortStrategies,       AddDigitStrategies,
    AddRankStrategies,        AddSampleLossStrategies, AddRecurrentStrategies,
    AddMultiHeadStrategies,   AddPartStrategies,       AddModeStrategies,
};

}  // namespace kernelmill
