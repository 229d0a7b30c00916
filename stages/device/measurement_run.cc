#include "stages/device/measurement_run.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <utility>

#include "corpora/records/verdict.h"
#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/pipeline.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

struct CorrectAnswer : PipelineItem {
  std::string key, fingerprint;
  Digest id;  // AnswerId().
  const VerifyItem* item = nullptr;
  const KernelBackend* backend = &kCudaBackend;
  std::optional<Measurement> measurement;  // Of an earlier run, or once it is measured.
  bool reused = false;
};

std::string LineOf(const CorrectAnswer& answer) {
  return MeasuredLine{answer.key, answer.fingerprint, answer.id, *answer.measurement}.Text();
}

// The correct answers of verdicts.jsonl, in its order.
Result<std::vector<std::unique_ptr<CorrectAnswer>>> CorrectAnswers(
    const std::vector<VerifyItem>& items, const std::string& path) {
  std::map<std::string, const VerifyItem*> by_key;
  for (const VerifyItem& item : items) by_key[item.key] = &item;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::vector<std::unique_ptr<CorrectAnswer>> answers;
  std::int64_t number = 0;
  for (std::string text; std::getline(file, text);) {
    const std::string where = path + ":" + std::to_string(++number);
    const Result<Json> line = Json::Parse(text);
    if (!line.ok()) return line.status().Within(where);
    const Json* const verdict = line->Find("verdict");
    if (verdict == nullptr || verdict->TextAt("status") != StatusName(VerdictStatus::kCorrect)) {
      continue;
    }
    auto answer = std::make_unique<CorrectAnswer>();
    answer->key = line->TextAt("key");
    answer->fingerprint = line->TextAt("fingerprint");
    KM_ASSIGN(answer->backend, KernelBackendNamed(verdict->TextAt("backend")));
    if (answer->backend != &kCudaBackend) continue;
    const auto item = by_key.find(answer->key);
    if (item == by_key.end()) {
      return Status(ErrorCode::kCorrupt, where + ": no answer has the key " + answer->key);
    }
    answer->item = item->second;
    KM_ASSIGN(const std::optional<std::string> code, answer->item->read_code());
    answer->id = AnswerId(*answer->item->reference, answer->backend->name, code.value_or(""));
    answers.push_back(std::move(answer));
  }
  return answers;
}

bool LacksCompiled(const Measurement& measurement) {
  return measurement.answer && !measurement.compiled;
}

class MeasuringPipeline : public Pipeline {
 public:
  MeasuringPipeline(std::vector<std::unique_ptr<CorrectAnswer>> answers, MeasuringDevice& device,
                    const MeasurementRunOptions& options, std::ofstream file)
      : answers_(std::move(answers)),
        device_(device),
        options_(options),
        file_(std::move(file)),
        progress_("measure", static_cast<std::int64_t>(answers_.size()), 0) {}

  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (next_ == answers_.size()) return std::unique_ptr<PipelineItem>();
    return std::unique_ptr<PipelineItem>(std::move(answers_[next_++]));
  }

  Result<std::unique_ptr<Lane>> OpenLane() override { return std::make_unique<Lane>(); }

  Status Process(PipelineItem& item, Lane&) override {
    auto& answer = static_cast<CorrectAnswer&>(item);
    if (answer.measurement) return Status::Ok();
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const std::optional<std::string> code, answer.item->read_code());
    KM_ASSIGN(answer.measurement, device_.Measure({.reference = *answer.item->reference,
                                                   .code = code.value_or(""),
                                                   .backend = answer.backend,
                                                   .training = options_.training,
                                                   .seed = DigestOf(answer.fingerprint).Prefix64(),
                                                   .tolerance = options_.tolerance,
                                                   .half_tolerance = options_.half_tolerance}));
    // At once, not in Take(), which waits for the answers before it: a kill loses only what runs.
    const std::scoped_lock lock(mutex_);
    file_ << LineOf(answer) << std::flush;
    if (file_) return Status::Ok();
    return Status(ErrorCode::kIo, "cannot write " + options_.folder + "/" + kMeasurementsName);
  }

  Status Take(PipelineItem& item) override {
    const auto& answer = static_cast<const CorrectAnswer&>(item);
    const Measurement& measurement = *answer.measurement;
    lines_ += LineOf(answer);
    counts_.in = ++counts_.kept;
    progress_.Update(counts_);
    ++(answer.reused ? summary_.reused : summary_.measured);
    ++summary_.outcomes[std::string(OutcomeName(measurement.outcome))];
    summary_.disturbed += measurement.IsDisturbed() ? 1 : 0;
    summary_.not_compiled += options_.compiled && LacksCompiled(measurement) ? 1 : 0;
    if (const std::optional<double> speed_up = measurement.SpeedUp()) {
      logarithms_ += std::log(*speed_up);
      ++timed_;
    }
    return Status::Ok();
  }

  // All lines, in the order of the verdicts.
  const std::string& lines() const { return lines_; }

  MeasurementSummary Summary() {
    progress_.Finish(counts_);
    if (timed_ > 0) summary_.mean_speedup = std::exp(logarithms_ / static_cast<double>(timed_));
    return summary_;
  }

 private:
  std::vector<std::unique_ptr<CorrectAnswer>> answers_;
  MeasuringDevice& device_;
  const MeasurementRunOptions& options_;
  std::mutex mutex_;  // Of the file.
  std::ofstream file_;
  Progress progress_;
  StepCounts counts_;
  std::string lines_;
  std::size_t next_ = 0;
  MeasurementSummary summary_;
  double logarithms_ = 0;
  std::int64_t timed_ = 0;
};

}  // namespace

