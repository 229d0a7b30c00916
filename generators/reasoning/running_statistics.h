// Whether a program leaves out the update of running statistics that its module makes. A contract
// may ask for the outputs alone, and then a right program need not update them, but a reader has to
// know it. Called by writers of rows.
#pragma once

#include <string>

#include "corpora/records/candidate.h"

namespace kernelmill {

// "The module normalises in training mode and …"; "" where nothing is left out.
std::string RunningStatisticsText(const Candidate& answer);

}  // namespace kernelmill
