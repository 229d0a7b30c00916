#include "stages/recipes/sample_verdicts.h"

#include <filesystem>
#include <fstream>
#include <map>

#include "corpora/records/task.h"
#include "corpora/records/verdict.h"
#include "corpora/reject.h"
#include "corpora/shards/shard.h"
#include "manifests/file_writer.h"
#include "parsers/samples/message_code.h"
#include "stages/samples/joined_sample.h"
#include "stages/scores/task_lookup.h"
#include "stages/scores/verdict_file.h"
#include "stages/verify/run/verify_step.h"

namespace kernelmill {
namespace {

// The verdicts without their samples' places, by key.
Result<ShardSorter> JudgedLines(const Run& run) {
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), nullptr));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("verify", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json line, Json::Parse(body));
        return sorter.Put(line.TextAt("key"), body);
      }));
  return sorter;
}

struct PlacedSample {
  std::string sample;
  bool retry = false;  // It answers a repair prompt.
  Json place;
};

Result<std::map<std::string, PlacedSample>> PlacesOf(const Run& run) {
  std::map<std::string, PlacedSample> places;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
        places[joined.key] = {joined.record.ContentId().Hex(), !joined.repaired.empty(),
                              joined.place.ToJson()};
        return Status::Ok();
      }));
  return places;
}

Json::Object RejectedLine(const Reject& reject) {
  Json::Object rejected = JsonOfBytes(reject.original);
  rejected["reason"] = reject.reason;
  rejected["problem"] = reject.detail;
  Json::Object line;
  for (const char* key : {"id", "task", "attempt"}) line[key] = Json();
  line["key"] = reject.key;
  line["turn"] = 1;
  line["rejected"] = std::move(rejected);
  return line;
}

}  // namespace

Status WriteSampleVerdicts(const Run& run, const std::string& path) {
  KM_ASSIGN(const auto places, PlacesOf(run));
  KM_ASSIGN(ShardSorter lines, JudgedLines(run));
  // A file that a killed run left must not be published as it is.
  std::error_code error;
  std::filesystem::remove(path, error);
  KM_ASSIGN(FileWriter file, FileWriter::Create(path));
  KM_RETURN_IF_ERROR(
      lines.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        KM_ASSIGN(Json line, Json::Parse(body));
        const PlacedSample& placed = places.at(std::string(key));
        line["sample"] = placed.sample;
        line["place"] = placed.place;
        if (placed.retry) line["retry"] = true;
        return file.Append(line.Dump() + "\n");
      }));
  KM_RETURN_IF_ERROR(
      run.ForEachReject("join", [&](std::string_view, std::string_view bytes) -> Status {
        KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
        return file.Append(Json(RejectedLine(reject)).Dump() + "\n");
      }));
  return file.Finish();
}

Status WriteSampleMeasurements(const Run& run, const AnswerMeasurements& measurements,
                               const std::string& verdicts, const std::string& path) {
  std::map<std::string, Digest> answers;  // By key, of samples with a measurement.
  if (!measurements.empty()) {
    KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
    std::map<Digest, std::string> references;
    KM_RETURN_IF_ERROR(
        run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
          KM_ASSIGN(const Json json, Json::Parse(body));
          KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
          KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
          const auto [reference, is_new] = references.try_emplace(sample.task);
          if (is_new) {
            KM_ASSIGN(Task task, Task::FromJson(tasks.records.at(sample.task).payload));
            reference->second = std::move(task.code);
          }
          const Digest answer =
              AnswerId(reference->second, sample.backend, CodeOfSample(sample).value_or(""));
          if (measurements.contains(answer)) answers[joined.key] = answer;
          return Status::Ok();
        }));
  }
  std::error_code error;
  std::filesystem::remove(path, error);
  KM_ASSIGN(FileWriter file, FileWriter::Create(path));
  std::ifstream lines(verdicts, std::ios::binary);
  if (!lines) return Status::FromErrno("cannot open", verdicts);
  for (std::string text; std::getline(lines, text);) {
    KM_ASSIGN(const Json line, Json::Parse(text));
    const Json* const verdict = line.Find("verdict");
    const auto answer = answers.find(line.TextAt("key"));
    if (verdict == nullptr || answer == answers.end() ||
        verdict->TextAt("status") != StatusName(VerdictStatus::kCorrect)) {
      continue;
    }
    KM_RETURN_IF_ERROR(file.Append(MeasuredLine{line.TextAt("key"), line.TextAt("fingerprint"),
                                                answer->second, measurements.at(answer->second)}
                                       .Text()));
  }
  if (lines.bad()) return Status::FromErrno("cannot read", verdicts);
  return file.Finish();
}

Result<VerdictSamples> ReadSampleVerdicts(const std::string& path, const RunTasks& tasks) {
  std::map<std::string, TaskTraits> traits;
  for (const auto& [id, record] : tasks.records) {
    const auto annotation = tasks.annotations.find(id);
    KM_ASSIGN(
        traits[id.Hex()],
        TraitsOf(record, annotation == tasks.annotations.end() ? nullptr : &annotation->second));
  }
  return ReadVerdictSamples(path, TasksKnown(std::move(traits), "this run"));
}

}  // namespace kernelmill
