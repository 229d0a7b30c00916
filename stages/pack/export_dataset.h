// Exports a published dataset into another folder, in one format, for the command `export`: reads
// the folder `dataset` and writes below `output`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "manifests/dataset_manifest.h"
#include "stages/pack/export.h"

namespace kernelmill {

struct ExportedRows {
  std::map<std::string, std::int64_t> rows;  // By split.
  std::vector<std::string> files;            // Relative to the output folder, sorted.
};

// The manifest of a published dataset. kNotFound when the folder has none.
Result<DatasetManifest> ReadDatasetManifest(const std::string& dataset);

// Visits every record in content_id order. kCorrupt, at the end, when the records do not have the
// manifest's Merkle root: until then, what was made of them must not get its final name.
Status VisitRecords(const std::string& dataset, const DatasetManifest& manifest,
                    const std::function<Status(const Record& record)>& visit);

// Creates `output` with an empty folder data/. What a killed export left there is removed. kExists
// when `output` holds a dataset, other data, or one of the files `beside`.
Status MakeVacant(const std::string& output, const std::vector<std::string>& beside);

// Writes the rows of `dataset`, in `format`, below `output`/data. The rows are read from the
// shards. Files get their final names only after the records have proved to have the dataset's
// Merkle root; otherwise kCorrupt. kExists when `output` holds a dataset or other data.
Result<ExportedRows> ExportDataset(const std::string& dataset, const ExportFormat& format,
                                   const PackOptions& options, const std::string& output);

}  // namespace kernelmill
