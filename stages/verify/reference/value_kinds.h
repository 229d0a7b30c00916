// The kinds of values of a judge's trials beside the task's own. What each is stands in
// stages/worker/torch_worker/value_kinds.py, which makes them.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

// Of every contract: changes of scale, order and sign.
const std::vector<std::string>& UsualKinds();
// Of every contract: those for which a right kernel may differ from some references. Each is left
// out where the reference says nothing about others.
const std::vector<std::string>& SpecialKinds();
// Those special kinds in which as many elements as possible are equal, or true.
const std::vector<std::string>& CrowdedKinds();
// Of a contract that asks for any values. Otherwise they are graded.
const std::vector<std::string>& RareKinds();

}  // namespace kernelmill