Result<MeasurementSummary> MeasureCorrect(const std::vector<VerifyItem>& items,
                                          MeasuringDevice& device,
                                          const MeasurementRunOptions& options) {
  const std::string path = options.folder + "/" + kMeasurementsName;
  KM_ASSIGN(auto answers, CorrectAnswers(items, options.folder + "/verdicts.jsonl"));
  std::map<std::string, MeasuredLine> before;
  if (!options.fresh) {
    KM_ASSIGN(before, ReadMeasurements(path));
  }
  // Until the end, the file holds what is kept and then what is new: a killed run loses little.
  std::string kept;
  for (const std::unique_ptr<CorrectAnswer>& answer : answers) {
    const auto found = before.find(answer->key);
    if (found == before.end() || found->second.fingerprint != answer->fingerprint ||
        found->second.measurement.device != device.Identity() ||
        (options.compiled && LacksCompiled(found->second.measurement))) {
      continue;
    }
    answer->measurement = std::move(found->second.measurement);
    answer->reused = true;
    kept += LineOf(*answer);
  }
  KM_RETURN_IF_ERROR(ReplaceFile(path, kept));
  std::ofstream file(path, std::ios::binary | std::ios::app);
  MeasuringPipeline pipeline(std::move(answers), device, options, std::move(file));
  KM_RETURN_IF_ERROR(RunInOrder(pipeline, options.jobs));
  KM_RETURN_IF_ERROR(ReplaceFile(path, pipeline.lines()));
  return pipeline.Summary();
}

Json MeasurementSummary::ToJson() const {
  return Json::Object{{"measured", measured},
                      {"reused", reused},
                      {"outcomes", Json::Object(outcomes.begin(), outcomes.end())},
                      {"disturbed", disturbed},
                      {"not_compiled", not_compiled},
                      {"mean_speedup", mean_speedup ? Json(*mean_speedup) : Json()}};
}

std::string MeasurementSummary::Text() const {
  std::string text = "on the device: ";
  if (outcomes.empty()) return text + "no correct answer to measure\n";
  std::string separator;
  for (const auto& [name, count] : outcomes) {
    text += std::exchange(separator, ", ") + std::to_string(count) + " " + name;
  }
  if (reused > 0) text += "; " + std::to_string(reused) + " of them from an earlier run";
  if (disturbed > 0)
    text += "; " + std::to_string(disturbed) + " on a device that was in use just before";
  if (not_compiled > 0) {
    text += "; " + std::to_string(not_compiled) +
            " without a time under torch.compile (\"detail\" says why)";
  }
  if (mean_speedup) {
    char times[32];
    std::snprintf(times, sizeof times, "%.2f", *mean_speedup);
    text += "; " + std::string(times) + " times as fast as PyTorch (geometric mean)";
  }
  return text + "\n";
}

}  // namespace kernelmill
