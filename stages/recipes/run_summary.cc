#include "stages/recipes/run_summary.h"

#include <algorithm>
#include <set>

#include "generators/wording/number_format.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

// Aligns lines of cells in columns: the first column to the left, the others to the right.
std::string Aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    text += "  ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - line[i].size(), ' ');
      text += i == 0 ? line[i] + space : "  " + space + line[i];
    }
    text += "\n";
  }
  return text;
}

// The tasks of each kind, how many of them have a right answer, and their answers for each backend.
std::string AnswersText(const std::map<std::string_view, AnsweredTasks>& answered) {
  if (answered.empty()) return {};
  std::set<std::string> backends;
  for (const auto& [kind, tasks] : answered) {
    for (const auto& [backend, count] : tasks.answers) backends.insert(backend);
  }
  std::vector<std::vector<std::string>> lines = {{"tasks and right answers", "tasks", "answered"}};
  lines.front().insert(lines.front().end(), backends.begin(), backends.end());
  for (const auto& [kind, tasks] : answered) {
    std::vector<std::string>& line = lines.emplace_back();
    line = {std::string(kind), Grouped(tasks.tasks), Grouped(tasks.answered)};
    for (const std::string& backend : backends) {
      const auto count = tasks.answers.find(backend);
      line.push_back(Grouped(count == tasks.answers.end() ? 0 : count->second));
    }
  }
  return Aligned(lines);
}

}  // namespace

RunSummary RunSummary::Of(const std::string& output, const DatasetManifest& manifest,
                          const DatasetStatistics& statistics) {
  RunSummary summary;
  summary.output = output;
  summary.manifest_digest = manifest.ManifestDigest();
  for (const auto& [split, families] : statistics.rows) {
    for (const auto& [family, count] : families) summary.rows[family][split] += count;
  }
  if (!statistics.candidates.answers.empty()) summary.answered = statistics.Answered();
  summary.prompt_tokens = statistics.prompt_tokens.sum();
  summary.answer_tokens = statistics.answer_tokens.sum();
  summary.tokens_are_estimated = statistics.TokensAreEstimated();
  for (const DatasetManifest::StepPlan& plan : manifest.plan) {
    const auto counts = manifest.counts.find(plan.step);
    if (counts == manifest.counts.end()) continue;
    for (const auto& [reason, count] : Ranked(counts->second.rejected)) {
      summary.rejects.push_back({plan.step, reason, count});
    }
  }
  return summary;
}

std::int64_t RunSummary::Rows() const {
  std::int64_t all = 0;
  for (const auto& [family, splits] : rows) {
    for (const auto& [split, count] : splits) all += count;
  }
  return all;
}

std::string RunSummary::Warning() const {
  if (Rows() > 0) return {};
  std::string text = "warning: the dataset has no rows";
  for (std::size_t i = 0; i < rejects.size(); ++i) {
    text += (i == 0 ? "; rejected: " : ", ") + std::to_string(rejects[i].count) + " by " +
            rejects[i].step + " (" + rejects[i].reason + ")";
  }
  return PrintableLine(text, text.size());
}

std::string RunSummary::Text() const {
  const std::string folder = PrintableLine(output, output.size());
  std::string text = folder + ": " + Counted(Rows(), "row") + ", " +
                     Grouped(prompt_tokens + answer_tokens) + " tokens" +
                     (tokens_are_estimated ? " (estimated), " : ", ") + Grouped(answer_tokens) +
                     " of them trained";
  text += was_complete ? "; it was complete already\n" : "\n";
  std::set<std::string> splits;
  for (const auto& [family, counts] : rows) {
    for (const auto& [split, count] : counts) splits.insert(split);
  }
  std::vector<std::vector<std::string>> lines;
  if (!rows.empty()) {
    lines.push_back({"rows"});
    lines.back().insert(lines.back().end(), splits.begin(), splits.end());
  }
  for (const auto& [family, counts] : rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line.push_back(family);
    for (const std::string& split : splits) {
      const auto count = counts.find(split);
      line.push_back(Grouped(count == counts.end() ? 0 : count->second));
    }
  }
  text += Aligned(lines) + AnswersText(answered);
  lines.clear();
  for (const Reject& reject : rejects) {
    lines.push_back({reject.step + " " + reject.reason, Grouped(reject.count)});
  }
  if (!lines.empty()) {
    text += "rejected inputs by step and reason; " + folder + ".quarantine has their bytes\n" +
            Aligned(lines);
  }
  if (!retry.empty()) text += retry + "\n";
  text += "card " + folder + "/README.md, report " + folder + "/report.html, rows " + folder +
          "/data\n";
  const std::string digest = manifest_digest.Hex();
  text += "digest " + digest + ": keep it in a safe place\n";
  const std::string word = ForShell(folder);
  return text + "next: ./kernelmill inspect " + word + " --limit 2\n      ./kernelmill audit " +
         word + " --root " + digest + "\n";
}

}  // namespace kernelmill
