// Re-derives records of a published dataset, for `audit --rederive`: builds some of them again from
// the repositories and commits that they name, and compares them byte for byte; of an RFT dataset,
// also the retry buffer (retry_rederive.h), the lines of verdicts.jsonl about the chosen tasks
// (verdict_rederive.h) and, where all records are built again, selection.json. This finds what no
// hash can show: a licence, a text or a fact that was changed before the Merkle root was computed.
// Every verdict in these records is judged anew; the verdict store is neither read nor written,
// because anybody can write to it. It works in a temporary folder and changes nothing in the
// dataset's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/audit/audit.h"

namespace kernelmill {

struct RederiveOptions {
  // How many of the shards, and how many of retry/ of an RFT dataset; at most all of them.
  std::int64_t records = 0;
  // Origin → local repository or URL, for origins that cannot be fetched.
  std::map<std::string, std::string> sources;
  std::string cache;  // The folder of fetched repositories.
  int jobs = 0;       // Threads; 0 means one per processor.
};

// RederiveReport::retry. The files of retry/ follow from all samples, so they are built again only
// where all records are.
inline constexpr std::string_view kRetryIdentical = "identical";
inline constexpr std::string_view kRetryDifferent = "different";
inline constexpr std::string_view kRetryNotBuilt = "not_built_again";

struct RederiveReport {
  std::int64_t identical = 0;  // Records.
  // One for each record, line of verdicts.jsonl and other file that came out differently.
  std::vector<AuditFinding> findings;
  // What became of retry/ of an RFT dataset: one of the names above; "" for other datasets.
  std::string_view retry;
  // The tools whose versions differ from those that made the dataset ("kernelmill, torch"). If
  // there are any, a difference does not prove tampering.
  std::string other_tool;

  // {"identical", "findings", "other_tool", "retry", "verdicts": "judged_anew"}
  Json ToJson() const;
};

// Chooses records by a hash of the Merkle root, so that nobody can know before publication which
// records are chosen. Works in a temporary folder. kNotFound names the origin of a source that
// cannot be found or fetched.
Result<RederiveReport> Rederive(const std::string& folder, const RederiveOptions& options);

}  // namespace kernelmill
