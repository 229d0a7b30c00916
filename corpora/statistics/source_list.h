// The sources of a dataset with the licences that they were found under, collected from all of its
// records. The dataset's standard documents name them (generators/standard_documents/).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "corpora/records/record.h"

namespace kernelmill {

struct ListedSource {
  Origin origin;  // Of one of its records: its kind, its URL, commit, seed, hash or model.
  // SPDX expressions of records that no model has sampled: as the source states them, and as its
  // content is used (of "MIT OR GPL-2.0-only", "MIT").
  std::set<std::string> stated, used;
};

class SourceList {
 public:
  void Add(const Record& record);

  // By Origin::Source().
  const std::map<std::pair<std::string, std::string>, ListedSource>& sources() const {
    return sources_;
  }
  // ListedSource::used of all sources, and of records without an origin.
  const std::set<std::string>& licences() const { return licences_; }

 private:
  std::map<std::pair<std::string, std::string>, ListedSource> sources_;
  std::set<std::string> licences_;
};

}  // namespace kernelmill
