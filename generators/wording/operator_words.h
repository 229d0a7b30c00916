// Looks up the operators that an annotation says a task called, by torch's names for calls ("add_",
// "rsub"), and tells which of them compute something. Called by the writers of prompts and
// reasoning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "corpora/records/annotation.h"

namespace kernelmill {

// The first row of the operator table that torch calls by this name or by its in-place or reflected
// form ("add_", "rsub"); null when there is none.
const OperatorRow* OperatorCalled(std::string_view name);

// Whether the call computes and moves no elements: views, queries, "getitem".
bool ComputesNothing(std::string_view name);

// Whether it is free of work in some cases only, and copies elements in others: reshape.
bool SometimesCopies(std::string_view name);

// What an annotation's task calls and computes something, each name once, in order of first call.
std::vector<std::string> ComputingOperators(const Annotation& annotation);

}  // namespace kernelmill
