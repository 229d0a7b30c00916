// Summarises a finished run: rows, tokens and rejects. A command prints the summary at its end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "manifests/dataset_manifest.h"

namespace kernelmill {

struct RunSummary {
  struct Reject {
    std::string step;
    std::string reason;  // A name from manifests/reason.h.
    std::int64_t count = 0;
  };

  std::string output;         // The folder of the dataset.
  bool was_complete = false;  // The dataset was complete already, so nothing was done.
  Digest manifest_digest;     // Covers every file.
  // Rows by family, then by split.
  std::map<std::string, std::map<std::string, std::int64_t>> rows;
  // Empty if no task was answered.
  std::map<std::string_view, AnsweredTasks> answered;
  std::int64_t prompt_tokens = 0, answer_tokens = 0;  // Summed over all rows.
  bool tokens_are_estimated = true;
  std::string retry;  // RetryText() of an RFT dataset; otherwise empty.
  std::vector<Reject> rejects;  // In the order of the steps, the most frequent reason first.

  static RunSummary Of(const std::string& output, const DatasetManifest& manifest,
                       const DatasetStatistics& statistics);

  std::int64_t Rows() const;
  // What a user must not overlook: that there are no rows, and why not. Empty if there are some.
  std::string Warning() const;
  // Several lines for a terminal: rows by family and split, tokens, answers by kind of task,
  // rejects, where the files are, and which commands to run next.
  std::string Text() const;
};

}  // namespace kernelmill
