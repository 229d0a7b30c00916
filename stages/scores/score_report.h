// What the command `score` shows: the scores of a folder with verdicts or with KernelBench's
// results, as JSON, as text and as a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/scores/eval_results.h"
#include "stages/scores/scores.h"

namespace kernelmill {

struct ScoreRequest {
  // A folder with verdicts.jsonl or else eval_results.json, or one of these files. A dataset is
  // such a folder whose tasks are its own.
  std::string source;
  std::string tasks;             // A dataset with the tasks; empty if there is none.
  std::string kernelbench;       // A checkout of KernelBench; empty if there is none.
  std::string baseline;          // KernelBench's times of the baseline; empty if there are none.
  int level = 0;                 // The level that eval_results.json is about; 0: unknown.
  std::vector<std::int64_t> ks;  // As for ScoreSamples().
};

struct ScoreReport {
  std::string source;  // The file that was read.
  Scores scores;
  std::int64_t malformed = 0;    // Lines of verdicts.jsonl that no verdict is about.
  std::int64_t retries = 0;      // Lines about answers to others' mistakes (verdict_file.h).
  std::int64_t other_turns = 0;  // Lines about turns that another turn of the attempt stands for.
  // For eval_results.json with a checkout.
  std::optional<KernelBenchAnalysis> kernelbench;

  // The fields of Scores::ToJson(), "source", "malformed", "other_turns", "retries" and "kernelbench".
  Json ToJson() const;
  std::string Text() const;
  // HTML that is also well-formed XML, without scripts and references.
  std::string Page() const;
};

// kUsage when the request names what does not fit together, kNotFound when there is no such file.
Result<ScoreReport> MakeScoreReport(const ScoreRequest& request);

}  // namespace kernelmill
