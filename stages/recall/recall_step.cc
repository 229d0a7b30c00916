#include "stages/recall/recall_step.h"

#include <algorithm>
#include <map>
#include <set>

#include "corpora/benchmark_table.h"
#include "corpora/dataset/dataset_reader.h"
#include "manifests/json_fields.h"
#include "stages/publishable/excluded_source.h"
#include "stages/retry/retry_folder.h"
#include "stages/samples/sample_tasks.h"

namespace kernelmill {
namespace {

using Visit = std::function<Status(const Record& task)>;

Status ForEachTask(const Run& run, const ResolvedSources& sources, const Visit& visit) {
  for (const TaskDataset& dataset : sources.datasets) {
    KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset.folder));
    KM_RETURN_IF_ERROR(
        reader.ForEach(Digest(), [&](const Digest&, const Record& record, bool*) -> Status {
          return record.kind == RecordKind::kTask ? visit(record) : Status::Ok();
        }));
  }
  if (sources.tasks.empty()) return Status::Ok();
  return run.ForEachOutput("supply", [&](std::string_view, std::string_view body) -> Status {
    KM_ASSIGN(const Record record, Record::Decode(body));
    return visit(record);
  });
}

// The names that samples have for their tasks.
Result<std::set<std::string>> NamedTasks(const std::vector<SampleSource>& sources) {
  std::set<std::string> names;
  for (const SampleSource& source : sources) {
    KM_RETURN_IF_ERROR(ForEachSampleLine(source, [&](const SampleLine& line) {
      for (const ModelSample& sample : line.parsed.samples) names.insert(sample.task);
      return Status::Ok();
    }));
  }
  return names;
}

// The benchmark of a task that was supplied from one as a whole; "" otherwise.
std::string BenchmarkOf(const Record& task, const std::vector<std::string>& urls) {
  for (const Origin& origin : task.origins) {
    if (origin.supplied() && std::find(urls.begin(), urls.end(), origin.url) != urls.end()) {
      return origin.url + " " + origin.path;
    }
  }
  return "";
}

}  // namespace

std::vector<ConfigKey> RecallKeys() {
  return {
      {kTasksKey,
       ConfigType::kItems,
       Json::Array(),
       "",
       "The tasks that the samples answer, for `rft`.",
       {},
       {{"dataset", ConfigType::kString, "", "",
         "A dataset that kernelmill wrote. Relative paths are relative to this file."},
        {"file", ConfigType::kString, "", "",
         "Instead of dataset: a file of references, as sources[].tasks."},
        {"kernelbench", ConfigType::kString, "", "",
         "Instead of dataset: a checkout of KernelBench. Its problems are protected."},
        {"sha256", ConfigType::kString, "", "", "The SHA-256 that the file must have."},
        {"url", ConfigType::kString, "", "", "Of a file: the origin to record."},
        {"name", ConfigType::kString, "", "", "Of a file: its name in origins."},
        {"column", ConfigType::kString, "", "", "Of a file: the column of the references."},
        {"licence", ConfigType::kString, "", "",
         "Of a file: the SPDX expression for rows without a licence of their own."}}},
      SamplesConfigKey(),
      {kAllowProtectedKey, ConfigType::kBool, false, "",
       "Whether samples of protected benchmark problems become rows. The dataset, its card and "
       "these rows are then marked as contaminated."},
  };
}

Json RecallStep::Parameters() const {
  if (excluded_.empty()) return Json::Object{};
  return Json::Object{{"exclude_sources", ToJson(excluded_)}};
}

Run::Propose RecallStep::Inputs(const StepContext& context) {
  return [&run = context.run, &sources = context.sources,
          wanted = context.wanted](const Run::Emit& emit) -> Status {
    SampleTasks tasks;
    std::set<Digest> ids;
    KM_RETURN_IF_ERROR(ForEachTask(run, sources, [&](const Record& task) {
      tasks.Add(task);
      ids.insert(task.ContentId());
      return Status::Ok();
    }));
    KM_ASSIGN(const std::set<std::string> names, NamedTasks(sources.samples));
    std::set<Digest> asked;
    // Repair prompts name tasks by the content_id that they have once they are admitted.
    if (sources.previous) {
      std::map<std::string, Digest> admitted;  // By their text.
      for (const auto& [id, record] : sources.previous->records) {
        if (record.kind == RecordKind::kTask && !ids.contains(id)) {
          admitted[record.payload.TextAt("code")] = id;
        }
      }
      KM_RETURN_IF_ERROR(ForEachTask(run, sources, [&](const Record& task) {
        const auto found = admitted.find(task.payload.TextAt("code"));
        if (found != admitted.end()) tasks.AddAlias(found->second, task.ContentId());
        return Status::Ok();
      }));
    }
    for (const std::string& name : names) {
      if (const Result<Digest> task = tasks.Find(name); task.ok()) asked.insert(*task);
    }
    return ForEachTask(run, sources, [&](const Record& task) -> Status {
      const Digest id = task.ContentId();
      const bool is_asked = sources.samples.empty() || asked.contains(id);
      const bool is_wanted = is_asked && (!wanted || wanted(task.origins));
      return emit(std::string(id.AsKey()),
                  Json(Json::Object{{"record", task.Encode()},
                                    {"asked", is_wanted},
                                    {"protected", BenchmarkOf(task, sources.protected_urls)}})
                      .Dump());
    });
  };
}

Result<std::string> RecallStep::Merge(std::string_view a, std::string_view b) {
  KM_ASSIGN(Json merged, Json::Parse(a));
  KM_ASSIGN(const Json other, Json::Parse(b));
  KM_ASSIGN(Record record, Record::Decode(merged.TextAt("record")));
  KM_ASSIGN(const Record twin, Record::Decode(other.TextAt("record")));
  record.Merge(twin);
  merged["record"] = record.Encode();
  merged["asked"] = merged.Find("asked")->as_bool() || other.Find("asked")->as_bool();
  merged["protected"] = std::max(merged.TextAt("protected"), other.TextAt("protected"));
  return merged.Dump();
}

Result<Outcome> RecallStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  KM_ASSIGN(Record record, Record::Decode(json.TextAt("record")));
  if (!json.Find("asked")->as_bool()) {
    Outcome outcome = Outcome::Drop("no_samples");
    outcome.origins = record.origins;
    return outcome;
  }
  if (AreExcluded(record.origins, excluded_)) return Outcome::Drop("source_excluded");
  std::erase_if(record.origins,
                [&](const Origin& origin) { return IsExcluded(origin.url, excluded_); });
  const std::string benchmark = json.TextAt("protected");
  if (!benchmark.empty()) record.attributes[kProtectedAttribute] = benchmark;
  return Outcome::Keep({{input.key, record.Encode()}});
}

}  // namespace kernelmill
