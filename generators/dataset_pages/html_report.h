// Writes the report of a dataset, the HTML of DIR/report.html: one page without scripts that a
// browser shows without a network. Called while a dataset is published (stages/pack/describe.h).
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// HTML that is also well-formed XML. It depends on the description alone.
std::string WriteHtmlReport(const DatasetDescription& description);

}  // namespace kernelmill
