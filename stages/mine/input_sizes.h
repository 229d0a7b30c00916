// Chooses the ranks and sizes of a module's inputs that evaluating forward() (evaluate/evaluator.h)
// leaves open. Called by GuessArguments() (arguments.h). `module` is the syntax tree of the slice
// that defines the module.
#pragma once

#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {

// Gives a rank to every input without one. Returns whether there was such an input.
bool ChooseRanks(const SyntaxNode& module, std::vector<InputFacts>* inputs);

// Chooses every free size of `tensors`, the values that Evaluator::Forward made for `inputs`.
std::vector<InputGuess> ChooseSizes(const std::vector<InputFacts>& inputs,
                                    const std::vector<KnownValue*>& tensors,
                                    const std::vector<InitArgument>& init, Evaluator* evaluator);

}  // namespace kernelmill
