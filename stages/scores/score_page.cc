// The page of a report of scores: tiles, plots and tables.
#include <algorithm>

#include "generators/dataset_pages/html_page.h"
#include "generators/dataset_pages/markup.h"
#include "generators/dataset_pages/svg_chart.h"
#include "generators/wording/number_format.h"
#include "stages/scores/score_report.h"
#include "stages/scores/score_text.h"

namespace kernelmill {
namespace {

using NamedGroups = std::vector<std::pair<std::string, const ScoreGroup*>>;

std::string NumberCell(const std::string& text) {
  return "<td class=\"number\">" + HtmlText(text) + "</td>";
}

std::string Note(std::string_view text) {
  return "<p class=\"muted\">" + HtmlText(text) + "</p>\n";
}

std::string Plot(const std::string& title, const std::vector<ShareBar>& bars) {
  return HtmlSection(title, bars.empty() ? Note(kNotMeasured) : ShareChart(title, bars));
}

// One bar for each k or threshold.
template <typename Key>
std::vector<ShareBar> BarsOf(const std::map<Key, Rate>& rates, const std::string& label) {
  std::vector<ShareBar> bars;
  for (const auto& [key, rate] : rates) {
    std::string number = std::to_string(key);
    if (number.find('.') != number.npos) number.resize(number.find('.') + 2);
    bars.push_back({label + number, rate.value, rate.low, rate.high});
  }
  return bars;
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::vector<ShareBar> CorrectBars(const NamedGroups& groups) {
  std::vector<ShareBar> bars;
  for (const auto& [name, group] : groups) {
    if (const auto& rate = group->correct)
      bars.push_back({name, rate->value, rate->low, rate->high});
  }
  return bars;
}

std::string RateTable(const ScoreGroup& group) {
  std::string table = HtmlTableHead({"Score", "#Rate", "#Interval", "#Tasks"});
  for (const auto& [name, rate] : NamedRates(group)) {
    table += "<tr>" + HtmlCell(name) + NumberCell(RateText(rate)) + NumberCell(IntervalText(rate)) +
             NumberCell(rate ? Grouped(rate->tasks) : std::string()) + "</tr>\n";
  }
  return table + "</table>\n";
}

std::string GroupTable(const std::string& title, const NamedGroups& groups, std::int64_t k) {
  std::string table =
      HtmlTableHead({title, "#Tasks", "#Samples", "#Scored", "#Correct", "#Interval", "#Legal",
                     "#Pass@" + std::to_string(k), "#Faster"});
  for (const auto& [name, group] : groups) {
    table += "<tr>" + HtmlCell(name) + HtmlCell(group->tasks) + HtmlCell(group->samples) +
             HtmlCell(group->scored) + NumberCell(RateText(group->correct)) +
             NumberCell(IntervalText(group->correct)) + NumberCell(RateText(group->legal)) +
             NumberCell(RateText(PassAt(*group, k))) + NumberCell(RateText(group->Faster())) +
             "</tr>\n";
  }
  return table + "</table>\n";
}

std::string Statuses(const ScoreGroup& all, std::int64_t malformed) {
  std::vector<Bar> bars;
  for (const auto& [status, count] : Ranked(all.statuses)) bars.push_back({status, count, ""});
  for (const auto& [status, count] : Ranked(all.not_scored)) {
    bars.push_back({status, count, "says nothing about the answer"});
  }
  if (malformed > 0) bars.push_back({"malformed line", malformed, "is no sample"});
  return HtmlSection(
      "Samples by status",
      BarChart("Samples by status", bars) +
          (all.not_scored.empty() ? ""
                                  : Note("In no rate, because they say nothing about the answer: " +
                                         StatusList(all.not_scored) + ".")));
}

}  // namespace

std::string ScoreReport::Page() const {
  const ScoreGroup& all = scores.all;
  const std::int64_t k = LargestCommonK(scores);
  const NamedGroups levels = LevelGroups(scores), families = FamilyGroups(scores);
  std::string page = OpenPage("Scores") + "<h1>Scores</h1>\n<p class=\"muted\"><code>" +
                     HtmlText(source) + "</code></p>\n<div class=\"tiles\">\n" +
                     HtmlTile(all.tasks, "tasks") + HtmlTile(all.samples, "samples") +
                     HtmlTile(all.scored, "scored samples") + "</div>\n";
  page += HtmlGrid(Plot("Pass@k", BarsOf(all.pass_at, "Pass@")) +
                   Plot("Faster than the baseline", BarsOf(all.fast, "fast_")) +
                   Plot("Correct by level", CorrectBars(levels)) + Statuses(all, malformed));
  page += HtmlSection("All tasks", RateTable(all) + Note(OneLine(IntervalNote())));
  page += HtmlSection("Tasks by level", GroupTable("Level", levels, k));
  if (!families.empty()) {
    page += Plot("Correct by family of operators", CorrectBars(families));
    page += HtmlSection(
        "Tasks by family of operators",
        GroupTable("Family", families, k) +
            Note("A task is in the group of each family that it has an operator of; of " +
                 Counted(scores.tasks_without_families, "task") + " none is known."));
  }
  return page + ClosePage();
}

}  // namespace kernelmill
