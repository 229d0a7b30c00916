// Operators by the names that annotations have: the last word of how a source spells them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "corpora/records/annotation.h"

namespace kernelmill {

// The first row of the operator table that torch calls by this name, or its in-place or reflected
// form ("add_", "rsub"); null where there is none.
const OperatorRow* OperatorCalled(std::string_view name);

// Whether it moves and computes no element: views, questions, "getitem".
bool IsFreeOfWork(std::string_view name);

// What an annotation's task calls and computes something, each name once, in order of first call.
std::vector<std::string> ComputingOperators(const Annotation& annotation);

}  // namespace kernelmill
