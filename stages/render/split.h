// Which rows are for training and which for validation.
#pragma once

#include <string>

#include "corpora/records/record.h"

namespace kernelmill {

// "train" or "validation". Everything that comes from one source file falls on one side, whichever
// repository it was found in, and growth of the dataset never moves a file to the other side: the
// side is a salted hash of the file's content. What was found in several files goes with the one
// whose blob comes first. Generated tasks whose graphs differ in sizes only are as one file: their
// attribute "pattern" names it.
//   share: the part of all files that validate, from 0 to 1.
std::string SplitOf(const Record& subject, const std::string& salt, double share);

}  // namespace kernelmill
