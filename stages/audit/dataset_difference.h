// Compares two published datasets record by record, for the command `diff`: which records only one
// of them has, which both have with other facts, and how their counts, sources, configurations,
// versions and files differ.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

struct DatasetDifference {
  struct Side {
    Digest manifest_digest, merkle_root;
  };
  struct Changed {
    RecordKind kind = RecordKind::kTask;
    std::vector<std::string> columns;  // ChangedColumns().
  };
  // A value of each side; null where a side has none.
  using Pair = std::pair<Json, Json>;

  Side a, b;
  std::map<Digest, RecordKind> removed, added;  // Only in the first, only in the second.
  std::map<Digest, Changed> changed;
  std::int64_t equal_records = 0;
  // What differs, by name: "records.task", "rows.train", "render.kept" …
  std::map<std::string, Pair> counts;
  std::map<std::string, Pair> versions;
  std::vector<std::string> removed_sources, added_sources;  // "URL at REVISION".
  std::map<std::string, Pair> configuration;                // By key, but for the sources.
  std::vector<std::string> files;                           // That differ, or that one side lacks.

  // Whether both have the same manifest, which covers every file.
  bool Equal() const { return a.manifest_digest == b.manifest_digest; }
  Json ToJson() const;
};

// Compares the datasets in the folders `a` and `b`. kCorrupt names a file or record of either that
// is damaged.
Result<DatasetDifference> CompareDatasets(const std::string& a, const std::string& b);

// The parts in which two records of equal content differ: "origins", "licences", "lineage", and
// names of attributes such as "weight".
std::vector<std::string> ChangedColumns(const Record& a, const Record& b);

}  // namespace kernelmill
