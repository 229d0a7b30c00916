// Finds sentences that state a false relation: the right names and numbers in the wrong roles, such
// as the guard of another kernel, a loop over another variable, the bytes of another program. The
// third check of an answer, beside those of names and numbers (unsupported_claims.h) and of grounds
// in the question (unanswerable_claims.h). Called by the row rules (row_rules.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/known_task/known_task.h"

namespace kernelmill {

// A sentence is compared with the forms of relation_forms.h. One that begins a form and is not of
// that form, or does not hold for any candidate of the row, is false; of an answer about a bug, the
// description of the bug has to be there and no other one. Empty when every relation holds.
std::vector<std::string> FalseRelations(std::string_view markdown, const KnownTask& known,
                                        const std::vector<const Candidate*>& about);

}  // namespace kernelmill
