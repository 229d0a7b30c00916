#include "stages/scores/verdict_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "manifests/json.h"
#include "parsers/samples/kernelbench_sample.h"
#include "stages/device/measurement_file.h"

namespace kernelmill {
namespace {

Result<std::string> TaskOfLine(const Json& line) {
  const std::string task = line.TextAt("task");
  if (!task.empty()) return task;
  const std::optional<KernelBenchSampleName> sample =
      KernelBenchSampleName::Parse(line.TextAt("key"));
  if (sample) return sample->Task();
  return Status(ErrorCode::kCorrupt, "it has no \"task\"; judge the answers again with `verify`");
}

// One turn of an attempt.
struct JudgedTurn {
  ScoredSample sample;
  std::optional<std::int64_t> attempt;
  std::int64_t turn = 1;
  bool retry = false;
  bool counts = true;

  // Whether this turn stands for the attempt rather than the other.
  bool Precedes(const JudgedTurn& other) const {
    if (sample.correct != other.sample.correct) return sample.correct;
    return sample.correct ? turn < other.turn : turn > other.turn;
  }
};

// The lines about the turns of one attempt.
struct Attempt {
  std::size_t place = 0;  // Of the turn that stands for it.
  std::int64_t lines = 0;
  std::int64_t begins_at = std::numeric_limits<std::int64_t>::max();  // The first of its turns.
};

// What a device says of a sample that the CPU judge has found correct.
void AddMeasurement(const Measurement& measurement, ScoredSample* sample) {
  if (measurement.IsFailure()) {
    sample->correct = false;
    sample->status = "device_" + std::string(OutcomeName(measurement.outcome));
  } else if (measurement.outcome == MeasurementOutcome::kMeasured) {
    sample->runtime = measurement.answer->median_ms;
    sample->baseline = measurement.eager->median_ms;
  }
}

// Nothing for a malformed line of the list.
Result<std::optional<JudgedTurn>> TurnOfLine(
    const std::string& text, const TaskLookup& lookup,
    const std::map<std::string, MeasuredLine>& measurements) {
  KM_ASSIGN(const Json line, Json::Parse(text));
  if (line.Find("rejected") != nullptr) return std::optional<JudgedTurn>();
  const Json* const verdict = line.Find("verdict");
  if (verdict == nullptr) {
    return Status(ErrorCode::kCorrupt, "it has neither \"verdict\" nor \"rejected\"");
  }
  KM_ASSIGN(const VerdictStatus status, StatusFromName(verdict->TextAt("status")));
  KM_ASSIGN(const std::string name, TaskOfLine(line));
  KM_ASSIGN(FoundTask task, lookup(name));
  const std::string backend = verdict->TextAt("backend");
  JudgedTurn turn;
  turn.sample = SampleWithStatus(task.name + (backend.empty() ? "" : "/" + backend),
                                 std::move(task.traits), status);
  if (const Measurement* const measurement =
          FindMeasurement(measurements, line.TextAt("key"), line.TextAt("fingerprint"))) {
    AddMeasurement(*measurement, &turn.sample);
  }
  const Json* const attempt = line.Find("attempt");
  if (attempt != nullptr && attempt->is_int()) turn.attempt = attempt->as_int();
  turn.turn = std::max<std::int64_t>(1, line.IntegerAt("turn"));
  turn.retry = line.Find("retry") != nullptr;
  return std::optional(std::move(turn));
}

}  // namespace

ScoredSample SampleWithStatus(std::string task, TaskTraits traits, VerdictStatus status) {
  ScoredSample sample;
  sample.task = std::move(task);
  sample.traits = std::move(traits);
  sample.status = StatusName(status);
  sample.counts = IsAboutCandidate(status);
  sample.correct = status == VerdictStatus::kCorrect;
  if (sample.counts) {
    sample.legal = status != VerdictStatus::kIllegal && status != VerdictStatus::kNoAnswer;
  }
  return sample;
}

Result<VerdictSamples> ReadVerdictSamples(const std::string& path, const TaskLookup& lookup) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  const std::filesystem::path beside = std::filesystem::path(path).parent_path();
  KM_ASSIGN(const auto measurements, ReadComparableMeasurements(beside / kMeasurementsName));
  VerdictSamples read;
  std::vector<JudgedTurn> turns;  // Those that stand for their attempts.
  std::map<std::pair<std::string, std::int64_t>, Attempt> attempts;
  std::int64_t number = 0;
  for (std::string text; std::getline(file, text);) {
    const std::string where = path + ":" + std::to_string(++number);
    Result<std::optional<JudgedTurn>> turn = TurnOfLine(text, lookup, measurements);
    if (!turn.ok()) return turn.status().Within(where);
    if (!turn->has_value()) {
      ++read.malformed;
      continue;
    }
    JudgedTurn& judged = **turn;
    if (judged.retry) {
      ++read.retries;
      continue;
    }
    if (judged.attempt) {
      Attempt& attempt = attempts[{judged.sample.task, *judged.attempt}];
      attempt.begins_at = std::min(attempt.begins_at, judged.turn);
      if (++attempt.lines == 1) {
        attempt.place = turns.size();
      } else {
        JudgedTurn& before = turns[attempt.place];
        if (before.turn == judged.turn) {
          return Status(ErrorCode::kCorrupt, where + ": turn " + std::to_string(judged.turn) +
                                                 " of attempt " + std::to_string(*judged.attempt) +
                                                 " occurs twice");
        }
        if (judged.Precedes(before)) before = std::move(judged);
        continue;
      }
    }
    turns.push_back(std::move(judged));
  }
  if (file.bad()) return Status::FromErrno("cannot read", path);
  for (const auto& [name, attempt] : attempts) {
    const bool is_whole = attempt.begins_at == 1;
    turns[attempt.place].counts = is_whole;
    (is_whole ? read.other_turns : read.retries) += attempt.lines - (is_whole ? 1 : 0);
  }
  for (JudgedTurn& turn : turns) {
    if (turn.counts) read.samples.push_back(std::move(turn.sample));
  }
  return read;
}

}  // namespace kernelmill
