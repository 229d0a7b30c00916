// The strategies of each class of operators: every function appends its own, best first.
#pragma once

#include <vector>

#include "generators/lowering/strategy.h"

namespace kernelmill {

void AddElementwiseStrategies(std::vector<Strategy>* strategies);
void AddRowStrategies(std::vector<Strategy>* strategies);

inline constexpr void (*kStrategyFamilies[])(std::vector<Strategy>*) = {
    AddElementwiseStrategies,
    AddRowStrategies,
};

}  // namespace kernelmill
