// The report of a dataset, DIR/report.html: one file that a browser shows without a network, and
// that runs nothing.
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// HTML that is well-formed XML too. Depends on the description alone.
std::string WriteHtmlReport(const DatasetDescription& description);

}  // namespace kernelmill
