// What the standard documents say of a dataset in sentences: how its data was collected and
// prepared, what it is for, and in which respects it is biased. Croissant and SPDX ask for the
// same.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generators/standard_documents/documented_dataset.h"

namespace kernelmill {

// One or two sentences on what the rows are.
std::string SummaryOf(const DocumentedDataset& dataset);
// Where the tasks and kernels are from.
std::string CollectionOf(const DocumentedDataset& dataset);
// One sentence for each step, with its counts.
std::vector<std::string> PreparationOf(const DocumentedDataset& dataset);
// What was put into the data on purpose or inferred; empty if nothing was.
std::string InferencesOf(const DocumentedDataset& dataset);
std::string ChangesOf(const DocumentedDataset& dataset);
// What says what is true in the rows; no person does.
std::vector<std::string> AnnotationOf(const DocumentedDataset& dataset);
std::vector<std::string> BiasesOf(const DocumentedDataset& dataset);
std::vector<std::string> UsesOf(const DocumentedDataset& dataset);
std::string PersonalDataOf();
std::string MaintenanceOf();

// The programs that made the dataset, with their versions: "kernelmill 0.1.0".
std::vector<std::string> ToolsOf(const DocumentedDataset& dataset);

// The text as a URI: what a URI cannot hold is percent-encoded.
std::string AsUri(std::string_view text);
// "https://spdx.org/licenses/MIT" for one listed licence; any other expression as it is.
std::string LicenceUrl(const std::string& spdx);
// Whether the evidence found a licence that has a name.
bool IsKnownLicence(const std::string& spdx);
// All licences that are known, joined by AND; empty if none is.
std::string AllLicences(const std::set<std::string>& licences);

}  // namespace kernelmill
