// One entry of the retry buffer (retry_generation.h): a task that no sample of a group solved, with
// the failed answer that came closest and the verdict on it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "corpora/records/verdict.h"
#include "manifests/digest.h"

namespace kernelmill {

// What the buffer has at most one live entry of.
struct RetryKey {
  Digest task;          // The content_id of the task, which is what the prompt is about.
  std::string backend;  // The name of a backend.

  // For messages: "3fa9… for cuda", with the whole digest.
  std::string Name() const { return task.Hex() + " for " + backend; }
  friend auto operator<=>(const RetryKey&, const RetryKey&) = default;
};

struct RetryEntry {
  RetryKey key;
  std::string code;  // Of the failed answer: Python. Never an attack (HasSandboxAttack()).
  // Verdict::Reproducible() of the answer. The feedback of a repair prompt is written from it
  // (repair_prompt.h), so that no number that a processor computed is in the buffer.
  Verdict verdict;
  std::int64_t round = 0;     // In which it entered, at first or after a retry that failed.
  std::int64_t attempts = 0;  // Retries that failed.
  // The ids of the samples whose code the entry has had, oldest first; the last one has this code.
  std::vector<Digest> lineage;

  const Digest& Sample() const { return lineage.back(); }

  Json ToJson() const;
  // kCorrupt for a damaged entry, an unknown backend, or an entry without code or lineage.
  static Result<RetryEntry> FromJson(const Json& json);
};

// How far a failed answer came. Compared by the gate that ended it, then by q, the share of the
// trials of the contract that passed (Verdict::PassRate()).
struct RetryProgress {
  std::int64_t gate = 0;  // The place of Verdict::gate among the gates: 0 for "extract".
  double q = 0;

  static RetryProgress Of(const Verdict& verdict);
  // From 0 to 1 (ours): (gate + q) / (the number of gates that a verdict can name + 1).
  double Closeness() const;

  friend auto operator<=>(const RetryProgress&, const RetryProgress&) = default;
};

// Whether the failed answer `a` of the sample `a_id` goes into the buffer rather than `b` of
// `b_id`: it came further or, where both came equally far, its id is smaller.
bool CameCloser(const Verdict& a, const Digest& a_id, const Verdict& b, const Digest& b_id);

}  // namespace kernelmill
