#include "generators/dataset_pages/html_report.h"

#include <algorithm>
#include <set>

#include "corpora/benchmark_table.h"
#include "generators/dataset_pages/html_page.h"
#include "generators/dataset_pages/markup.h"
#include "generators/dataset_pages/sample_section.h"
#include "generators/dataset_pages/svg_chart.h"
#include "generators/wording/number_format.h"
#include "manifests/reason.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostOperators = 20;
constexpr std::size_t kMostSources = 500;

std::string Header(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  return "<h1>Dataset report</h1>\n<p class=\"muted\">Training data about PyTorch modules and "
         "native kernels, made by kernelmill. Merkle root <code>" +
         description.merkle_root.Hex() + "</code></p>\n<div class=\"tiles\">\n" +
         HtmlTile(statistics.Rows(), "rows") +
         HtmlTile(CountOf(statistics.records, "task"), "tasks") +
         HtmlTile(CountOf(statistics.records, "kernel"), "native kernels") +
         HtmlTile(static_cast<std::int64_t>(statistics.sources.size()), "sources") +
         HtmlTile(static_cast<std::int64_t>(statistics.operator_calls.size()), "operators") +
         HtmlTile(statistics.prompt_tokens.sum() + statistics.answer_tokens.sum(),
                  "tokens" + std::string(TokensNote(description))) +
         "</div>\n";
}

std::string Funnel(const DatasetDescription& description) {
  std::vector<StageBar> bars;
  std::string table = HtmlTableHead(
      {"Step", "Takes", "#In", "#Kept", "#Dropped", "#Rejected", "#Gives", "Counted besides"});
  for (const auto& [name, takes, counts] : description.steps) {
    bars.push_back({name, takes, counts.kept, counts.Dropped(), counts.Rejected()});
    std::string counters;
    for (const auto& [counter, count] : counts.counters) {
      if (counter.starts_with(kProblemCounter)) continue;  // There may be hundreds of problems.
      counters += (counters.empty() ? "" : ", ") + counter + " " + Grouped(count);
    }
    table += "<tr>" + HtmlCell(name) + HtmlCell(takes) + HtmlCell(counts.in) +
             HtmlCell(counts.kept) + HtmlCell(counts.Dropped()) + HtmlCell(counts.Rejected()) +
             HtmlCell(counts.outputs) + HtmlCell(counters) + "</tr>\n";
  }
  return HtmlSection(
      "From repositories to records",
      "<p class=\"muted\">The inputs of each step, and what became of them."
      "<span class=\"key\" style=\"--mark: var(--kept)\">kept</span>"
      "<span class=\"key\" style=\"--mark: var(--dropped)\">dropped: nothing wrong, not "
      "wanted</span><span class=\"key\" style=\"--mark: var(--rejected)\">rejected: in "
      "quarantine</span></p>\n" +
          StageChart("Inputs of each step", bars) + table + "</table>\n");
}

std::string Losses(const DatasetDescription& description) {
  const std::vector<Loss> losses = LossesOf(description);
  if (losses.empty()) return "";
  std::string table = HtmlTableHead({"Step", "Reason", "#Count", "#Of its inputs", "", "Meaning"});
  for (const Loss& loss : losses) {
    const auto step = std::find_if(description.steps.begin(), description.steps.end(),
                                   [&](const auto& entry) { return entry.name == loss.step; });
    table += "<tr>" + HtmlCell(loss.step) + "<td><code>" + HtmlText(loss.reason) + "</code></td>" +
             HtmlCell(loss.count) + "<td class=\"number\">" + Percent(loss.count, step->counts.in) +
             "</td><td><span class=\"key\" style=\"--mark: var(--" +
             (loss.rejected ? "rejected)\">rejected" : "dropped)\">dropped") + "</span></td>" +
             HtmlCell(std::string(ExplainReason(loss.reason))) + "</tr>\n";
  }
  return HtmlSection("Why inputs did not go on", table + "</table>\n");
}

