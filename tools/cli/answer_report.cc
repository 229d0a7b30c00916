#include "tools/cli/answer_report.h"

#include <algorithm>
#include <cstdio>

namespace kernelmill {
namespace {

constexpr std::string_view kCorrect = "correct";

std::string Of(std::int64_t part, std::int64_t whole) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld (%.1f %%)", static_cast<long long>(part),
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string Listed(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) text += std::to_string(count) + "\t" + name + "\n";
  return text;
}

Json Counts(const std::map<std::string, std::int64_t>& counts) {
  Json::Object object;
  for (const auto& [name, count] : counts) object.emplace(name, count);
  return object;
}

Json::Array Names(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

}  // namespace

int AnswerResult::Correct() const {
  return static_cast<int>(std::count_if(answers.begin(), answers.end(), [](const Answer& answer) {
    return answer.status == kCorrect;
  }));
}

Json AnswerResult::ToJson() const {
  Json::Array all;
  for (const Answer& answer : answers) {
    all.push_back(Json::Object{{"structure", answer.structure},
                               {"strategies", Names(answer.strategies)},
                               {"estimated_speed", answer.speed.calibrated},
                               {"modelled_speed", answer.speed.modelled},
                               {"status", answer.status.empty() ? Json() : Json(answer.status)},
                               {"reason", answer.reason.empty() ? Json() : Json(answer.reason)}});
  }
  return Json::Object{{"id", id},
                      {"level", level},
                      {"backend", backend},
                      {"operators", Names(operators)},
                      {"answers", std::move(all)},
                      {"refusal", obstacle.empty() ? Json() : Json(obstacle)},
                      {"outcome", outcome}};
}

void AnswerReport::Add(const AnswerResult& result) {
  const int correct = verified_ ? result.Correct() : static_cast<int>(result.answers.size());
  ++outcomes_[result.outcome];
  Share& share = levels_[result.level];
  ++share.tasks;
  share.answered += correct > 0;
  share.in_two_variants += correct > 1;
  std::string operators;
  for (const std::string& name : result.operators) {
    operators += (operators.empty() ? "" : " ") + name;
    operators_[name] |= correct > 0;
  }
  for (const AnswerResult::Answer& answer : result.answers) {
    if (verified_ && answer.status != kCorrect) {
      std::string reason = answer.status + (answer.reason.empty() ? "" : " " + answer.reason);
      ++failures_[reason + ": " + operators];
      continue;
    }
    for (const std::string& strategy : answer.strategies) ++strategies_[strategy];
  }
}

AnswerReport::Share AnswerReport::Total() const {
  Share total;
  for (const auto& [level, share] : levels_) {
    total.tasks += share.tasks;
    total.answered += share.answered;
    total.in_two_variants += share.in_two_variants;
  }
  return total;
}

std::vector<std::string> AnswerReport::OperatorsWithout() const {
  std::vector<std::string> without;
  for (const auto& [name, answered] : operators_) {
    if (!answered) without.push_back(name);
  }
  return without;
}

std::string AnswerReport::Text() const {
  // A user's own tasks have no level, and too few operators for meaningful shares.
  const bool drawn = !levels_.contains(0) && !levels_.empty();
  return Listed(outcomes_) + (drawn ? "\n" + CoverageText() : "");
}

std::string AnswerReport::CoverageText() const {
  const std::string what = verified_ ? "a verified answer" : "an answer";
  const auto line = [&](const std::string& name, const Share& share) {
    return name + ": " + std::to_string(share.tasks) + " tasks, " +
           Of(share.answered, share.tasks) + " have " + what + ", " +
           Of(share.in_two_variants, share.tasks) + " have two or more that differ in structure\n";
  };
  std::string text;
  for (const auto& [level, share] : levels_) text += line("level " + std::to_string(level), share);
  if (levels_.size() > 1) text += line("all", Total());
  const std::vector<std::string> without = OperatorsWithout();
  const auto all = static_cast<std::int64_t>(operators_.size());
  text += "operators: " + std::to_string(all) + " in these tasks, " +
          Of(all - static_cast<std::int64_t>(without.size()), all) + " have " + what + "\n";
  if (!without.empty()) {
    text += "without:";
    for (const std::string& name : without) text += ' ' + name;
    text += '\n';
  }
  if (!failures_.empty()) {
    text += "\nanswers that are not correct, by verdict and operators:\n" + Listed(failures_);
  }
  return text + "\nkernels by strategy:\n" + Listed(strategies_);
}

Json AnswerReport::ToJson() const {
  const auto numbers = [](const Share& share) {
    return Json::Object{{"tasks", share.tasks},
                        {"answered", share.answered},
                        {"in_two_variants", share.in_two_variants}};
  };
  Json::Object levels;
  for (const auto& [level, share] : levels_) levels.emplace(std::to_string(level), numbers(share));
  return Json::Object{{"verified", verified_},
                      {"outcomes", Counts(outcomes_)},
                      {"total", numbers(Total())},
                      {"levels", std::move(levels)},
                      {"operators", static_cast<std::int64_t>(operators_.size())},
                      {"operators_without", Names(OperatorsWithout())},
                      {"not_correct", Counts(failures_)},
                      {"strategies", Counts(strategies_)}};
}

}  // namespace kernelmill
