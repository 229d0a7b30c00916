#include "stages/buffer/buffer_step.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "corpora/benchmark_table.h"
#include "corpora/token_estimate.h"
#include "generators/known_task/known_task.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/buffer/round_groups.h"
#include "stages/retry/repair_prompt.h"
#include "stages/retry/retry_draw.h"
#include "stages/retry/retry_round.h"
#include "stages/samples/run_tasks.h"

namespace kernelmill {
namespace {

// In the folder of a run's steps: the generation of the round, and the slots of its draw.
constexpr char kGenerationState[] = "steps/retry_buffer.jsonl";
constexpr char kSlotsState[] = "steps/retry_slots.json";
constexpr char kRequestKey[] = "request/", kRecordKey[] = "record/";

RetryFile PreviousFile(const RetryFolder* previous, const RetryOptions& options) {
  return previous == nullptr ? RetryFile::First(options) : previous->file;
}

// Entries of problems that must not be trained: the round before allowed them, or did not know.
Status CheckProtected(const RetryFolder* previous, const RunTasks& tasks,
                      const BufferOptions& options) {
  if (previous == nullptr || options.allow_protected) return Status::Ok();
  for (const RetryEntry& entry : previous->file.generation.entries) {
    const Digest& task = entry.key.task;
    const bool was = previous->records.at(task).attributes.contains(kProtectedAttribute);
    if (!was && (!tasks.records.contains(task) || tasks.ProtectedAs(task).empty())) continue;
    return Status(ErrorCode::kConfig,
                  std::string(kPreviousRoundKey) + ": its buffer holds task " + task.Hex() +
                      ", a problem of a protected benchmark; set allow_protected to train it and "
                      "mark the dataset as contaminated, or begin with round 1");
  }
  return Status::Ok();
}

// The records that belong to an entry: its task, the annotation, and the samples that it shows.
Result<std::vector<std::string>> RecordsOf(const RetryEntry& entry, const RunTasks& tasks,
                                           const RoundGroups& round, const RetryFolder* previous) {
  std::vector<std::string> records;
  const auto task = tasks.records.find(entry.key.task);
  const auto annotation = tasks.annotations.find(entry.key.task);
  if (task != tasks.records.end() && annotation != tasks.annotations.end()) {
    records = {task->second.Encode(), annotation->second.Encode()};
  } else if (previous != nullptr && previous->AnnotationOf(entry.key.task) != nullptr) {
    records = {previous->records.at(entry.key.task).Encode(),
               previous->AnnotationOf(entry.key.task)->Encode()};
  }
  if (const auto shown = round.shown.find(entry.Sample()); shown != round.shown.end()) {
    records.insert(records.end(), shown->second.begin(), shown->second.end());
  } else if (previous != nullptr) {
    for (const Record* record : previous->ShownWith(entry.Sample())) {
      records.push_back(record->Encode());
    }
  }
  if (records.size() >= 3) return records;
  return Status(ErrorCode::kInternal, "the retry of " + entry.key.Name() + " lacks records");
}

// The request for the entry, or nothing if the prompt is over the budget.
Result<std::optional<RepairRequest>> RequestOf(const Json& input, const std::vector<Record>& about,
                                               const BufferOptions& options) {
  KM_ASSIGN(const RetryEntry entry, RetryEntry::FromJson(*input.Find("entry")));
  KM_ASSIGN(KnownTask known, KnownTask::Of(about.at(0), {about.at(1)}));
  known.seed = options.seed;
  KM_ASSIGN(RepairPrompt prompt, WriteRepairPrompt(entry, known));
  if (options.max_tokens > 0 && EstimateTokens(prompt.messages) > options.max_tokens) {
    return std::optional<RepairRequest>();
  }
  return std::optional<RepairRequest>({.key = entry.key,
                                       .retry = input.TextAt("retry"),
                                       .sample = entry.Sample(),
                                       .slot = input.IntegerAt("slot"),
                                       .prompt_template = std::move(prompt.prompt_template),
                                       .messages = std::move(prompt.messages)});
}

}  // namespace

std::vector<ConfigKey> RetryKeys() {
  const RetryOptions defaults;
  return {
      {kPreviousRoundKey, ConfigType::kString, "", "",
       "The dataset of the round before, whose retry buffer this round goes on with. Nothing for "
       "the first round."},
      {kRoundKey, ConfigType::kInteger, 0, "",
       "The number of the round, which `rft --round` sets. 0: the one after retry.previous.",
       kNotNegative},
      {"retry.slots", ConfigType::kInteger, 0, "prompts",
       "The prompts of the next round, among which repair prompts are drawn. 0: as many as this "
       "round has.",
       kNotNegative},
      {"retry.capacity", ConfigType::kInteger, defaults.capacity, "tasks",
       "The most tasks in the retry buffer; the oldest leave when there are more.", kAtLeastOne},
      {"retry.time_to_live", ConfigType::kInteger, defaults.time_to_live, "rounds",
       "A task leaves the retry buffer after so many rounds without a retry.", kAtLeastOne},
      {"retry.max_attempts", ConfigType::kInteger, defaults.max_attempts, "retries",
       "A task whose retries failed this often is parked: it does not come back.", kAtLeastOne},
      {"retry.max_probability", ConfigType::kNumber, defaults.max_probability, "",
       "The probability that a slot is a retry when the retry buffer holds retry.full_at tasks; "
       "with fewer it is smaller in proportion.",
       kFraction},
      {"retry.full_at", ConfigType::kInteger, defaults.full_at, "tasks",
       "From so many tasks on, slots are retries with retry.max_probability.", kAtLeastOne},
      {"retry.min_scored", ConfigType::kInteger, defaults.min_scored, "samples",
       "A task enters the retry buffer when at least so many of its samples were scored and none "
       "is correct.",
       kAtLeastOne},
      {"retry.choice", ConfigType::kString, "fifo", "",
       "Which task is retried: fifo (the oldest), or weighted (at random, close and young ones "
       "more often)."},
      {"retry.beta",
       ConfigType::kNumber,
       defaults.beta,
       "",
       "For weighted: the exponent of how close an answer came.",
       {0, 8}},
      {"retry.half_life",
       ConfigType::kNumber,
       defaults.half_life,
       "rounds",
       "For weighted: the age at which the weight of a task has halved.",
       {1, 1e6}},
  };
}

Result<BufferOptions> BufferOptions::Of(const Config& config) {
  BufferOptions options;
  RetryOptions& retry = options.retry;
  retry.capacity = config.Integer("retry.capacity");
  retry.time_to_live = config.Integer("retry.time_to_live");
  retry.max_attempts = config.Integer("retry.max_attempts");
  retry.max_probability = config.Number("retry.max_probability");
  retry.full_at = config.Integer("retry.full_at");
  retry.min_scored = config.Integer("retry.min_scored");
  KM_ASSIGN(retry.choice, RetryChoiceNamed(config.String("retry.choice")));
  retry.beta = config.Number("retry.beta");
  retry.half_life = config.Number("retry.half_life");
  KM_RETURN_IF_ERROR(retry.Check());
  options.slots = config.Integer("retry.slots");
  // Keys of every run, and of the steps "measure" and "recall".
  options.seed = config.Integer("seed");
  options.max_tokens = config.Integer("max_tokens");
  options.allow_protected = config.Bool("allow_protected");
  KM_ASSIGN(options.measurements, SampleMeasurements::Of(config));
  return options;
}

Json BufferStep::Parameters() const {
  return Json::Object{
      {"retry", options_.retry.ToJson()},
      {"slots", options_.slots},
      {"max_tokens", options_.max_tokens},
      {"seed", options_.seed},
      {"allow_protected", options_.allow_protected},
      {"measurements",
       options_.measurements.digest() ? Json(options_.measurements.digest()->Hex()) : Json()},
      {"previous", previous_ ? Json(previous_->digest.Hex()) : Json()}};
}

Run::Propose BufferStep::Inputs(const Run& run) const {
  return [this, &run](const Run::Emit& emit) -> Status {
    KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
    KM_RETURN_IF_ERROR(CheckProtected(previous_.get(), tasks, options_));
    KM_ASSIGN(const RoundGroups round,
              RoundGroups::Of(run, tasks, options_.retry, options_.allow_protected,
                              options_.measurements));
    const RetryFile before = PreviousFile(previous_.get(), options_.retry);
    KM_ASSIGN(const RetryGeneration next,
              NextRetryGeneration(before.generation, before.digest, round.groups, options_.retry));
    KM_ASSIGN(const std::vector<RetryItem> items,
              RetryItemsOf(before.generation, round.groups, round.left_out, next));
    Digest digest;
    KM_RETURN_IF_ERROR(
        ReplaceFile(run.StatePath(kGenerationState), EncodeRetryFile(next, &digest)));
    const std::int64_t slots = options_.slots > 0 ? options_.slots : round.prompts;
    KM_RETURN_IF_ERROR(ReplaceFile(run.StatePath(kSlotsState), Json(slots).Dump()));
    std::map<RetryKey, const RetryEntry*> entries;
    for (const RetryEntry& entry : next.entries) entries[entry.key] = &entry;
    std::map<RetryKey, std::int64_t> drawn;
    for (const RetryDraw& draw : DrawRetries(next, options_.retry, options_.seed, slots)) {
      drawn[next.entries[draw.entry].key] = draw.slot;
    }
    for (const RetryItem& item : items) {
      Json input = Json::Object{{"item", item.ToJson()}};
      if (item.fate == RetryFate::kKept) {
        const RetryEntry& entry = *entries.at(item.key);
        KM_ASSIGN(const std::vector<std::string> records,
                  RecordsOf(entry, tasks, round, previous_.get()));
        input["records"] = ToJson(records);
        if (const auto slot = drawn.find(item.key); slot != drawn.end()) {
          input["entry"] = entry.ToJson();
          input["slot"] = slot->second;
          input["retry"] = RetryName(digest);
        }
      }
      KM_RETURN_IF_ERROR(emit(item.key.task.Hex() + "/" + item.key.backend, input.Dump()));
    }
    return Status::Ok();
  };
}

Result<Outcome> BufferStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  KM_ASSIGN(const RetryItem item, RetryItem::FromJson(*json.Find("item")));
  if (item.fate != RetryFate::kKept) return Outcome::Drop(item.reason, item.key.Name());
  std::vector<Record> records;
  for (const Json& encoded : json.Find("records")->as_array()) {
    KM_ASSIGN(records.emplace_back(), Record::Decode(encoded.as_string()));
  }
  Outcome outcome = Outcome::Keep({});
  for (const Record& record : records) {
    outcome.outputs.push_back({kRecordKey + record.ContentId().Hex(), record.Encode()});
  }
  if (json.Find("entry") != nullptr) {
    KM_ASSIGN(const auto request, RequestOf(json, records, options_));
    outcome.counters.emplace_back(request ? "requests" : "over_budget", 1);
    if (request) outcome.outputs.push_back({kRequestKey + input.key, request->ToJson().Dump()});
  }
  outcome.origins = records.front().origins;
  return outcome;
}

