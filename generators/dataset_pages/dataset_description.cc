#include "generators/dataset_pages/dataset_description.h"

#include <algorithm>
#include <cmath>

#include "corpora/kernel_backend.h"
#include "generators/dataset_pages/markup.h"
#include "generators/wording/number_format.h"

namespace kernelmill {
namespace {

struct Entry {
  std::string_view name, text;
};

constexpr Entry kFamilies[] = {
    {"translate", "from a PyTorch module to kernels of its own that compute the same, verified"},
    {"shape_reasoning",
     "from a module and its inputs to the shape, dtype and layout of every value along forward()"},
    {"knowledge",
     "how a native kernel maps threads, indexes, guards, shares, reduces and launches, as far as "
     "its syntax tree proves it"},
    {"analyze", "what bounds a kernel, its mapping, registers, occupancy and counted accesses"},
    {"optimize", "from a right kernel to a better one, by what was counted or measured"},
    {"port",
     "the same kernels from CUDA to MUSA and back: answers of ours, and versions that people "
     "wrote"},
    {"review", "whether a kernel is right, and what is wrong with it"},
    {"repair", "from a wrong kernel and its diagnosis to a right one"},
    {"test", "a check that passes right kernels and fails wrong ones"},
};
constexpr Entry kKinds[] = {
    {"task",
     "a PyTorch module, cut out with all it needs, generated or supplied, and the inputs to run it "
     "with"},
    {"annotation", "what torch computed for one task: shapes, dtypes, strides, operators, costs"},
    {"candidate", "an answer to a task, or one with a bug put into it, and what running it showed"},
    {"check", "a test of answers to a task, and the answers that it lets pass and does not"},
    {"sample", "what a model wrote when it was given a task, and what it was sampled with"},
    {"kernel", "a native kernel of a repository with its slice, launches and binding"},
    {"port",
     "a kernel that a repository holds for CUDA and for another platform, with its host code"},
    {"training", "messages about one task or kernel: a row of the dataset"},
};

template <std::size_t size>
std::string_view Look(const Entry (&entries)[size], std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.text;
  }
  return "";
}

}  // namespace

bool DatasetDescription::Ran(std::string_view step) const {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step& candidate) { return candidate.name == step; });
}

std::vector<Loss> LossesOf(const DatasetDescription& description) {
  std::vector<Loss> losses;
  for (const DatasetDescription::Step& step : description.steps) {
    for (const auto& [reason, count] : Ranked(step.counts.rejected)) {
      losses.push_back({step.name, reason, count, true});
    }
    for (const auto& [reason, count] : Ranked(step.counts.rejected_items)) {
      losses.push_back({step.name, reason, count, true});
    }
    for (const auto& [reason, count] : Ranked(step.counts.dropped)) {
      losses.push_back({step.name, reason, count, false});
    }
  }
  return losses;
}

std::string ShareByWeight(const DatasetStatistics& statistics, const std::string& family) {
  constexpr double kScale = 1e6;  // Weights are configured values with a few digits.
  double whole = 0, part = 0;
  for (const auto& [name, weight] : statistics.family_weights) {
    whole += weight;
    if (name == family) part = weight;
  }
  return Percent(std::llround(part * kScale), std::llround(whole * kScale));
}

std::string_view TokensNote(const DatasetDescription& description) {
  return description.statistics.TokensAreEstimated() ? ", estimated" : "";
}

std::string_view ExplainFamily(std::string_view family) { return Look(kFamilies, family); }
std::string_view ExplainKind(std::string_view kind) { return Look(kKinds, kind); }

