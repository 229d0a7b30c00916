// Summarises a finished run: rows, tokens and rejects. A command prints the summary at its end, as
// text or JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "manifests/dataset_manifest.h"
#include "manifests/json.h"

namespace kernelmill {

struct RunSummary {
  struct Reject {
    std::string step;
    std::string reason;  // A name from manifests/reason.h.
    std::int64_t count = 0;
  };

  std::string output;         // The folder of the dataset.
  bool was_complete = false;  // The dataset was complete already, so nothing was done.
  Digest merkle_root;
  std::map<std::string, std::int64_t> records;  // By record kind.
  // Rows by family, then by split.
  std::map<std::string, std::map<std::string, std::int64_t>> rows;
  std::int64_t prompt_tokens = 0, answer_tokens = 0;  // Summed over all rows.
  bool tokens_are_estimated = true;
  std::vector<Reject> rejects;  // In the order of the steps, the most frequent reason first.

  static RunSummary Of(const std::string& output, const DatasetManifest& manifest,
                       const DatasetStatistics& statistics);

  std::int64_t Rows() const;
  // Several lines for a terminal: rows by family and split, tokens, rejects, where the files are,
  // and which commands to run next.
  std::string Text() const;
  // {"v", "output", "was_complete", "merkle_root", "records", "rows": {family: {split: count}},
  // "tokens": {"prompt", "answer", "estimated"}, "rejects": [{"step", "reason", "count"}]}
  Json ToJson() const;
};

}  // namespace kernelmill
