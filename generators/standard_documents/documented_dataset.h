// What the standard documents of a dataset are written from: everything follows from its files, but
// for what its publisher says. An audit collects it (stages/audit/standard_documents.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/statistics/source_list.h"
#include "generators/dataset_pages/dataset_description.h"
#include "manifests/dataset_manifest.h"

namespace kernelmill {

// A column of the rows, for documents that list them.
struct DocumentedColumn {
  enum class Type { kText, kInteger, kNumber, kFlag, kList };
  std::string name;
  Type type = Type::kText;
  std::vector<DocumentedColumn> members;  // Of the structs in a list.
};

struct DocumentedDataset {
  DatasetManifest manifest;
  FileEntry manifest_file;  // Of manifest.json itself.
  Json configuration;       // As the dataset publishes it.
  DatasetDescription description;
  SourceList sources;
  std::vector<DocumentedColumn> columns;  // Of its Parquet files.

  // The files of the dataset with manifest.json, sorted by path.
  std::vector<FileEntry> Files() const;
};

// What no file of a dataset says. Croissant and SPDX require all of it.
struct Publication {
  std::string name;
  std::string url;               // Of the page where the dataset is published; without a fragment.
  std::string publisher;         // An organization or a person.
  std::string built, published;  // Days: "2026-11-28".
};

}  // namespace kernelmill
