// The strategies of each class of operators: every function appends its own, best first.
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
void AddElementStrategies(std::vector<Strategy>* strategies);
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
    AddScatterStrategies,     AddElementStrategies,    AddAttentionStrategies,
    AddScanStrategies,        AddSortStrategies,       AddDigitStrategies,
    AddRankStrategies,        AddSampleLossStrategies, AddRecurrentStrategies,
    AddMultiHeadStrategies,   AddPartStrategies,       AddModeStrategies,
};

}  // namespace kernelmill
