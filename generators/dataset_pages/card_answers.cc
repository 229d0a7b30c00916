#include "generators/dataset_pages/card_answers.h"

#include <map>
#include <set>

#include "generators/dataset_pages/markdown_table.h"
#include "generators/dataset_pages/markup.h"
#include "generators/perturbation/bug.h"
#include "generators/wording/number_format.h"

namespace kernelmill {
namespace {

std::string Speeds(const AnswerStatistics& answers) {
  if (answers.speeds.count() == 0) return "";
  return "; speed beside eager PyTorch's on a GPU, estimated, " +
         Grouped(answers.speeds.Quantile(0.5)) + " % in the median; " +
         Grouped(answers.not_taught) +
         " below 30 % serve only as what a better one replaces";
}

std::string Strength(const CandidateStatistics& candidates) {
  std::string text =
      "A right answer passed every trial of the verifier: fresh inputs of several distributions "
      "and layouts, no operator of torch in the place of a kernel, no output that is right "
      "without its kernels.\n\n" +
      TableHead({"backend", "right answers", "tasks", "at other sizes too", "bounds checked",
                 "races checked", "compiled for a device", "accesses counted", "trials, median"},
                "lrrrrrrrr");
  for (const auto& [backend, answers] : candidates.answers) {
    text += TableRow({MarkdownText(backend), Grouped(answers.answers),
                      Grouped(static_cast<std::int64_t>(answers.structures.size())),
                      Grouped(answers.other_sizes), Grouped(answers.memory_checked),
                      Grouped(answers.races_checked), Grouped(answers.device_compiled),
                      Grouped(answers.counted), Grouped(answers.trials.Quantile(0.5))});
  }
  text += '\n';
  for (const auto& [backend, answers] : candidates.answers) {
    text += "- " + MarkdownText(backend) + ": policy " + CountList(answers.policies) + "; run on " +
            CountList(answers.verified_on) + "; at the task's own sizes " +
            CountList(answers.full_size) + "; answers of different structure to a task " +
            ValueList(answers.StructuresPerTask()) + Speeds(answers) + "\n";
  }
  return text + '\n';
}

std::string Strategies(const CandidateStatistics& candidates) {
  Counts all;
  std::vector<std::string> titles = {"strategy"};
  for (const auto& [backend, answers] : candidates.answers) {
    titles.push_back(MarkdownText(backend));
    for (const auto& [strategy, kernels] : answers.strategies) all[strategy] += kernels;
  }
  std::string text = "How their kernels work:\n\n" +
                     TableHead(titles, "l" + std::string(candidates.answers.size(), 'r'));
  for (const auto& [strategy, kernels] : Ranked(all)) {
    std::vector<std::string> cells = {MarkdownText(strategy)};
    for (const auto& [backend, answers] : candidates.answers) {
      cells.push_back(Grouped(CountOf(answers.strategies, strategy)));
    }
    text += TableRow(cells);
  }
  return text + '\n';
}

struct FailureCounts {
  std::int64_t mutants = 0;
  std::set<std::string> bugs;
  Counts shown_as;
};

std::string Bugs(const CandidateStatistics& candidates) {
  std::map<std::string, FailureCounts> failures;
  std::int64_t mutants = 0;
  for (const auto& [name, statuses] : candidates.bugs) {
    const BugClass* bug = FindBug(name);
    FailureCounts& failure =
        failures[bug == nullptr ? "unknown" : std::string(FailureClassName(bug->failure))];
    failure.bugs.insert(name);
    for (const auto& [status, count] : statuses) {
      failure.mutants += count;
      failure.shown_as[status] += count;
      mutants += count;
    }
  }
  std::string text =
      "Answers with a bug put into them, each shown by running it; a slow one is "
      "right, with worse counts than the answer it was made of:\n\n" +
      TableHead({"failure", "answers", "share", "kinds of bug", "shown as"}, "lrrrl");
  for (const auto& [name, failure] : failures) {
    text += TableRow({name, Grouped(failure.mutants), Percent(failure.mutants, mutants),
                      Grouped(static_cast<std::int64_t>(failure.bugs.size())),
                      CountList(failure.shown_as)});
  }
  return text + '\n';
}

std::string Checks(const CheckStatistics& checks) {
  std::string text = Grouped(checks.checks) +
                     " checks, written for tasks with such answers and run on them: they let all " +
                     Grouped(checks.passed) + " right answers pass and find " +
                     Grouped(checks.caught) + " of " + Grouped(checks.caught + checks.missed) +
                     " wrong ones. What they look at:\n\n" + TableHead({"aspect", "checks"}, "lr");
  for (const auto& [aspect, count] : Ranked(checks.aspects)) {
    text += TableRow({MarkdownText(aspect), Grouped(count)});
  }
  return text + '\n';
}

}  // namespace

std::string AnswersSection(const DatasetStatistics& statistics) {
  const CandidateStatistics& candidates = statistics.candidates;
  if (candidates.empty()) return "";
  std::string text = "## Answers\n\n";
  if (!candidates.answers.empty()) text += Strength(candidates) + Strategies(candidates);
  if (!candidates.bugs.empty()) text += Bugs(candidates);
  if (statistics.checks.checks > 0) text += Checks(statistics.checks);
  return text;
}

}  // namespace kernelmill
