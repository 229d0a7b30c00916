#include "generators/dataset_pages/html_report.h"

#include <algorithm>
#include <set>

#include "generators/dataset_pages/markup.h"
#include "generators/dataset_pages/svg_chart.h"
#include "generators/wording/number_format.h"
#include "manifests/reason.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostOperators = 20;
constexpr std::size_t kMostSources = 500;

// The page's security policy forbids scripts and loading, as a second line of defence behind
// escaping.
constexpr char kHead[] =
    R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>Dataset report</title>
<style>
:root { color-scheme: light dark; --page: #f6f6f4; --sheet: #ffffff; --ink: #1c1e22; --muted: #646a75;
  --line: #e2e3e6; --kept: #2f6fde; --dropped: #b3b9c4; --rejected: #d2495c; }
@media (prefers-color-scheme: dark) { :root { --page: #121418; --sheet: #1a1d23; --ink: #e6e8ec;
  --muted: #9aa1ad; --line: #2e323a; --kept: #6b9eff; --dropped: #596070; --rejected: #f07c8c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 10px; }
p { margin: 0 0 12px; }
code { font: 13px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
section { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 20px; margin-top: 16px; overflow-x: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 16px;
  margin-top: 16px; }
.grid section { margin-top: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px;
  margin-top: 20px; }
.tile { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px; }
.tile b { display: block; font-size: 24px; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; }
.muted, .tile span { color: var(--muted); }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--muted); font-size: 12.5px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.text { overflow-wrap: anywhere; min-width: 9.5em; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin: 0 6px 0 14px; background: var(--mark); }
svg + p { margin-top: 10px; }
svg { width: 100%; max-width: 780px; height: auto; display: block; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink); }
svg .small { font-size: 10.5px; } svg .muted { fill: var(--muted); }
svg .strong { font-weight: 600; } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .kept { fill: var(--kept); } svg .dropped { fill: var(--dropped); }
svg .rejected { fill: var(--rejected); } svg .axis { stroke: var(--line); }
ul { margin: 0; padding-left: 20px; } li { margin-bottom: 4px; }
@media (max-width: 520px) { .grid { grid-template-columns: 1fr; } }
</style>
</head>
<body>
<main>
)";

std::string Section(const std::string& title, const std::string& body) {
  return "<section>\n<h2>" + title + "</h2>\n" + body + "</section>\n";
}

std::string Grid(const std::string& sections) {
  return "<div class=\"grid\">\n" + sections + "</div>\n";
}

std::string Cell(const std::string& text) {
  return "<td class=\"text\">" + HtmlText(text) + "</td>";
}
std::string Cell(std::int64_t number) {
  return "<td class=\"number\">" + Grouped(number) + "</td>";
}

// A column whose title begins with '#' holds numbers.
std::string TableHead(const std::vector<std::string>& titles) {
  std::string head = "<table>\n<tr>";
  for (const std::string& title : titles) {
    const bool number = title.starts_with('#');
    head += (number ? "<th class=\"number\">" : "<th>") + HtmlText(title.substr(number ? 1 : 0)) +
            "</th>";
  }
  return head + "</tr>\n";
}

std::string Tile(std::int64_t number, const std::string& what) {
  return "<div class=\"tile\"><b>" + Grouped(number) + "</b><span>" + what + "</span></div>\n";
}

std::string Header(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  return "<h1>Dataset report</h1>\n<p class=\"muted\">Training data about PyTorch modules and "
         "native kernels, made by kernelmill. Merkle root <code>" +
         description.merkle_root.Hex() + "</code></p>\n<div class=\"tiles\">\n" +
         Tile(statistics.Rows(), "rows") + Tile(CountOf(statistics.records, "task"), "tasks") +
         Tile(CountOf(statistics.records, "kernel"), "native kernels") +
         Tile(static_cast<std::int64_t>(statistics.sources.size()), "sources") +
         Tile(static_cast<std::int64_t>(statistics.operator_calls.size()), "operators") +
         Tile(statistics.prompt_tokens.sum() + statistics.answer_tokens.sum(),
              "tokens" + std::string(TokensNote(description))) +
         "</div>\n";
}

std::string Funnel(const DatasetDescription& description) {
  std::vector<StageBar> bars;
  std::string table = TableHead(
      {"Step", "Takes", "#In", "#Kept", "#Dropped", "#Rejected", "#Gives", "Counted besides"});
  for (const auto& [name, takes, counts] : description.steps) {
    bars.push_back({name, takes, counts.kept, counts.Dropped(), counts.Rejected()});
    std::string counters;
    for (const auto& [counter, count] : counts.counters) {
      counters += (counters.empty() ? "" : ", ") + counter + " " + Grouped(count);
    }
    table += "<tr>" + Cell(name) + Cell(takes) + Cell(counts.in) + Cell(counts.kept) +
             Cell(counts.Dropped()) + Cell(counts.Rejected()) + Cell(counts.outputs) +
             Cell(counters) + "</tr>\n";
  }
  return Section("From repositories to records",
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
  std::string table = TableHead({"Step", "Reason", "#Count", "#Of its inputs", "", "Meaning"});
  for (const Loss& loss : losses) {
    const auto step = std::find_if(description.steps.begin(), description.steps.end(),
                                   [&](const auto& entry) { return entry.name == loss.step; });
    table += "<tr>" + Cell(loss.step) + "<td><code>" + HtmlText(loss.reason) + "</code></td>" +
             Cell(loss.count) + "<td class=\"number\">" + Percent(loss.count, step->counts.in) +
             "</td><td><span class=\"key\" style=\"--mark: var(--" +
             (loss.rejected ? "rejected)\">rejected" : "dropped)\">dropped") + "</span></td>" +
             Cell(std::string(ExplainReason(loss.reason))) + "</tr>\n";
  }
  return Section("Why inputs did not go on", table + "</table>\n");
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
  titles.push_back("#Trained tokens by weight");
  titles.push_back("Teaches");
  std::string table = TableHead(titles);
  for (const std::string& family : families) {
    table += "<tr>" + Cell(family);
    for (const auto& [split, counts] : statistics.rows) table += Cell(CountOf(counts, family));
    table += Cell(statistics.family_tokens.at(family)) + "<td class=\"number\">" +
             ShareByWeight(statistics, family) + "</td>" +
             Cell(std::string(ExplainFamily(family))) + "</tr>\n";
  }
  return Section("Rows by split and family", table + "</table>\n");
}

std::string Records(const DatasetStatistics& statistics) {
  std::string table = TableHead({"Kind", "#Records", "Holds"});
  for (const auto& [kind, count] : statistics.records) {
    table += "<tr>" + Cell(kind) + Cell(count) + Cell(std::string(ExplainKind(kind))) + "</tr>\n";
  }
  return Section("Records by kind", table + "</table>\n");
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
  return Section("Rows by licence", body);
}

std::string Operators(const DatasetStatistics& statistics) {
  std::vector<Bar> bars = BarsOf(statistics.operator_calls, kMostOperators);
  for (Bar& bar : bars) {
    bar.note = "in " + Grouped(CountOf(statistics.operator_tasks, bar.label)) + " tasks";
  }
  const auto all = static_cast<std::int64_t>(statistics.operator_calls.size());
  return Section("Operators", "<p class=\"muted\">Calls, as the source spells them; the " +
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
  return Section(title, Range(values) + PowerHistogram(title, unit, values, log2_step));
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
  return Grid(Section("Native kernels", BarChart("Native kernels", bars)) +
              Section("Names that slices of kernels lack", lacking) +
              Plot("Sizes of kernels", "lines of a slice", statistics.kernel_lines, 1) +
              Section("Kernels by language",
                      BarChart("Kernels by language", BarsOf(statistics.kernel_backends))));
}

std::string Answers(const DatasetStatistics& statistics) {
  if (statistics.candidates.empty()) return "";
  return Grid(Section("Answers to tasks", BarChart("Answers to tasks, by platform and verdict",
                                                   BarsOf(statistics.candidates.statuses))) +
              Section("Reasoning in front of answers",
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
      TableHead({"Source", "Commit or seed", "#Subjects", "#Rows", "Licences of rows"});
  std::size_t shown = 0;
  for (const auto& [key, source] : statistics.sources) {
    if (shown++ == kMostSources) break;
    std::string licences;
    for (const auto& [spdx, rows] : Ranked(source.licences)) {
      licences += (licences.empty() ? "" : ", ") + (spdx.empty() ? "none found" : spdx) + " " +
                  Grouped(rows);
    }
    table += "<tr>" + Cell(key.first) + "<td><code>" + HtmlText(key.second) + "</code></td>" +
             Cell(source.subjects) + Cell(source.rows) + Cell(licences) + "</tr>\n";
  }
  table += "</table>\n";
  if (statistics.sources.size() > kMostSources) {
    const std::size_t rest = statistics.sources.size() - kMostSources;
    table += "<p class=\"muted\">and " + Grouped(static_cast<std::int64_t>(rest)) + " more</p>\n";
  }
  return Section("Sources", table);
}

std::string Limits(const DatasetDescription& description) {
  std::string list = "<ul>\n";
  for (const std::string& limit : LimitsOf(description)) {
    list += "<li>" + HtmlText(limit) + "</li>\n";
  }
  return Section("What was never checked", list + "</ul>\n");
}

std::string Provenance(const DatasetDescription& description) {
  std::string table = TableHead({"Made by", ""});
  for (const auto& [name, version] : description.versions) {
    table += "<tr>" + Cell(name) + "<td><code>" + HtmlText(version) + "</code></td></tr>\n";
  }
  return Section("Check it",
                 "<p>Keep the root where nobody who can change the dataset can change "
                 "it too. <code>kernelmill audit DIR --root " +
                     description.merkle_root.Hex() +
                     "</code> then proves every byte, count, licence and edge of "
                     "lineage.</p>\n" +
                     table + "</table>\n");
}

}  // namespace

std::string WriteHtmlReport(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  const std::string note(TokensNote(description));
  return kHead + Header(description) + Funnel(description) + Losses(description) +
         Rows(description) + Grid(Records(statistics) + Licences(statistics)) +
         Operators(statistics) +
         Grid(Plot("Sizes of operator results", "elements of a tensor", statistics.result_elements,
                   2) +
              Plot("Sizes of inputs", "elements of a tensor", statistics.input_elements, 2) +
              Section("Ranks of operator results",
                      BarChart("Ranks", RankBars(statistics.result_ranks))) +
              Section("Dtypes of operator results",
                      BarChart("Dtypes", BarsOf(statistics.result_dtypes))) +
              Plot("Tokens of prompts" + note, "tokens of a row", statistics.prompt_tokens, 1) +
              Plot("Tokens of answers" + note, "tokens of a row", statistics.answer_tokens, 1) +
              Plot("Cost of tasks", "FLOPs of one forward()", statistics.flops, 4) +
              Plot("Parameters of tasks", "parameters of a module", statistics.parameters, 4)) +
         Answers(statistics) + Kernels(statistics) + Sources(statistics) + Limits(description) +
         Provenance(description) + "</main>\n</body>\n</html>\n";
}

}  // namespace kernelmill
