// The check that an answer follows from its question: every statement of fact needs its ground in
// what the question shows (code, shapes, figures, messages), in the program that the answer itself
// gives, or in general knowledge. Unlike the fact check (unsupported_claims.h) it knows no records:
// a true statement about something that the reader has not seen is unanswerable. The step "render"
// rejects such rows.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/training_record.h"

namespace kernelmill {

// The statements of the row's last message without a ground, each with its words; empty when all
// have one. What they are checked for:
//   code in backticks     is in the shown code, or consists of names that are;
//   "line 41"             is a numbered line, or a line that a message names;
//   registers, occupancy, sectors, requests, conflicts, spills
//                         are figures of the question, or the ratio, sum or difference of two;
//   what a run did        is in a message of the question.
std::vector<std::string> UnanswerableClaims(const TrainingRecord& row);

}  // namespace kernelmill