namespace {

// The limits of what is known about kernels, both the answers' and mined ones.
void LimitAnswers(const DatasetStatistics& statistics, std::vector<std::string>* limits) {
  const std::int64_t tasks = CountOf(statistics.records, "task");
  const std::int64_t found = CountOf(statistics.records, "kernel");
  const std::int64_t ports = CountOf(statistics.records, "port");
  if (statistics.candidates.empty() && ports == 0) {
    limits->emplace_back("No native kernel was compiled or executed.");
    return;
  }
  if (found > 0) {
    limits->push_back("None of the " + Grouped(found) +
                      " native kernels of repositories was compiled or executed.");
  }
  if (ports > 0) {
    limits->push_back("The " + Grouped(ports) +
                      " kernels that repositories hold for two platforms were compiled for CUDA, "
                      "under its names, and not executed.");
  }
  for (const auto& [backend, answers] : statistics.candidates.answers) {
    const std::string of =
        " of " + Grouped(answers.answers) + ' ' + MarkdownText(backend) + " answers were not ";
    if (const auto none = tasks - std::int64_t(answers.structures.size()); none > 0) {
      limits->push_back(Grouped(none) + " of " + Grouped(tasks) + " tasks have no " +
                        MarkdownText(backend) + " answer.");
    }
    if (const std::int64_t left = answers.answers - answers.memory_checked; left > 0) {
      limits->push_back(Grouped(left) + of + "run with every access checked for bounds.");
    }
    if (const std::int64_t left = answers.answers - answers.races_checked; left > 0) {
      limits->push_back(Grouped(left) + of + "run with every access checked for races.");
    }
    if (const std::int64_t left = answers.answers - answers.device_compiled; left > 0) {
      limits->push_back(Grouped(left) + of + "compiled by a compiler for devices as a whole.");
    }
    std::int64_t left_smaller = 0;
    for (const char* const state : {"not_checked", "batch", "each"}) {
      left_smaller += CountOf(answers.full_size, state);
    }
    if (const std::int64_t left = left_smaller; left > 0) {
      limits->push_back(Grouped(left) + of +
                        "run at the sizes of their tasks, but at smaller ones.");
    }
    if (answers.answers > 0 && CountOf(answers.verified_on, "cpu_executor") == answers.answers) {
      limits->push_back("Kernels for " + MarkdownText(backend) +
                        " ran on a processor in the place of a GPU: no time was measured.");
    }
    const KernelBackend* const platform = FindKernelBackend(backend);
    if (platform != nullptr && !platform->unavailable_compiler.empty()) {
      limits->push_back("No " + std::string(platform->title) + " kernel was compiled by " +
                        std::string(platform->unavailable_compiler) +
                        ", the compiler of its devices.");
    }
  }
}

}  // namespace

std::vector<std::string> LimitsOf(const DatasetDescription& description) {
  const DatasetStatistics& statistics = description.statistics;
  std::vector<std::string> limits;
  LimitAnswers(statistics, &limits);
  if (!description.Ran("dedup")) {
    limits.push_back(statistics.benchmark_overlaps.empty()
                         ? "Only exact duplicates were merged: near duplicates remain, and overlap "
                           "with public benchmarks was not searched for."
                         : "Only exact duplicates were merged: near duplicates remain.");
  }
  if (const std::int64_t fixed = CountOf(statistics.shape_contracts, "fixed_shapes"); fixed > 0) {
    limits.push_back(Grouped(fixed) + " of " + Grouped(CountOf(statistics.records, "task")) +
                     " tasks were run with one set of input shapes only; nothing is said about "
                     "others.");
  }
  if (CountOf(statistics.records, "task") > 0) {
    limits.push_back(
        "Where a repository does not state the sizes of its inputs they were inferred; the task "
        "records name the evidence for every argument and size.");
  }
  const std::int64_t kernels = CountOf(statistics.records, "kernel");
  if (const std::int64_t lacking = kernels - statistics.complete_kernels; lacking > 0) {
    limits.push_back("The slices of " + Grouped(lacking) + " of " + Grouped(kernels) +
                     " native kernels use names that their repository does not define; the kernel "
                     "records list them.");
  }
  if (statistics.truncated_annotations > 0) {
    limits.push_back(Grouped(statistics.truncated_annotations) +
                     " annotations were cut: their tasks have more values than are kept.");
  }
  limits.push_back(
      "Licence evidence quotes what the repositories say; whether it is right, and what it allows, "
      "was not judged.");
  if (statistics.rows_without_licence > 0) {
    limits.push_back(Grouped(statistics.rows_without_licence) + " of " +
                     Grouped(statistics.Rows()) + " rows have no licence evidence at all.");
  }
  if (statistics.TokensAreEstimated()) {
    limits.push_back(
        "Token counts are estimates from bytes (3.1 bytes a token in code, 4.1 in prose); no "
        "tokenizer was run.");
  } else {
    limits.push_back("Token counts are of the messages' text, without those of a chat template.");
  }
  limits.push_back("No person has read the rows.");
  return limits;
}

}  // namespace kernelmill
