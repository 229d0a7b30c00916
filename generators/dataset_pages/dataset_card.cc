#include "generators/dataset_pages/dataset_card.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>

#include "corpora/benchmark_table.h"
#include "corpora/operators/called_name.h"
#include "corpora/operators/operator_table.h"
#include "generators/dataset_pages/card_answers.h"
#include "generators/dataset_pages/markdown_table.h"
#include "generators/dataset_pages/markup.h"
#include "generators/dataset_pages/sample_section.h"
#include "generators/wording/number_format.h"
#include "manifests/reason.h"

namespace kernelmill {
namespace {

// The card lists only the most frequent operators, because it is read from top to bottom. The
// report and the records have all of them.
constexpr std::size_t kMostOperators = 20;
constexpr std::size_t kMostSources = 100;

// The SPDX identifiers, in lower case, that the hub accepts. Any other licence is "other".
constexpr std::string_view kHubLicences[] = {
    "afl-3.0",    "agpl-3.0",  "apache-2.0", "artistic-2.0", "bsd-2-clause", "bsd-3-clause",
    "bsl-1.0",    "cc-by-4.0", "cc0-1.0",    "ecl-2.0",      "epl-1.0",      "epl-2.0",
    "eupl-1.1",   "gpl-2.0",   "gpl-3.0",    "isc",          "lgpl-2.1",     "lgpl-3.0",
    "mit",        "mpl-2.0",   "ms-pl",      "ncsa",         "ofl-1.1",      "osl-3.0",
    "postgresql", "unlicense", "wtfpl",      "zlib",
};

std::string HubLicence(const std::string& spdx) {
  std::string lower;
  for (char c : spdx) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const bool known =
      std::find(std::begin(kHubLicences), std::end(kHubLicences), lower) != std::end(kHubLicences);
  return known ? lower : "other";
}

std::string_view SizeCategory(std::int64_t rows) {
  if (rows < 1'000) return "n<1K";
  if (rows < 10'000) return "1K<n<10K";
  if (rows < 100'000) return "10K<n<100K";
  if (rows < 1'000'000) return "100K<n<1M";
  return rows < 10'000'000 ? "1M<n<10M" : "10M<n<100M";
}

// The pattern of a split's files in the format that the hub reads best; empty without files.
std::string DataFilesOf(const std::string& split, const std::vector<std::string>& files) {
  const std::string name = "data/" + split;
  for (const std::string& file : files) {
    if (file.starts_with(name + "-") && file.ends_with(".parquet")) return name + "-*.parquet";
  }
  const std::string lines = name + ".jsonl";
  return std::find(files.begin(), files.end(), lines) == files.end() ? "" : lines;
}

std::string FrontMatter(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  std::set<std::string> licences;
  for (const auto& [spdx, rows] : statistics.licences) licences.insert(HubLicence(spdx));
  if (licences.empty()) licences.insert("unknown");
  std::string text = "---\npretty_name: \"kernelmill: PyTorch modules and native kernels\"\n";
  text += "license:\n";
  for (const std::string& licence : licences) text += "- " + licence + "\n";
  text += "language:\n- en\n- code\ntask_categories:\n- text-generation\ntags:\n- kernelmill\n";
  std::set<std::string> tags;
  for (const auto& [split, families] : statistics.rows) {
    for (const auto& [family, rows] : families) tags.insert(family);
  }
  for (const auto& [backend, rows] : statistics.backends) tags.insert(backend);
  if (description.contaminated) tags.insert("contaminated");
  for (const std::string& tag : tags) text += "- " + YamlText(tag) + "\n";
  text += "size_categories:\n- " + std::string(SizeCategory(statistics.Rows())) + "\n";
  std::string data_files;
  for (const auto& [split, families] : statistics.rows) {
    const std::string path = DataFilesOf(split, description.files);
    if (path.empty()) continue;
    data_files += "  - split: " + YamlText(split) + "\n    path: " + YamlText(path) + "\n";
  }
  if (!data_files.empty()) {
    text += "configs:\n- config_name: default\n  data_files:\n" + data_files;
  }
  return text + "---\n\n";
}

std::string RowGroups(const DatasetStatistics& statistics) {
  std::string text =
      "\nThe same by the language of the code in question, the stage of training, and where the "
      "tasks are from. Only answers are trained. A graph counts once at whatever sizes; of some "
      "tasks none is known.\n\n" +
      TableHead({"family", "backend", "curriculum stage", "tasks", "rows", "trained tokens",
                 "distinct tasks", "distinct graphs"},
                "llrlrrrr");
  for (const auto& [key, group] : statistics.row_groups) {
    const auto& [family, backend, stage, generated] = key;
    text += TableRow({MarkdownText(family), MarkdownText(backend), std::to_string(stage),
                      generated ? "generated" : "found", Grouped(group.rows), Grouped(group.tokens),
                      Grouped(static_cast<std::int64_t>(group.subjects.size())),
                      Grouped(statistics.DistinctGraphs(group))});
  }
  return text;
}

std::string Overview(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  std::string text = "# Training data about PyTorch modules and native kernels\n\n";
  text +=
      Grouped(statistics.Rows()) + " rows of chat messages from " +
      Grouped(static_cast<std::int64_t>(statistics.sources.size())) +
      (statistics.sources.size() == 1 ? " source" : " sources") +
      ", for models that turn PyTorch modules into CUDA and MUSA kernels. "
      "kernelmill took modules and native kernels out of repositories, was given some, or "
      "generated them, and ran the modules in a sandbox" +
      (description.samples             ? ", and judged what models answered to them"
       : statistics.candidates.empty() ? ""
                                       : ", wrote kernels for them and ran those too") +
      (description.samples
           ? "; a row trains the text of a model, of which only the code was checked, and follows "
             "from records in `shards/` that say where it comes from: "
           : "; every statement in a row follows from a record in `shards/` that says where it "
             "comes from: ") +
      "to commit and line, to a row of a file, or to a seed and an index. `report.html` has the "
      "same facts as charts.\n\n";
  std::set<std::string> families;
  for (const auto& [split, counts] : statistics.rows) {
    for (const auto& [family, rows] : counts) families.insert(family);
  }
  std::vector<std::string> titles = {"family", "teaches"};
  for (const auto& [split, counts] : statistics.rows) titles.push_back(MarkdownText(split));
  titles.push_back("tokens" + std::string(TokensNote(description)));
  titles.push_back("trained tokens by weight");
  text += "## Rows\n\n" + TableHead(titles, "ll" + std::string(statistics.rows.size() + 2, 'r'));
  for (const std::string& family : families) {
    std::vector<std::string> cells = {MarkdownText(family), std::string(ExplainFamily(family))};
    for (const auto& [split, counts] : statistics.rows) {
      const auto rows = counts.find(family);
      cells.push_back(Grouped(rows == counts.end() ? 0 : rows->second));
    }
    cells.push_back(Grouped(statistics.family_tokens.at(family)));
    cells.push_back(ShareByWeight(statistics, family));
    text += TableRow(cells);
  }
  text += RowGroups(statistics);
  text += "\n## Records\n\n" + TableHead({"kind", "holds", "records"}, "llr");
  for (const auto& [kind, count] : statistics.records) {
    text += TableRow({MarkdownText(kind), std::string(ExplainKind(kind)), Grouped(count)});
  }
  return text + "\n";
}

// A share with two significant digits: "0.10 %".
std::string PartText(double part) {
  char text[32];
  std::snprintf(text, sizeof text, part < 0.01 ? "%.2f %%" : "%.1f %%", part * 100);
  return text;
}

std::string Number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

// How many rows are above the limit of near-equal programs.
std::string NearEqualText(const MixtureReport::NearEqual& near_equal,
                          const DatasetStatistics& statistics) {
  if (near_equal.limit == 0) return "";
  std::string families;
  std::int64_t rows = 0;
  for (const auto& [family, count] : Ranked(statistics.near_equal_rows)) {
    std::int64_t all = 0;
    for (const auto& [split, counts] : statistics.rows) {
      const auto found = counts.find(family);
      all += found == counts.end() ? 0 : found->second;
    }
    families += (families.empty() ? ": " : ", ") + MarkdownText(family) + " " + Grouped(count) +
                " of " + Grouped(all);
    rows += count;
  }
  return "Of programs of one task that share " + Number(near_equal.similarity) +
         " of their text or more, at most " + Grouped(near_equal.limit) +
         " are trained. Rows with others have weight 0, and `near_equal_to` names a row that is "
         "trained instead: " +
         Grouped(rows) + (rows == 1 ? " row" : " rows") + families + ".\n\n";
}

// Empty when the rows were not weighted by the step mix.
std::string MixtureText(const MixtureReport& mixture, const DatasetStatistics& statistics) {
  if (mixture.families.empty()) return "";
  std::string absent;
  for (const MixtureReport::Family& family : mixture.families) {
    if (family.wanted == 0 || family.reached > 0) continue;
    absent += (absent.empty() ? "" : ", ") + MarkdownText(family.name) + " (" +
              PartText(family.wanted) + ")";
  }
  std::string text =
      "## Weights\n\nThe column `weight` gives each family its share of the trained tokens; the "
      "mean over them is 1. A row that asks for what no other asks for weighs between " +
      Number(mixture.least_weight) + " and " + Number(mixture.most_weight) + ".";
  if (!absent.empty()) {
    text += " Of these families no rows are trained, and others have their share: " + absent + ".";
  }
  text += "\n\n" + NearEqualText(mixture.near_equal, statistics);
  text += TableHead({"capped", "at most", "largest", "over the cap"}, "lrrl");
  for (const MixtureReport::Cap& cap : mixture.caps) {
    text += TableRow({MarkdownText(cap.name), PartText(cap.limit), PartText(cap.largest),
                      cap.over == 0 ? "none"
                                    : Grouped(cap.over) + " of " + Grouped(cap.all) +
                                          ": the dataset is too small for this cap"});
  }
  return text + "\n";
}

std::string LicenceCounts(const Counts& licences) {
  std::string text;
  for (const auto& [spdx, rows] : Ranked(licences)) {
    text += (text.empty() ? "" : ", ") + (spdx.empty() ? "none found" : MarkdownText(spdx)) + " " +
            Grouped(rows);
  }
  return text;
}

std::string Sources(const DatasetStatistics& statistics) {
  std::string text =
      "## Sources\n\nA record that was found in several of them counts in each. "
      "Licences are counted by row.\n\n" +
      TableHead({"source", "commit or seed", "subjects", "rows", "licences"}, "llrrl");
  std::size_t shown = 0;
  for (const auto& [key, source] : statistics.sources) {
    if (shown++ == kMostSources) break;
    text += TableRow({MarkdownText(key.first), MarkdownText(key.second), Grouped(source.subjects),
                      Grouped(source.rows), LicenceCounts(source.licences)});
  }
  if (statistics.sources.size() > kMostSources) {
    const std::size_t rest = statistics.sources.size() - kMostSources;
    text += "\nand " + Grouped(static_cast<std::int64_t>(rest)) + " more.\n";
  }
  return text + "\n";
}

std::string Making(const DatasetDescription& description) {
  std::string text =
      "## How it was made\n\nEach step takes `in` = kept + dropped + rejected "
      "inputs; what is rejected is only counted, and its bytes are not part of the dataset.\n\n" +
      TableHead({"step", "takes", "in", "kept", "dropped", "rejected", "gives"}, "llrrrrr");
  for (const auto& [name, takes, counts] : description.steps) {
    text +=
        TableRow({MarkdownText(name), takes, Grouped(counts.in), Grouped(counts.kept),
                  Grouped(counts.Dropped()), Grouped(counts.Rejected()), Grouped(counts.outputs)});
  }
  const std::vector<Loss> losses = LossesOf(description);
  if (losses.empty()) return text + "\n";
  text += "\n" + TableHead({"step", "reason", "count", "", "meaning"}, "llrll");
  for (const Loss& loss : losses) {
    text +=
        TableRow({MarkdownText(loss.step), MarkdownText(loss.reason), Grouped(loss.count),
                  loss.rejected ? "rejected" : "dropped", std::string(ExplainReason(loss.reason))});
  }
  return text + "\n";
}

std::string Quantiles(const std::string& title, const Distribution& values) {
  return TableRow({title, Grouped(values.Quantile(0)), Grouped(values.Quantile(0.5)),
                   Grouped(values.Quantile(0.95)), Grouped(values.Quantile(1)),
                   Grouped(values.sum())});
}

std::string OfThousand(double share) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", 1000 * share);
  return text;
}

// How many tasks overlap the problems of each benchmark, those that were rejected included, by the
// counters of "admit" (stages/admit/decontamination.h).
std::string OverlapsByBenchmark(const DatasetDescription& description) {
  std::map<std::string, std::map<OverlapTier, std::int64_t>> benchmarks;
  for (const DatasetDescription::Step& step : description.steps) {
    for (const auto& [counter, count] : step.counts.counters) {
      for (const OverlapTier tier : kOverlapTiers) {
        const std::string prefix = "benchmark." + std::string(OverlapTierName(tier)) + ".";
        if (counter.starts_with(prefix)) benchmarks[counter.substr(prefix.size())][tier] += count;
      }
    }
  }
  if (benchmarks.empty()) return "";
  std::string text =
      "\nThe closest tier of each task and benchmark, rejected tasks included:\n\n" +
      TableHead({"benchmark", "T0", "T1", "T2", "T3"}, "lrrrr");
  for (auto& [benchmark, counts] : benchmarks) {
    std::vector<std::string> row = {benchmark};
    for (const OverlapTier tier : kOverlapTiers) row.push_back(Grouped(counts[tier]));
    text += TableRow(row);
  }
  return text;
}

// The problems whose graph, or whose operators only, most tasks have.
std::string FrequentProblems(const DatasetDescription& description) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (const OverlapTier tier : {OverlapTier::kPattern, OverlapTier::kOperators}) {
    const std::string name(OverlapTierName(tier));
    const std::string prefix = std::string(kProblemCounter) + name + ".";
    std::map<std::string, std::int64_t> tasks;
    for (const DatasetDescription::Step& step : description.steps) {
      for (const auto& [counter, count] : step.counts.counters) {
        if (counter.starts_with(prefix)) tasks[counter.substr(prefix.size())] += count;
      }
    }
    std::vector<std::pair<std::string, std::int64_t>> problems(tasks.begin(), tasks.end());
    std::stable_sort(problems.begin(), problems.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t i = 0; i < std::min(kShown, problems.size()); ++i) {
      text += TableRow({name, MarkdownText(problems[i].first), Grouped(problems[i].second)});
    }
  }
  if (text.empty()) return "";
  return "\nThe problems that most tasks are closest to (`manifest.json` has the number for each "
         "problem, at `counts.admit.counters`):\n\n" +
         TableHead({"tier", "problem", "tasks"}, "llr") + text;
}

// The results of comparing the tasks with benchmarks; empty if they were not compared.
std::string Overlaps(const DatasetDescription& description) {
  const Counts& overlaps = description.statistics.benchmark_overlaps;
  std::int64_t rejected = 0;
  for (const Loss& loss : LossesOf(description)) {
    if (loss.reason == "benchmark") rejected += loss.count;
  }
  if (overlaps.empty() && rejected == 0) return "";
  const auto count = [&](std::string_view name) {
    const auto entry = overlaps.find(std::string(name));
    return Grouped(entry == overlaps.end() ? 0 : entry->second);
  };
  return "## Overlap with benchmarks\n\nThe text of each task and its graph of operators were "
         "compared with those of the protected problems. Rejected: " +
         Grouped(rejected) + ". Kept:\n\n" + TableHead({"tier", "the task has", "tasks"}, "llr") +
         TableRow({"T0", "nearly the text of a problem", count("T0")}) +
         TableRow({"T1", "the graph of a problem, and its shapes", count("T1")}) +
         TableRow({"T2", "the graph of a problem at other shapes", count("T2")}) +
         TableRow({"T3", "the operators of a problem, put together otherwise", count("T3")}) +
         TableRow({"none", "another set of operators than any problem", count("none")}) +
         TableRow({"", "another text than any problem, and calls that no graph of ours can say",
                   count(kNoGraph)}) +
         OverlapsByBenchmark(description) + FrequentProblems(description) + "\n";
}

// The authors of the reasoning, and how repetitive the answers' prose is.
std::string ReasoningText(const DatasetStatistics& statistics) {
  const ProseVariety& prose = statistics.answer_prose;
  std::string text = statistics.reasoning_authors.empty()
                         ? "No row has reasoning."
                         : "Reasoning is by " + CountList(statistics.reasoning_authors) +
                               " (kernelmill: by rule, from what the records say).";
  if (prose.sequences() > 0) {
    text += " Of the runs of four words in all answers, code aside, " +
            Percent(prose.distinct_sequences(), prose.sequences()) +
            " are there for the first time (of " + Grouped(prose.sequences()) +
            " looked at); zstd makes the same prose " + Number(prose.CompressionRatio()) +
            " times smaller.";
  }
  return text;
}

std::string Contents(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  const std::string note(TokensNote(description));
  std::string text = "## What is in it\n\n";
  text += "- dtypes of inputs: " + CountList(statistics.input_dtypes) + "\n";
  text += "- dtypes of operator results: " + CountList(statistics.result_dtypes) + "\n";
  text += "- layouts of inputs: " + CountList(statistics.input_layouts) + "\n";
  text += "- layouts of operator results: " + CountList(statistics.result_layouts) + "\n";
  text += "- ranks of inputs: " + ValueList(statistics.input_ranks) + "\n";
  text += "- ranks of operator results: " + ValueList(statistics.result_ranks) + "\n";
  text += "- tensors that a task returns: " + ValueList(statistics.outputs) + "\n";
  text += "- shape contracts of tasks: " + CountList(statistics.shape_contracts) + "\n\n";
  if (statistics.Rows() > 0) {
    const auto [most, rows] = Ranked(statistics.prompt_templates).front();
    text += "Rows by stage of training: " + CountList(statistics.stages) +
            "; by reasoning in front of the answer: " + CountList(statistics.reasoning) +
            "; by evidence of speed: " + CountList(statistics.perf_evidence) + ". " +
            Grouped(static_cast<std::int64_t>(statistics.prompt_templates.size())) +
            " templates ask; the most frequent, " + MarkdownText(most) + ", asks in " +
            Percent(rows, statistics.Rows()) + " of the rows. " + ReasoningText(statistics) +
            "\n\n";
  }
  if (const std::int64_t kernels = statistics.kernel_lines.count(); kernels > 0) {
    text += "Of " + Grouped(kernels) + " native kernels (" + CountList(statistics.kernel_backends) +
            ") " + Grouped(statistics.launched_kernels) + " come with their launches, " +
            Grouped(statistics.bound_kernels) + " with the name by which Python calls them; " +
            Grouped(statistics.complete_kernels) + " slices lack no name.\n\n";
  }
  text += TableHead({"", "least", "median", "95 %", "most", "sum"}, "lrrrrr");
  text += Quantiles("elements of an input", statistics.input_elements);
  text += Quantiles("elements of an operator's result", statistics.result_elements);
  text += Quantiles("FLOPs of a task", statistics.flops);
  text += Quantiles("parameters of a task", statistics.parameters);
  text += Quantiles("lines of a native kernel's slice", statistics.kernel_lines);
  text += Quantiles("tokens of a prompt" + note, statistics.prompt_tokens);
  text += Quantiles("tokens of an answer" + note, statistics.answer_tokens);
  for (const auto& [tokenizer, rows] : statistics.tokenizers) {
    if (!statistics.TokensAreEstimated()) {
      text += "\nTokens were counted by the tokenizer.json with " + MarkdownText(tokenizer) + ".\n";
    }
  }
  const auto operators = Ranked(statistics.operator_calls);
  if (operators.empty()) return text + "\n";
  const std::size_t shown = std::min(operators.size(), kMostOperators);
  std::int64_t all = 0;
  for (const auto& [name, calls] : operators) all += calls;
  double weights = 0;
  for (const OperatorRow& row : Operators()) weights += row.weight;
  text += "\nThe " + std::to_string(shown) + " most frequent of " +
          Grouped(static_cast<std::int64_t>(operators.size())) +
          " operators, and how many of 1,000 each is in KernelBench and collections like it:\n\n" +
          TableHead({"operator", "calls", "tasks", "of 1,000", "in KernelBench"}, "lrrrr");
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, calls] = operators[i];
    double usual = 0;
    const std::vector<const OperatorRow*>& rows = RowsCalled(name);
    for (const OperatorRow* row : rows) usual += row->weight;
    text +=
        TableRow({MarkdownText(name), Grouped(calls), Grouped(statistics.operator_tasks.at(name)),
                  OfThousand(static_cast<double>(calls) / static_cast<double>(all)),
                  rows.empty() ? "–" : OfThousand(usual / weights)});
  }
  return text + "\n";
}

std::string Limits(const DatasetDescription& description) {
  std::string text = "## What was never checked\n\n";
  for (const std::string& limit : LimitsOf(description)) text += "- " + limit + "\n";
  return text + "\n";
}

std::string Use(const DatasetDescription& description) {
  std::string text = "## Audit it\n\nThe Merkle root over all records is\n\n    " +
                     description.merkle_root.Hex() +
                     "\n\nThe `manifest_digest` of `manifest.json` covers every file. Keep it where "
                     "nobody who can change the dataset can change it too; then\n"
                     "\n```sh\nkernelmill audit DIR --root DIGEST\nkernelmill trace DIR ID      # what a row was made from, to commit and "
                     "line\nkernelmill inspect DIR       # rows, readable\n```\n\n"
                     "proves every byte, count, licence and edge of lineage.\n\n";
  text +=
      "## Load it\n\n```python\nfrom datasets import load_dataset\n\n"
      "rows = load_dataset(\"DIR\")  # a folder, or the name of a repository on the hub\n"
      "print(rows[\"train\"][0][\"messages\"])\n```\n\n"
      "Only the last message of a row is trained: `loss` in `messages` says so, and `prompt` and "
      "`completion` hold the same messages. Answers before it are context, and wrong in rows of "
      "the "
      "family `repair`. TRL and verl take 1,024 tokens of a row unless their `max_length` says "
      "more; TRL cuts the rest silently.\n\n"
      "`kernelmill export DIR --format NAME` writes the rows for TRL, verl, LLaMA-Factory, axolotl "
      "and ms-swift, each as it reads them, without training rows of weight 0. Only ms-swift "
      "applies "
      "other weights; for the others `--resample` draws rows by `weight`.\n\n";
  text += "## Made by\n\n";
  for (const auto& [name, version] : description.versions) {
    text += "- " + MarkdownText(name) + " " + MarkdownText(version) + "\n";
  }
  return text;
}

}  // namespace

std::string WriteDatasetCard(const DatasetDescription& description) {
  return FrontMatter(description) + Overview(description) + SampleMarkdown(description) +
         MixtureText(description.mixture, description.statistics) +
         Sources(description.statistics) + Making(description) + Overlaps(description) +
         AnswersSection(description.statistics) + Contents(description) + Limits(description) +
         Use(description);
}

}  // namespace kernelmill
