// Reads and writes measurements.jsonl, which `verify --device` writes beside verdicts.jsonl: one
// line for each answer that the CPU judge has found correct, in the order of the verdicts: {"key",
// "fingerprint", "answer", "reward", "measurement"}. Scores, selection and rewards read it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "corpora/records/measurement.h"
#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

inline constexpr char kMeasurementsName[] = "measurements.jsonl";

// What an answer is, whoever asks and judges: a time of the same code for the same task counts
// wherever it was measured. `reference` and `code` are Python texts; `backend` is a backend's name.
Digest AnswerId(std::string_view reference, std::string_view backend, std::string_view code);

struct MeasuredLine {
  std::string key, fingerprint;  // Those of the line of verdicts.jsonl.
  Digest answer;                 // AnswerId().
  Measurement measurement;

  // The line, with its end, and with the reward that follows from the measurement.
  std::string Text() const;
};

// The lines of the file at `path` by key; none when it does not exist. A last line without an end
// is what a killed run leaves, and is left out. kCorrupt, with the line, when another is damaged.
Result<std::map<std::string, MeasuredLine>> ReadMeasurements(const std::string& path);

// The same; kConfig when the times are of two devices, or of two versions of its software, because
// such times are not comparable.
Result<std::map<std::string, MeasuredLine>> ReadComparableMeasurements(const std::string& path);

// Measurements by AnswerId(), all of one device.
using AnswerMeasurements = std::map<Digest, Measurement>;

// Those of the text of a file, which `path` names in messages. Of several of one answer a failure
// counts, else the shortest time. Errors as above.
Result<AnswerMeasurements> AnswerMeasurementsIn(const std::string& text, const std::string& path);

// The measurement of the line of verdicts.jsonl with this key and fingerprint; null if it has none.
const Measurement* FindMeasurement(const std::map<std::string, MeasuredLine>& lines,
                                   const std::string& key, const std::string& fingerprint);

// The reward of a correct answer with its performance term, as Verdict::RewardJson() has it; null
// for one that fails on the device: the two disagree, and neither is to be trained on.
Json RewardOf(const Measurement& measurement);

}  // namespace kernelmill
