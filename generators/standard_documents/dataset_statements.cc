#include "generators/standard_documents/dataset_statements.h"

#include <algorithm>
#include <cctype>

#include "generators/wording/number_format.h"

namespace kernelmill {
namespace {

constexpr std::string_view kNoAssertion = "NOASSERTION", kOwnLicence = "LicenseRef-";
constexpr std::size_t kMostOperators = 5;

struct KindCounts {
  std::int64_t mined = 0, supplied = 0, generated = 0, sampled = 0;
};

KindCounts SourcesByKind(const SourceList& sources) {
  KindCounts counts;
  for (const auto& [key, source] : sources.sources()) {
    counts.mined += source.origin.mined();
    counts.supplied += source.origin.supplied();
    counts.generated += source.origin.generated();
    counts.sampled += source.origin.sampled();
  }
  return counts;
}

}  // namespace

std::string SummaryOf(const DocumentedDataset& dataset) {
  const DatasetStatistics& statistics = dataset.description.statistics;
  std::set<std::string> families;
  for (const auto& [split, rows] : statistics.rows) {
    for (const auto& [family, count] : rows) families.insert(family);
  }
  std::string names;
  for (const std::string& family : families) names += (names.empty() ? "" : ", ") + family;
  return Counted(statistics.Rows(), "row") +
         " of chat messages that teach to turn PyTorch modules into CUDA and MUSA kernels" +
         (names.empty() ? "" : " (" + names + ")") +
         ". Every row follows from records that say where they come from: to commit and line, to a "
         "row of a file, or to a seed and an index. The Merkle root of the records is " +
         dataset.manifest.merkle_root.Hex() + ".";
}

std::string CollectionOf(const DocumentedDataset& dataset) {
  const KindCounts kinds = SourcesByKind(dataset.sources);
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (kinds.mined > 0) {
    add("PyTorch modules and native kernels were cut out of " + Grouped(kinds.mined) +
        (kinds.mined == 1 ? " repository" : " repositories") + ", each at one commit.");
  }
  if (kinds.supplied > 0) {
    add("Tasks were read from " + Counted(kinds.supplied, "source") +
        " of the user: files or folders.");
  }
  if (kinds.generated > 0) {
    add("kernelmill drew modules under " + Counted(kinds.generated, "seed") + ".");
  }
  if (kinds.sampled > 0) {
    add("Answers are samples of " + Counted(kinds.sampled, "language model") + ".");
  }
  return text.empty() ? "The dataset has no records." : text;
}

std::vector<std::string> PreparationOf(const DocumentedDataset& dataset) {
  std::vector<std::string> sentences;
  for (const auto& [name, takes, counts] : dataset.description.steps) {
    sentences.push_back("The step " + name + " took " + Grouped(counts.in) + " inputs (" + takes +
                        "), kept " + Grouped(counts.kept) + ", dropped " +
                        Grouped(counts.Dropped()) + ", rejected " + Grouped(counts.Rejected()) +
                        ", and gave " + Grouped(counts.outputs) + " outputs.");
  }
  return sentences;
}

std::string InferencesOf(const DocumentedDataset& dataset) {
  if (SourcesByKind(dataset.sources).mined == 0) return "";
  return "Where a repository does not state the arguments of a module or the sizes of its inputs, "
         "they were inferred; the task records name the evidence.";
}

std::string ChangesOf(const DocumentedDataset& dataset) {
  const auto& bugs = dataset.description.statistics.candidates.bugs;
  if (bugs.empty()) return "";
  std::int64_t mutants = 0;
  for (const auto& [bug, statuses] : bugs) {
    for (const auto& [status, count] : statuses) mutants += count;
  }
  return "A bug was put into " + Counted(mutants, "right answer") +
         " on purpose, and running it proved each; rows of the families repair, review and test "
         "show them as wrong.";
}

std::vector<std::string> AnnotationOf(const DocumentedDataset& dataset) {
  std::vector<std::string> sentences;
  const DatasetStatistics& statistics = dataset.description.statistics;
  if (CountOf(statistics.records, "annotation") > 0) {
    sentences.emplace_back(
        "Shapes, dtypes, layouts and costs are what torch computed when a module was run in a "
        "sandbox.");
  }
  if (!statistics.candidates.empty()) {
    sentences.emplace_back(
        "Whether a kernel is right was decided by compiling and running it against the module.");
  }
  sentences.emplace_back("No person has annotated the rows.");
  return sentences;
}

std::vector<std::string> BiasesOf(const DocumentedDataset& dataset) {
  std::vector<std::string> sentences;
  const DatasetStatistics& statistics = dataset.description.statistics;
  std::int64_t generated = 0;
  for (const auto& [task, kind] : statistics.task_kinds) generated += kind == "generated";
  if (const auto tasks = static_cast<std::int64_t>(statistics.task_kinds.size()); tasks > 0) {
    sentences.push_back(Percent(generated, tasks) + " of the tasks are drawn by a generator.");
  }
  const Json* const allowed = dataset.configuration.Find("mine.licences");
  if (SourcesByKind(dataset.sources).mined > 0 && allowed != nullptr && allowed->is_array()) {
    std::string names;
    for (const Json& name : allowed->as_array()) {
      if (name.is_string()) names += (names.empty() ? "" : ", ") + name.as_string();
    }
    sentences.push_back("Code of repositories was only taken under the licences " + names + ".");
  }
  const auto operators = Ranked(statistics.operator_calls);
  std::string frequent;
  for (std::size_t i = 0; i < std::min(operators.size(), kMostOperators); ++i) {
    frequent +=
        (i == 0 ? "" : ", ") + operators[i].first + " (" + Grouped(operators[i].second) + ")";
  }
  if (!frequent.empty()) {
    sentences.push_back("The most frequent of " +
                        Counted(static_cast<std::int64_t>(operators.size()), "operator") +
                        ", with their calls: " + frequent + ".");
  }
  if (dataset.manifest.contaminated) {
    sentences.emplace_back(
        "Rows were made from problems of a protected benchmark: scores on it mean nothing for a "
        "model that was trained with them.");
  }
  return sentences;
}

std::vector<std::string> UsesOf(const DocumentedDataset& dataset) {
  return {
      dataset.description.samples
          ? "Training of language models that write native kernels, with samples of a model "
            "that were judged."
          : "Supervised fine-tuning of language models that write native kernels.",
      "Not to measure models: the validation split has the same sources as the training split."};
}

std::string PersonalDataOf() {
  return "E-mail and IP addresses in texts of repositories and users were replaced by reserved "
         "ones. "
         "Names in licence texts and notices of copyright are kept. No other personal data was "
         "searched for.";
}

std::string MaintenanceOf() {
  return "`kernelmill purge` removes a source or a record with everything that was made from it; "
         "`kernelmill audit` checks the result.";
}

std::vector<std::string> ToolsOf(const DocumentedDataset& dataset) {
  std::vector<std::string> tools;
  for (const char* const name : {"kernelmill", "torch"}) {
    const auto version = dataset.manifest.versions.find(name);
    if (version != dataset.manifest.versions.end()) {
      tools.push_back(std::string(name) + " " + version->second);
    }
  }
  return tools;
}

bool IsKnownLicence(const std::string& spdx) { return !spdx.empty() && spdx != kNoAssertion; }

std::string AsUri(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri;
  for (const unsigned char c : text) {
    if (c > ' ' && c < 0x7f && std::string_view("\"<>\\^`{|}").find(char(c)) == std::string::npos) {
      uri += char(c);
    } else {
      uri += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return uri;
}

std::string LicenceUrl(const std::string& spdx) {
  const bool is_listed = IsKnownLicence(spdx) && !spdx.starts_with(kOwnLicence) &&
                         std::all_of(spdx.begin(), spdx.end(), [](unsigned char c) {
                           return std::isalnum(c) || c == '-' || c == '.' || c == '+';
                         });
  return is_listed ? "https://spdx.org/licenses/" + spdx : spdx;
}

std::string AllLicences(const std::set<std::string>& licences) {
  std::vector<std::string> known;
  std::copy_if(licences.begin(), licences.end(), std::back_inserter(known), IsKnownLicence);
  std::string all;
  for (const std::string& spdx : known) {
    const bool is_compound = known.size() > 1 && spdx.find(' ') != spdx.npos;
    all += (all.empty() ? "" : " AND ") + (is_compound ? "(" + spdx + ")" : spdx);
  }
  return all;
}

}  // namespace kernelmill
