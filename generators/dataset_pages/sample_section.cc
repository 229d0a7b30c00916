#include "generators/dataset_pages/sample_section.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "generators/dataset_pages/html_page.h"
#include "generators/dataset_pages/markdown_table.h"
#include "generators/dataset_pages/markup.h"
#include "generators/wording/number_format.h"
#include "manifests/reason.h"

namespace kernelmill {
namespace {

// A score with its interval, or a count with its explanation.
struct Line {
  std::string name, value, note;
};

std::string PercentOf(const Json& rate, std::string_view member) {
  const Json* const value = rate.Find(member);
  if (value == nullptr || !value->is_double()) return "n/a";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", value->as_double() * 100);
  return text;
}

void AddRate(std::string name, const Json* rate, std::vector<Line>* lines) {
  if (rate == nullptr || !rate->is_object()) return;
  lines->push_back({std::move(name), PercentOf(*rate, "value"),
                    "95 % interval " + PercentOf(*rate, "low") + " to " + PercentOf(*rate, "high") +
                        ", " + Counted(rate->IntegerAt("tasks"), "task")});
}

std::vector<Line> ScoreLines(const Json& scores) {
  std::vector<Line> lines;
  const Json* const all = scores.Find("all");
  if (all == nullptr) return lines;
  AddRate("correct", all->Find("correct"), &lines);
  AddRate("legal", all->Find("legal"), &lines);
  if (const Json* passes = all->Find("pass_at_k"); passes != nullptr && passes->is_object()) {
    for (const auto& [k, rate] : passes->as_object()) AddRate("Pass@" + k, &rate, &lines);
  }
  return lines;
}

std::vector<Line> SelectionLines(const Json& selection) {
  std::vector<Line> lines;
  const auto add = [&](const char* key, std::string note) {
    lines.push_back({key, Grouped(selection.IntegerAt(key)), std::move(note)});
  };
  add("judged", "samples that took part in the selection and have a verdict");
  add("correct", "of them");
  add("structures", "of correct samples that may be trained");
  add("selected", "samples, each of another structure or task");
  if (const Json* reasons = selection.Find("unselected"); reasons && reasons->is_object()) {
    for (const auto& [reason, count] : reasons->as_object()) {
      lines.push_back({reason, Grouped(count.as_int()), std::string(ExplainReason(reason))});
    }
  }
  return lines;
}

// Why a task is in the retry buffer.
std::string_view ExplainKept(std::string_view reason) {
  if (reason == "entered") return "no sample of this round is correct";
  if (reason == "returned") return "no repair of this round is correct";
  return "of an earlier round, and not solved in this one";
}

// The retry buffer: what became of the items of the round.
std::vector<Line> RetryLines(const Json& retry) {
  std::vector<Line> lines;
  const Json* const items = retry.Find("items");
  if (items == nullptr || !items->is_object()) return lines;
  for (const auto& [fate, reasons] : items->as_object()) {
    if (!reasons.is_object()) continue;
    for (const auto& [reason, count] : reasons.as_object()) {
      lines.push_back({fate + ", " + reason, Grouped(count.as_int()),
                       std::string(fate == "kept" ? ExplainKept(reason) : ExplainReason(reason))});
    }
  }
  lines.push_back({"parked", Grouped(retry.IntegerAt("parked")),
                   "tasks that do not come back: every retry failed"});
  lines.push_back({"repair prompts", Grouped(retry.IntegerAt("requests")),
                   "retry/prompts.jsonl, for round " +
                       std::to_string(retry.IntegerAt("round") + 1)});
  return lines;
}

// The rewards of the trajectories, and how many responses the masks leave out.
std::vector<Line> RewardLines(const Json& rewards) {
  std::vector<Line> lines;
  const Json* const groups = rewards.Find("groups");
  if (groups == nullptr || !groups->is_array()) return lines;
  lines.push_back({"trajectories", Grouped(rewards.IntegerAt("trajectories")),
                   "rewards.jsonl has a line for each"});
  lines.push_back({"with a reward", Grouped(rewards.IntegerAt("with_value")),
                   "the others have a turn without a verdict, or lack one"});
  const Json* const drift = rewards.Find("drift");
  if (drift == nullptr || drift->is_null()) return lines;
  for (const auto& [part, note] : std::initializer_list<std::pair<const char*, const char*>>{
           {"kept", "the policy has not drifted"},
           {"masked", "left out of the policy loss, not out of their group"},
           {"unscored", "without log-probs"}}) {
    const Json* const found = drift->Find(part);
    if (found == nullptr) continue;
    lines.push_back({part, Grouped(found->IntegerAt("responses")),
                     std::string(note) + "; correct: " +
                         Percent(found->IntegerAt("correct"), found->IntegerAt("rewarded"))});
  }
  return lines;
}

std::string Introduction(const SampleFacts& facts) {
  std::string text =
      "Models wrote " + Counted(facts.samples, "sample") + " for " + Counted(facts.tasks, "task") +
      (facts.repairs > 0 ? ", and " + Counted(facts.repairs, "answer") + " to repair prompts" : "") +
      ". Every one was judged: verdicts.jsonl has the verdicts with the line that each "
      "sample was read from, scores.json the scores of all groups, judging.json the "
      "secret that the inputs of the judge followed from.";
  if (facts.protected_tasks > 0) {
    text +=
        " Problems of a protected benchmark among these tasks: " + Grouped(facts.protected_tasks) +
        ". Scores count them.";
  }
  return text;
}

std::string RetryTitle(const SampleFacts& facts) {
  return "retry buffer after round " + std::to_string(facts.retry.IntegerAt("round"));
}

}  // namespace

std::string ContaminationText(const DatasetDescription& description) {
  if (!description.contaminated) return "";
  return "This dataset is contaminated: rows with the field contaminated answer problems of a "
         "benchmark. A model that is trained on them must not be evaluated on that benchmark.";
}

std::string SampleMarkdown(const DatasetDescription& description) {
  std::string text;
  if (const std::string warning = ContaminationText(description); !warning.empty()) {
    text += "**" + warning + "**\n\n";
  }
  if (!description.samples) return text;
  const SampleFacts& facts = *description.samples;
  std::string files;
  for (const std::string& file : facts.files) {
    files += (files.empty() ? "" : ", ") + MarkdownText(file);
  }
  text += "## Samples\n\n" + Introduction(facts) + " They are from: " + files + ".\n\n" +
          TableHead({"score", "rate", ""}, "lrl");
  for (const Line& line : ScoreLines(facts.scores)) {
    text += TableRow({line.name, line.value, line.note});
  }
  text += "\n" + TableHead({"selection", "samples", ""}, "lrl");
  for (const Line& line : SelectionLines(facts.selection)) {
    text += TableRow({MarkdownText(line.name), line.value, line.note});
  }
  text += "\n" + TableHead({"rewards", "#", ""}, "lrl");
  for (const Line& line : RewardLines(facts.rewards)) {
    text += TableRow({MarkdownText(line.name), line.value, line.note});
  }
  text += "\n" + TableHead({RetryTitle(facts), "tasks", ""}, "lrl");
  for (const Line& line : RetryLines(facts.retry)) {
    text += TableRow({MarkdownText(line.name), line.value, line.note});
  }
  return text + "\n";
}

std::string SampleHtml(const DatasetDescription& description) {
  std::string text;
  if (const std::string warning = ContaminationText(description); !warning.empty()) {
    text += HtmlSection("Contaminated", "<p>" + warning + "</p>\n");
  }
  if (!description.samples) return text;
  const SampleFacts& facts = *description.samples;
  const auto table = [](const std::string& title, const std::vector<Line>& lines) {
    std::string rows = HtmlTableHead({title, "#", ""});
    for (const Line& line : lines) {
      rows += "<tr>" + HtmlCell(line.name) + HtmlCell(line.value) + HtmlCell(line.note) + "</tr>\n";
    }
    return rows + "</table>\n";
  };
  return text + HtmlSection("Samples", "<p>" + Introduction(facts) + "</p>\n" +
                                           table("score", ScoreLines(facts.scores)) +
                                           table("selection", SelectionLines(facts.selection)) +
                                           table("rewards", RewardLines(facts.rewards)) +
                                           table(RetryTitle(facts), RetryLines(facts.retry)));
}

}  // namespace kernelmill
