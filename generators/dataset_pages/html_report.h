// Writes the report of a dataset, DIR/report.html: one file without scripts that a browser shows
// without a network.
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// HTML that is also well-formed XML. It depends on the description alone.
std::string WriteHtmlReport(const DatasetDescription& description);

}  // namespace kernelmill