Result<RetryFolder> RetryFolderOf(const Run& run, const RetryFolder* previous) {
  RetryFolder retry;
  KM_ASSIGN(retry.file, ReadRetryFile(run.StatePath(kGenerationState), std::nullopt));
  KM_ASSIGN(const std::string slots, ReadFile(run.StatePath(kSlotsState)));
  KM_ASSIGN(const Json number, Json::Parse(slots));
  retry.slots = number.as_int();
  if (previous != nullptr) retry.previous = previous->digest;
  KM_RETURN_IF_ERROR(
      run.ForEachInput("buffer", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(retry.items.emplace_back(), RetryItem::FromJson(*json.Find("item")));
        return Status::Ok();
      }));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("buffer", [&](std::string_view key, std::string_view body) -> Status {
        if (key.starts_with(kRequestKey)) {
          KM_ASSIGN(const Json json, Json::Parse(body));
          KM_ASSIGN(retry.requests.emplace_back(), RepairRequest::FromJson(json));
          return Status::Ok();
        }
        KM_ASSIGN(Record record, Record::Decode(body));
        const Digest id = record.ContentId();
        retry.records.emplace(id, std::move(record));
        return Status::Ok();
      }));
  std::sort(retry.requests.begin(), retry.requests.end(),
            [](const auto& a, const auto& b) { return a.slot < b.slot; });
  return retry;
}

}  // namespace kernelmill
