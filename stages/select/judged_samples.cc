#include "stages/select/judged_samples.h"

#include <algorithm>
#include <optional>

#include "corpora/operators/operator_row.h"
#include "corpora/records/task.h"
#include "corpora/token_estimate.h"
#include "generators/known_task/known_task.h"
#include "generators/task_rows/row_writers.h"
#include "parsers/fingerprints/answer_fingerprint.h"
#include "parsers/samples/message_code.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/samples/joined_sample.h"
#include "stages/samples/run_verdicts.h"
#include "stages/scores/task_lookup.h"
#include "stages/select/sample_objection.h"

namespace kernelmill {
namespace {

// What is the same for all samples of a task.
struct SelectedFrom {
  std::optional<KnownTask> known;  // Nothing if the task was not admitted.
  TaskTraits traits;
  std::string excluded;
  std::string reference;
};

Result<SelectedFrom> TaskOf(const RunTasks& tasks, const Digest& id, const SelectOptions& options) {
  SelectedFrom task;
  const auto annotation = tasks.annotations.find(id);
  const Record& record = tasks.records.at(id);
  const bool admitted = annotation != tasks.annotations.end();
  KM_ASSIGN(task.traits, TraitsOf(record, admitted ? &annotation->second : nullptr));
  KM_ASSIGN(Task payload, Task::FromJson(record.payload));
  task.reference = std::move(payload.code);
  if (!tasks.ProtectedAs(id).empty() && !options.allow_protected) task.excluded = "protected";
  if (task.excluded.empty() && !admitted) task.excluded = "not_admitted";
  if (!task.excluded.empty()) return task;
  KM_ASSIGN(task.known, KnownTask::Of(record, {annotation->second}));
  task.known->seed = options.seed;
  return task;
}

// The first family, in alphabetical order, that is more than element by element: one of several,
// but always the same one.
std::string MainFamily(const std::vector<std::string>& families) {
  for (const std::string& family : families) {
    if (family != OperatorFamilyName(OperatorFamily::kElementwise) &&
        family != OperatorFamilyName(OperatorFamily::kActivation)) {
      return family;
    }
  }
  return families.empty() ? "" : families.front();
}

Result<std::int64_t> TokensOf(const TrainingRecord& training,
                              const std::optional<Tokenizer>& tokenizer) {
  if (!tokenizer) {
    const TokenEstimate tokens = EstimateTokens(training);
    return tokens.prompt + tokens.answer;
  }
  std::int64_t tokens = 0;
  for (const Message& message : training.messages) {
    KM_ASSIGN(const std::int64_t counted, tokenizer->Count(message.content));
    tokens += counted;
  }
  return tokens;
}

// Why the text of a sample must not be trained; "" if it may be.
std::string ObjectionTo(const Sample& sample, const std::string& code) {
  const std::string_view objection = SampleObjection({.message = sample.message,
                                                      .reasoning = sample.reasoning,
                                                      .judged_code = code,
                                                      .cut = sample.cut,
                                                      .code_only = sample.code_only});
  if (!objection.empty()) return std::string(objection);
  if (IsWithoutQuestion(sample)) return "without_question";
  std::vector<std::string_view> texts = {sample.message, sample.reasoning};
  for (const Message& message : sample.prompt) texts.push_back(message.content);
  for (const std::string_view text : texts) {
    if (const std::string_view refused = RefuseText(text); !refused.empty()) {
      return std::string(refused);
    }
  }
  return "";
}

std::int64_t SectorsOf(const Verdict& verdict) {
  std::int64_t sectors = 0;
  for (const VerdictLaunch& launch : verdict.launches) {
    if (launch.counts) sectors += launch.counts->GlobalSectors();
  }
  return sectors;
}

// What a device says of a sample that the judge has found correct.
void Believe(const Measurement& measurement, JudgedSamples::Entry* entry, JudgedSample* judged) {
  if (measurement.IsFailure()) {
    judged->correct = false;
    judged->fails_on_device = true;
    return;
  }
  entry->speedup = measurement.SpeedUp();
  if (measurement.answer) judged->seconds = measurement.answer->median_ms / 1000;
}

}  // namespace

Result<JudgedSamples> JudgedSamples::Of(const Run& run, const SelectOptions& options) {
  JudgedSamples all;
  KM_ASSIGN(all.tasks, RunTasks::Of(run));
  KM_ASSIGN(auto verdicts, VerdictsOf(run));
  std::map<Digest, SelectedFrom> tasks;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
        KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
        const auto [at, is_new] = tasks.try_emplace(sample.task);
        SelectedFrom& task = at->second;
        if (is_new) {
          KM_ASSIGN(task, TaskOf(all.tasks, sample.task, options));
        }
        const auto verdict = verdicts.find(joined.key);
        if (verdict == verdicts.end()) {
          return Status(ErrorCode::kInternal, "the sample " + joined.key + " has no verdict");
        }
        Entry entry;
        entry.key = joined.key;
        entry.task = sample.task;
        entry.verdict = std::move(verdict->second);
        entry.excluded = task.excluded;
        JudgedSample judged;
        judged.id = joined.record.ContentId();
        judged.task = sample.task.Hex();
        judged.backend = sample.backend;
        judged.judged = IsAboutCandidate(entry.verdict.status);
        judged.correct = entry.verdict.status == VerdictStatus::kCorrect;
        judged.level = static_cast<int>(task.traits.level);
        judged.family = MainFamily(task.traits.families);
        const std::optional<std::string> code = CodeOfSample(sample);
        if (judged.correct) {
          const Measurement* const measured = options.measurements.Find(task.reference, sample);
          if (measured != nullptr) Believe(*measured, &entry, &judged);
        }
        if (code && task.known) {
          const AnswerFingerprint fingerprint = ReadAnswerFingerprint(*code);
          judged.cluster = fingerprint.Cluster();
          entry.structure = fingerprint.Text();
          judged.objection = ObjectionTo(sample, *code);
          judged.sectors = SectorsOf(entry.verdict);
          judged.sizes_passed = std::count_if(
              entry.verdict.trials.begin(), entry.verdict.trials.end(), [&](const auto& trial) {
                return trial.passed && !trial.IsAskedBy(entry.verdict.contract);
              });
          const WrittenRow row =
              SampleTranslateRow(*task.known, {.id = judged.id, .sample = sample});
          KM_ASSIGN(judged.tokens, TokensOf(row.training, options.tokenizer));
        }
        all.entries.push_back(std::move(entry));
        all.judged.push_back(std::move(judged));
        return Status::Ok();
      }));
  return all;
}

}  // namespace kernelmill