std::string Rows(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  std::set<std::string> families;
  std::vector<std::string> titles = {"Family"};
  for (const auto& [split, counts] : statistics.rows) {
    titles.push_back("#" + split);
    for (const auto& [family, rows] : counts) families.insert(family);
  }
  titles.push_back("#Tokens" + std::string(TokensNote(description)));
  titles.push_back("#Near-equal, weight 0");
  titles.push_back("#Trained tokens by weight");
  titles.push_back("Teaches");
  std::string table = HtmlTableHead(titles);
  for (const std::string& family : families) {
    table += "<tr>" + HtmlCell(family);
    for (const auto& [split, counts] : statistics.rows) table += HtmlCell(CountOf(counts, family));
    table += HtmlCell(statistics.family_tokens.at(family)) +
             HtmlCell(CountOf(statistics.near_equal_rows, family)) + "<td class=\"number\">" +
             ShareByWeight(statistics, family) + "</td>" +
             HtmlCell(std::string(ExplainFamily(family))) + "</tr>\n";
  }
  return HtmlSection("Rows by split and family", table + "</table>\n");
}

std::string Records(const DatasetStatistics& statistics) {
  std::string table = HtmlTableHead({"Kind", "#Records", "Holds"});
  for (const auto& [kind, count] : statistics.records) {
    table += "<tr>" + HtmlCell(kind) + HtmlCell(count) + HtmlCell(std::string(ExplainKind(kind))) +
             "</tr>\n";
  }
  return HtmlSection("Records by kind", table + "</table>\n");
}

std::vector<Bar> BarsOf(const Counts& counts, std::size_t most = 20) {
  std::vector<Bar> bars;
  for (const auto& [name, count] : Ranked(counts)) {
    if (bars.size() < most) bars.push_back({name, count});
  }
  return bars;
}

std::string Licences(const DatasetStatistics& statistics) {
  std::vector<Bar> bars = BarsOf(statistics.licences);
  if (statistics.rows_without_licence > 0) {
    bars.push_back({"none found", statistics.rows_without_licence});
  }
  std::string body = BarChart("Rows by licence", bars);
  std::string levels;
  for (const auto& [level, rows] : Ranked(statistics.licence_levels)) {
    levels += (levels.empty() ? "" : ", ") + HtmlText(level) + " " + Grouped(rows);
  }
  if (!levels.empty()) body += "<p class=\"muted\">Evidence: " + levels + " rows.</p>\n";
  return HtmlSection("Rows by licence", body);
}

std::string Operators(const DatasetStatistics& statistics) {
  std::vector<Bar> bars = BarsOf(statistics.operator_calls, kMostOperators);
  for (Bar& bar : bars) {
    bar.note = "in " + Grouped(CountOf(statistics.operator_tasks, bar.label)) + " tasks";
  }
  const auto all = static_cast<std::int64_t>(statistics.operator_calls.size());
  return HtmlSection("Operators", "<p class=\"muted\">Calls, as the source spells them; the " +
                                      std::to_string(bars.size()) + " most frequent of " +
                                      Grouped(all) + ".</p>\n" + BarChart("Operator calls", bars));
}

std::string Range(const Distribution& values) {
  return "<p class=\"muted\">median " + Grouped(values.Quantile(0.5)) + ", 95 % up to " +
         Grouped(values.Quantile(0.95)) + ", most " + Grouped(values.Quantile(1)) + ", sum " +
         Grouped(values.sum()) + "</p>\n";
}

std::string Plot(const std::string& title, const std::string& unit, const Distribution& values,
                 int log2_step) {
  return HtmlSection(title, Range(values) + PowerHistogram(title, unit, values, log2_step));
}

std::string Kernels(const DatasetStatistics& statistics) {
  if (statistics.kernel_lines.count() == 0) return "";
  const std::string lacking =
      statistics.missing_names.empty()
          ? "<p class=\"muted\">Every slice is complete.</p>\n"
          : BarChart("Names that slices of kernels lack", BarsOf(statistics.missing_names));
  const std::vector<Bar> bars = {{"kernels", statistics.kernel_lines.count()},
                                 {"with their launches", statistics.launched_kernels},
                                 {"bound to Python", statistics.bound_kernels},
                                 {"complete slices", statistics.complete_kernels}};
  return HtmlGrid(HtmlSection("Native kernels", BarChart("Native kernels", bars)) +
                  HtmlSection("Names that slices of kernels lack", lacking) +
                  Plot("Sizes of kernels", "lines of a slice", statistics.kernel_lines, 1) +
                  HtmlSection("Kernels by language",
                              BarChart("Kernels by language", BarsOf(statistics.kernel_backends))));
}

