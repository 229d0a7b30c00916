// Assigns a subject (a task or native kernel), and with it all rows about it, to the training or
// the validation split. Called by the step "render". A hash of its source file, salted with `salt`,
// decides; `share` is the part of all files that are for validation.
#pragma once

#include <string>

#include "corpora/records/record.h"

namespace kernelmill {

// The split of a subject: "train" or "validation". A salted hash of the source file's content
// decides, so all rows of one file are on one side, whatever repository the file was found in, and
// a file keeps its side when the dataset grows. A subject that was found in several files follows
// the file with the smallest blob id. Generated tasks whose graphs differ only in sizes count as
// one file, which their attribute "pattern" names.
//   share: the part of all files that are for validation, from 0 to 1.
std::string SplitOf(const Record& subject, const std::string& salt, double share);

}  // namespace kernelmill
