#include "stages/recipes/sample_verdicts.h"

#include <filesystem>
#include <fstream>
#include <map>

#include "corpora/records/task.h"
#include "corpora/records/verdict.h"
#include "corpora/reject.h"
#include "corpora/shards/shard.h"
#include "manifests/file_writer.h"
#include "manifests/json_bytes.h"
#include "stages/samples/joined_sample.h"
#include "stages/scores/task_lookup.h"
#include "stages/scores/verdict_file.h"

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

Result<std::int64_t> WriteSampleMeasurements(const Run& run, const SampleMeasurements& measurements,
                                             const std::string& verdicts, const std::string& path) {
  struct Measured {
    Digest answer;
    const Measurement* measurement = nullptr;
  };
  std::map<std::string, Measured> measured;  // By key.
  if (!measurements.empty()) {
    KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
    KM_RETURN_IF_ERROR(
        run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
          KM_ASSIGN(const Json json, Json::Parse(body));
          KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
          KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
          KM_ASSIGN(const Task task, Task::FromJson(tasks.records.at(sample.task).payload));
          if (const Measurement* const found = measurements.Find(task.code, sample)) {
            measured[joined.key] = {*SampleMeasurements::IdOf(task.code, sample), found};
          }
          return Status::Ok();
        }));
  }
  std::int64_t count = 0;
  std::error_code error;
  std::filesystem::remove(path, error);
  KM_ASSIGN(FileWriter file, FileWriter::Create(path));
  std::ifstream lines(verdicts, std::ios::binary);
  if (!lines) return Status::FromErrno("cannot open", verdicts);
  for (std::string text; std::getline(lines, text);) {
    KM_ASSIGN(const Json line, Json::Parse(text));
    const Json* const verdict = line.Find("verdict");
    const std::string key = line.TextAt("key");
    const auto found = measured.find(key);
    if (verdict == nullptr || found == measured.end() ||
        verdict->TextAt("status") != StatusName(VerdictStatus::kCorrect)) {
      continue;
    }
    const MeasuredLine written = {key, line.TextAt("fingerprint"), found->second.answer,
                                  *found->second.measurement};
    KM_RETURN_IF_ERROR(file.Append(written.Text()));
    ++count;
  }
  if (lines.bad()) return Status::FromErrno("cannot read", verdicts);
  KM_RETURN_IF_ERROR(file.Finish());
  return count;
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
