// The kinds of values of a judge's trials beside the task's own. What each is stands in
// stages/worker/torch_worker/value_kinds.py, which makes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Of every contract: changes of a few elements, of scale, order and sign.
const std::vector<std::string>& UsualKinds();
// Of every contract: those for which a right kernel may differ from some references. Each is left
// out where the reference says nothing about others.
const std::vector<std::string>& SpecialKinds();
// The special kinds whose large values make a sum leave its type. Short rows may not show it, so these
// kinds are tried at the base sizes, too, where the others cost too much.
const std::vector<std::string>& FarKinds();
// Those in which as many elements as possible are equal, true or above a threshold, so that all count.
// `with_checked`: also special kinds. `results_count`: whether results are integers, which may count
// floating-point numbers.
std::vector<std::string> CrowdedKinds(bool with_checked, bool results_count);
// Of a contract that asks for any values. Otherwise they are graded.
const std::vector<std::string>& RareKinds();

// Whether the inputs are made of those of the first trial.
bool HasFirstSeed(std::string_view kind);
// Whether few elements are others than in the trial before, so that what that call has left in
// memory seems to be the result.
bool FollowsFirst(std::string_view kind);

}  // namespace kernelmill
