// The sizes of inputs that are left when everything that operators say has been used.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {

// Gives a rank to every input that has none. False when all had one.
bool ChooseRanks(const SyntaxNode& module, std::vector<InputFacts>* inputs);

// Chooses every free size of `tensors`, which Evaluator::Forward made for `inputs`.
std::vector<InputGuess> ChooseSizes(const std::vector<InputFacts>& inputs,
                                    const std::vector<KnownValue*>& tensors,
                                    const std::vector<InitArgument>& init, Evaluator* evaluator);

}  // namespace kernelmill
