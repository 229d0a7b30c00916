// Exports a published dataset into another folder, in one format, for the command `export`: reads
// the folder `dataset` and writes below `output`.
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

// Writes the rows of `dataset`, in `format`, below `output`/data. The rows are read from the
// shards. Files get their final names only after the records have proved to have the dataset's
// Merkle root; otherwise kCorrupt. kExists when `output` holds a dataset or other data.
Result<ExportedRows> ExportDataset(const std::string& dataset, const ExportFormat& format,
                                   const PackOptions& options, const std::string& output);

}  // namespace kernelmill
