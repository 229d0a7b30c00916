// An export of a dataset that is published already, written into another folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/pack/export.h"

namespace kernelmill {

struct ExportedRows {
  std::map<std::string, std::int64_t> rows;  // By split.
  std::vector<std::string> files;            // Relative to the output folder, sorted.
};

// Writes the rows of `dataset`, in `format`, below `output`/data. The rows come from the shards,
// and no file gets its name before the records have the dataset's Merkle root: kCorrupt otherwise.
// kExists when `output` holds a dataset or other data.
Result<ExportedRows> ExportDataset(const std::string& dataset, const ExportFormat& format,
                                   const PackOptions& options, const std::string& output);

}  // namespace kernelmill
