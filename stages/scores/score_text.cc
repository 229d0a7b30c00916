#include "stages/scores/score_text.h"

#include <algorithm>
#include <cstdio>

#include "corpora/statistics/distribution.h"
#include "generators/wording/number_format.h"
#include "stages/scores/score_report.h"

namespace kernelmill {
namespace {

std::string Hundredths(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 100.0 * share);
  return text;
}

std::string Times(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", factor);
  return text;
}

std::string Threshold(double threshold) {
  char text[16];
  std::snprintf(text, sizeof text, "%g", threshold);
  return text;
}

// The number of code points, each of which takes a column in these tables.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Lays out a table: the first column is aligned to the left, the others to the right.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - Width(row[i]), ' ');
      line += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string GroupTable(const std::string& title,
                       const std::vector<std::pair<std::string, const ScoreGroup*>>& groups,
                       std::int64_t k) {
  std::vector<std::vector<std::string>> rows = {{title, "tasks", "samples", "scored", "correct",
                                                 "interval", "legal", "Pass@" + std::to_string(k),
                                                 "interval", "faster"}};
  for (const auto& [name, group] : groups) {
    const std::optional<Rate> pass = PassAt(*group, k);
    rows.push_back({name, Grouped(group->tasks), Grouped(group->samples), Grouped(group->scored),
                    RateText(group->correct), IntervalText(group->correct), RateText(group->legal),
                    RateText(pass), IntervalText(pass), RateText(group->Faster())});
  }
  return "\n" + Table(rows);
}

std::string AnalysisText(const KernelBenchAnalysis& analysis) {
  std::string text =
      "\nAs KernelBench's analysis counts (sample 0 of each problem; problems "
      "without one are failures):\n";
  text += "compiled " + Grouped(analysis.compiled_count) + ", correct " +
          Grouped(analysis.correct_count) + " of " + Grouped(analysis.total_count) + " problems; " +
          Grouped(analysis.total_eval) + " have results\n";
  text +=
      "geometric mean of speed-ups: " +
      (analysis.geo_mean_speedup ? Times(*analysis.geo_mean_speedup) : std::string(kNotMeasured)) +
      "\n";
  for (const auto& [threshold, value] : analysis.fast_p) {
    text += "fast_" + threshold + ": " + Times(value) + "\n";
  }
  if (analysis.fast_p.empty()) text += "fast_p: " + std::string(kNotMeasured) + "\n";
  return text;
}

}  // namespace

std::string RateText(const std::optional<Rate>& rate) {
  return rate ? Hundredths(rate->value) + " %" : std::string(kNotMeasured);
}

std::string IntervalText(const std::optional<Rate>& rate) {
  return rate ? Hundredths(rate->low) + " – " + Hundredths(rate->high) + " %" : "";
}

std::string StatusList(const std::map<std::string, std::int64_t>& statuses) {
  std::string text;
  for (const auto& [status, count] : Ranked(statuses)) {
    text += (text.empty() ? "" : ", ") + Grouped(count) + " " + status;
  }
  return text;
}

std::vector<std::pair<std::string, std::optional<Rate>>> NamedRates(const ScoreGroup& group) {
  std::vector<std::pair<std::string, std::optional<Rate>>> rates = {{"correct", group.correct},
                                                                    {"legal", group.legal}};
  for (const auto& [k, rate] : group.pass_at) rates.emplace_back("Pass@" + std::to_string(k), rate);
  for (const auto& [k, rate] : group.avg_at) rates.emplace_back("Avg@" + std::to_string(k), rate);
  for (const double threshold : kFastThresholds) {
    const auto found = group.fast.find(threshold);
    if (threshold == kFasterThan) continue;
    rates.emplace_back("fast_" + Threshold(threshold),
                       found == group.fast.end() ? std::nullopt : std::optional(found->second));
  }
  rates.emplace_back("faster over " + Threshold(kFasterThan) + "×", group.Faster());
  return rates;
}

std::vector<std::pair<std::string, const ScoreGroup*>> LevelGroups(const Scores& scores) {
  std::vector<std::pair<std::string, const ScoreGroup*>> groups;
  for (const auto& [level, group] : scores.levels) {
    groups.emplace_back(level == 0 ? "unknown level" : "level " + std::to_string(level), &group);
  }
  return groups;
}

std::vector<std::pair<std::string, const ScoreGroup*>> FamilyGroups(const Scores& scores) {
  std::vector<std::pair<std::string, const ScoreGroup*>> groups;
  for (const auto& [family, group] : scores.families) groups.emplace_back(family, &group);
  return groups;
}

std::int64_t LargestCommonK(const Scores& scores) {
  std::int64_t largest = 1;
  for (const auto& [k, rate] : scores.all.pass_at) {
    if (rate.tasks == scores.all.scored_tasks) largest = std::max(largest, k);
  }
  return largest;
}

std::optional<Rate> PassAt(const ScoreGroup& group, std::int64_t k) {
  const auto found = group.pass_at.find(k);
  if (found == group.pass_at.end()) return std::nullopt;
  return found->second;
}

std::string_view IntervalNote() {
  return "Intervals hold the true rate with 95 % probability (Wilson's score interval).\n"
         "They take the tasks as drawn at random, and the samples of one task as one draw.";
}

std::string ScoreReport::Text() const {
  const ScoreGroup& all = scores.all;
  std::string text = source + ": " + Counted(all.samples, "sample") + " of " +
                     Counted(all.tasks, "task") + ", " + Grouped(all.scored) + " of " +
                     Counted(all.scored_tasks, "task") + " scored\n";
  if (!all.statuses.empty()) text += "scored: " + StatusList(all.statuses) + "\n";
  if (!all.not_scored.empty()) {
    text += "not scored, because they say nothing about the answer: " + StatusList(all.not_scored) +
            "\n";
  }
  if (malformed > 0) text += "not samples: " + Counted(malformed, "malformed line") + "\n";
  if (other_turns > 0) {
    text += Counted(other_turns, "turn") +
            " not counted, because another turn of the attempt is "
            "the first correct one or the last\n";
  }
  if (retries > 0) {
    text += Counted(retries, "repair") +
            " not counted, because the model was shown the verdict on another answer first\n";
  }
  std::vector<std::vector<std::string>> rows = {{"all tasks", "rate", "interval", "tasks"}};
  for (const auto& [name, rate] : NamedRates(all)) {
    rows.push_back(
        {name, RateText(rate), IntervalText(rate), rate ? Grouped(rate->tasks) : std::string()});
  }
  text += "\n" + Table(rows);
  text += "mean speed-up of correct answers: " +
          (all.mean_speedup ? Times(*all.mean_speedup) : std::string(kNotMeasured)) + "\n";
  const std::int64_t k = LargestCommonK(scores);
  text += GroupTable("by level", LevelGroups(scores), k);
  if (!scores.families.empty()) {
    text += GroupTable("by family of operators", FamilyGroups(scores), k);
    text += "A task is in the group of each family that it has an operator of";
    text += scores.tasks_without_families == 0
                ? ".\n"
                : "; of " + Counted(scores.tasks_without_families, "task") + " none is known.\n";
  }
  if (kernelbench) text += AnalysisText(*kernelbench);
  return text + "\n" + std::string(IntervalNote()) + "\n";
}

}  // namespace kernelmill
