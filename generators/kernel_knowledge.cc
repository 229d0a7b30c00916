#include "generators/kernel_knowledge.h"

#include <algorithm>

#include "generators/fenced_code.h"
#include "generators/kernel_prose.h"

namespace kernelmill {
namespace {

const std::vector<std::string_view> kWholeQuestions = {
    "Explain how this kernel works: how threads map to elements, how memory is indexed, and how "
    "threads work together.",
    "Walk me through `{name}`. What does each thread do, which bounds are checked, and what is "
    "shared between threads?",
    "Read the {language} kernel `{name}` and describe its parallel structure.",
    "I have to port `{name}`. Describe its thread mapping, memory accesses and synchronisation "
    "first.",
    "What is the index space of `{name}`, how does a thread find its data, and how is the kernel "
    "launched?",
    "Review the parallel decomposition of the kernel `{name}` below.",
    "For the kernel `{name}`: which thread handles which element, how are out-of-range threads "
    "treated, and what do threads exchange?",
    "Describe, with line numbers, how `{name}` distributes its work over the grid."};

const std::vector<std::string_view> kLaunchQuestions = {
    "How is `{name}` launched, and how does its launch configuration fit the way it computes its "
    "indices?",
    "Which grid and block does the host give to `{name}`, and what do the threads make of them?",
    "Explain the launch of the kernel `{name}` and how its threads find their place in the grid.",
    "What must be known to launch `{name}` correctly?"};

std::string LanguageOf(const KernelSource& kernel) {
  return kernel.backend == "musa" ? "MUSA" : "CUDA";
}

std::string Joined(const std::vector<std::string>& paragraphs) {
  std::string text;
  for (const std::string& paragraph : paragraphs) {
    if (paragraph.empty()) continue;
    text += (text.empty() ? "" : "\n\n") + paragraph;
  }
  return text;
}

class Writer {
 public:
  Writer(const Digest& id, const KernelSource& kernel, const KernelFacts& facts, std::int64_t seed)
      : id_(id), kernel_(kernel), wording_(id, seed), subject_{kernel, facts, wording_} {}

  TrainingRecord Whole() const {
    return Row(
        "kernel-whole", kWholeQuestions,
        {SignatureProse(subject_), Titled("mapping", MappingProse(subject_)),
         Titled("bounds", GuardProse(subject_)), Titled("memory", MemoryProse(subject_)),
         Titled("shared", SharedProse(subject_)), Titled("cooperation", CooperationProse(subject_)),
         Titled("launch", Joined({LaunchProse(subject_), BindingProse(subject_)}))});
  }

  TrainingRecord Launch() const {
    return Row("kernel-launch", kLaunchQuestions,
               {LaunchProse(subject_), MappingProse(subject_), GuardProse(subject_),
                BindingProse(subject_)});
  }

 private:
  // Half of the answers have headings, the others are plain paragraphs.
  std::string Titled(const std::string& part, const std::string& text) const {
    if (text.empty() || wording_.Index("kernel headings", 2) == 0) return text;
    static const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> kTitles = {
        {"mapping", {"Threads and elements", "Thread mapping", "Who does what"}},
        {"bounds", {"Bounds", "Guards", "Threads beyond the end"}},
        {"memory", {"Memory", "Global memory", "Memory accesses"}},
        {"shared", {"Shared memory and barriers", "Within a block", "Sharing in the block"}},
        {"cooperation", {"Exchange between threads", "Reductions and atomics", "Cooperation"}},
        {"launch", {"Launch", "From the host", "Launch and binding"}}};
    for (const auto& [name, titles] : kTitles) {
      if (name == part) {
        return "**" + std::string(wording_.Pick("title " + part, titles)) + "**\n\n" + text;
      }
    }
    return text;
  }

  TrainingRecord Row(const std::string& kind, const std::vector<std::string_view>& questions,
                     const std::vector<std::string>& paragraphs) const {
    TrainingRecord record;
    record.family = Family::kKnowledge;
    record.backend = kernel_.backend;
    record.prompt_template = kind + "-" + std::to_string(wording_.Index(kind, questions.size()));
    record.subject = id_;
    const std::string question = Fill(wording_.Pick(kind, questions),
                                      {{"name", kernel_.name}, {"language", LanguageOf(kernel_)}});
    record.messages = {{"user", question + "\n\n" + Fenced("cuda", kernel_.code)},
                       {"assistant", Joined(paragraphs)}};
    return record;
  }

  const Digest id_;
  const KernelSource& kernel_;
  const Wording wording_;
  const KernelSubject subject_;
};

}  // namespace

std::vector<TrainingRecord> WriteKernelKnowledge(const Digest& kernel_id,
                                                 const KernelSource& kernel,
                                                 const KernelFacts& facts, std::int64_t seed) {
  if (facts.indices.empty() && facts.loops.empty() && facts.stores.empty()) return {};
  const Writer writer(kernel_id, kernel, facts, seed);
  std::vector<TrainingRecord> rows = {writer.Whole()};
  const bool launched = std::any_of(
      kernel.launches.begin(), kernel.launches.end(),
      [](const KernelLaunch& launch) { return !launch.grid.empty() && !launch.block.empty(); });
  if (launched && !facts.indices.empty()) rows.push_back(writer.Launch());
  return rows;
}

}  // namespace kernelmill
