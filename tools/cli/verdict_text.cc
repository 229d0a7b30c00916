#include "tools/cli/verdict_text.h"

#include <unistd.h>

#include <cstdio>
#include <optional>

#include "corpora/records/verdict.h"
#include "generators/feedback/verdict_feedback.h"
#include "manifests/printable.h"
#include "tools/cli/terminal.h"

namespace kernelmill {
namespace {

const Json::Array& ListAt(const Json& json, std::string_view key) {
  static const Json::Array kNone;
  const Json* value = json.Find(key);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

// VerdictCounts::ToJson() in one line.
std::string CountsText(const Json& counts) {
  const auto number = [&](std::string_view key) { return std::to_string(counts.IntegerAt(key)); };
  std::string text =
      "    " + number("blocks") + " blocks, " + number("threads") + " threads; global loads " +
      number("global_load_requests") + " in " + number("global_load_sectors") +
      " sectors, stores " + number("global_store_requests") + " in " +
      number("global_store_sectors") + ", atomics " + number("global_atomics") + "; shared loads " +
      number("shared_load_requests") + ", stores " + number("shared_store_requests") +
      ", bank conflicts " + number("bank_conflicts") + ", atomics " + number("shared_atomics");
  const Json* const lanes = counts.Find("lanes_of_request");
  if (lanes != nullptr && lanes->is_double()) {
    char rounded[32];
    std::snprintf(rounded, sizeof rounded, "; %.1f lanes a request", lanes->as_double());
    text += rounded;
  }
  return text + "\n";
}

// A grade of VerdictGenerality in words.
std::string GradeText(const Json& verdict, std::string_view part) {
  const std::string grade = verdict.Find("generality")->TextAt(part);
  if (grade == GradeName(Grade::kAll)) return "right";
  if (grade == GradeName(Grade::kNotTried)) return "not tried";
  return grade;
}

// Formats a verdict (Verdict::ToJson()) for users.
std::string TextOf(const Json& verdict) {
  const std::string status = verdict.TextAt("status"), reason = verdict.TextAt("reason");
  const std::string detail = verdict.TextAt("detail"), feedback = verdict.TextAt("feedback");
  std::string text = status;
  for (const VerdictReason& known : AllVerdictReasons()) {
    if (StatusName(known.status) == status && known.name == reason) {
      text += " (" + reason + ": " + std::string(known.explanation) + ")";
    }
  }
  text += "\n  gate " + verdict.TextAt("gate") + ", policy " + verdict.TextAt("policy") + ", " +
          verdict.TextAt("backend") + " for " + verdict.TextAt("target") + " on the CPU executor";
  text += "\n  contract " + verdict.TextAt("contract") +
          "; other sizes: " + GradeText(verdict, "sizes") +
          "; other layouts: " + GradeText(verdict, "layouts") +
          "; rare values: " + GradeText(verdict, "values") +
          "; module's buffers: " + GradeText(verdict, "buffers");
  const Json::Array& trials = ListAt(verdict, "trials");
  const Result<VerdictFullSize> full_size = VerdictFullSize::FromJson(*verdict.Find("full_size"));
  if (full_size.ok() && full_size->state != "same" && !trials.empty()) {
    text += "\n  at smaller sizes than the task's own:";
    for (const Json& size : ListAt(verdict, "sizes")) {
      for (const Json& name : ListAt(size, "names")) {
        text += " " + name.as_string() + "=" + std::to_string(size.IntegerAt("value"));
      }
    }
  }
  text += "\n";
  if (full_size.ok() && status == StatusName(VerdictStatus::kCorrect)) {
    const std::string sizes = FullSizeText(*full_size);
    if (!sizes.empty()) text += "  " + sizes + "\n";
  }
  for (const Json& launch : ListAt(verdict, "launches")) {
    const std::int64_t count = launch.IntegerAt("count");
    text += "  launched " + launch.TextAt("kernel") +
            (count > 1 ? ", " + std::to_string(count) + " times" : "") + "\n";
    const Json* const counts = launch.Find("counts");
    if (counts != nullptr && counts->is_object()) text += CountsText(*counts);
  }
  std::int64_t passed = 0;
  for (const Json& trial : trials) passed += *trial.Find("passed") == Json(true) ? 1 : 0;
  if (!trials.empty()) {
    text +=
        "  passed " + std::to_string(passed) + " of " + std::to_string(trials.size()) + " trials\n";
  }
  // Verdicts that say nothing about the candidate have no feedback.
  if (feedback.empty() && !detail.empty()) text += detail + "\n";
  if (status != StatusName(VerdictStatus::kCorrect) && !feedback.empty()) text += "\n" + feedback;
  return text;
}

}  // namespace

std::string PaintedVerdict(const Json& verdict) {
  const std::string text = Printable(TextOf(verdict)), status = verdict.TextAt("status");
  const bool correct = status == StatusName(VerdictStatus::kCorrect);
  return Terminal::Of(STDOUT_FILENO).Painted(correct ? Ink::kGood : Ink::kBad, status) +
         text.substr(status.size());
}

std::string MeasurementText(const Measurement& measurement) {
  const DeviceIdentity& device = measurement.device;
  std::string text = "  on " + device.name + ": ";
  if (measurement.outcome != MeasurementOutcome::kMeasured) {
    return text + std::string(OutcomeName(measurement.outcome)) + "\n" + measurement.detail + "\n";
  }
  const auto times = [](const TimeSpread& spread) {
    char rounded[96];
    std::snprintf(rounded, sizeof rounded, "%.4g ms (%.4g to %.4g)", spread.median_ms,
                  spread.low_ms, spread.high_ms);
    return std::string(rounded);
  };
  text += times(*measurement.answer) + ", PyTorch " + times(*measurement.eager);
  if (measurement.compiled) text += ", torch.compile " + times(*measurement.compiled);
  char rounded[48];
  std::snprintf(rounded, sizeof rounded, ": %.2f times as fast as PyTorch", *measurement.SpeedUp());
  text += rounded;
  if (measurement.IsDisturbed()) text += "; the device was in use just before";
  return text + "\n";
}

}  // namespace kernelmill