std::string Answers(const DatasetStatistics& statistics) {
  if (statistics.candidates.empty()) return "";
  return HtmlGrid(
      HtmlSection("Answers to tasks", BarChart("Answers to tasks, by platform and verdict",
                                               BarsOf(statistics.candidates.statuses))) +
      HtmlSection("Reasoning in front of answers",
                  BarChart("Reasoning in front of answers", BarsOf(statistics.reasoning))));
}

std::vector<Bar> RankBars(const Distribution& ranks) {
  std::vector<Bar> bars;
  for (const auto& [rank, count] : ranks.counts()) {
    bars.push_back({"rank " + std::to_string(rank), count});
  }
  return bars;
}

std::string Sources(const DatasetStatistics& statistics) {
  std::string table =
      HtmlTableHead({"Source", "Commit or seed", "#Subjects", "#Rows", "Licences of rows"});
  std::size_t shown = 0;
  for (const auto& [key, source] : statistics.sources) {
    if (shown++ == kMostSources) break;
    std::string licences;
    for (const auto& [spdx, rows] : Ranked(source.licences)) {
      licences += (licences.empty() ? "" : ", ") + (spdx.empty() ? "none found" : spdx) + " " +
                  Grouped(rows);
    }
    table += "<tr>" + HtmlCell(key.first) + "<td><code>" + HtmlText(key.second) + "</code></td>" +
             HtmlCell(source.subjects) + HtmlCell(source.rows) + HtmlCell(licences) + "</tr>\n";
  }
  table += "</table>\n";
  if (statistics.sources.size() > kMostSources) {
    const std::size_t rest = statistics.sources.size() - kMostSources;
    table += "<p class=\"muted\">and " + Grouped(static_cast<std::int64_t>(rest)) + " more</p>\n";
  }
  return HtmlSection("Sources", table);
}

std::string Limits(const DatasetDescription& description) {
  std::string list = "<ul>\n";
  for (const std::string& limit : LimitsOf(description)) {
    list += "<li>" + HtmlText(limit) + "</li>\n";
  }
  return HtmlSection("What was never checked", list + "</ul>\n");
}

std::string Provenance(const DatasetDescription& description) {
  std::string table = HtmlTableHead({"Made by", ""});
  for (const auto& [name, version] : description.versions) {
    table += "<tr>" + HtmlCell(name) + "<td><code>" + HtmlText(version) + "</code></td></tr>\n";
  }
  return HtmlSection("Check it",
                     "<p>Keep the <code>manifest_digest</code> of <code>manifest.json</code>, "
                     "which covers every file, where nobody who can change the dataset can change "
                     "it too. <code>kernelmill audit DIR --root DIGEST</code> then proves every "
                     "byte, count, licence and edge of lineage.</p>\n" +
                         table + "</table>\n");
}

}  // namespace

std::string WriteHtmlReport(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  const std::string note(TokensNote(description));
  return OpenPage("Dataset report") + Header(description) + Funnel(description) +
         Losses(description) + SampleHtml(description) + Rows(description) +
         HtmlGrid(Records(statistics) + Licences(statistics)) + Operators(statistics) +
         HtmlGrid(Plot("Sizes of operator results", "elements of a tensor",
                       statistics.result_elements, 2) +
                  Plot("Sizes of inputs", "elements of a tensor", statistics.input_elements, 2) +
                  HtmlSection("Ranks of operator results",
                              BarChart("Ranks", RankBars(statistics.result_ranks))) +
                  HtmlSection("Dtypes of operator results",
                              BarChart("Dtypes", BarsOf(statistics.result_dtypes))) +
                  Plot("Tokens of prompts" + note, "tokens of a row", statistics.prompt_tokens, 1) +
                  Plot("Tokens of answers" + note, "tokens of a row", statistics.answer_tokens, 1) +
                  Plot("Cost of tasks", "FLOPs of one forward()", statistics.flops, 4) +
                  Plot("Parameters of tasks", "parameters of a module", statistics.parameters, 4)) +
         Answers(statistics) + Kernels(statistics) + Sources(statistics) + Limits(description) +
         Provenance(description) + ClosePage();
}

}  // namespace kernelmill
