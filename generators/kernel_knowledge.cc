#include "generators/kernel_knowledge.h"

#include <algorithm>

#include "generators/fenced_code.h"
#include "generators/kernel_prose.h"

namespace kernelmill {
namespace {

const SentenceVariants kWholeQuestions = {
    "Explain how this kernel works[: how threads map to elements, how memory is indexed, and how "
    "threads work together|].",
    "Walk me through `{name}`. What does each thread do, which bounds are checked, and what is "
    "shared between threads?",
    "Read the {language} kernel `{name}` and describe its parallel structure.",
    "I have to port `{name}`. Describe its thread mapping, memory accesses and synchronisation "
    "first.",
    "What is the index space of `{name}`, how does a thread find its data, and how is the kernel "
    "launched?",
    "Review the parallel decomposition of the kernel `{name}`[ below|].",
    "For the kernel `{name}`: which thread handles which element, how are out-of-range threads "
    "treated, and what do threads exchange?",
    "Describe, with line numbers, how `{name}` distributes its work over the grid.",
    "[What happens|What goes on] in `{name}`, [line by line|with lines]?",
    "[Somebody|A colleague] has to maintain this {language} kernel. What should they know about "
    "its threads and memory?",
    "[Comment|Annotate] `{name}`: indices, guards, [loads and stores|memory], barriers.",
    "Which element does a thread of `{name}` work on, and what does it need for that?",
    "[Summarise|Sum up] how `{name}` uses grid, blocks and threads.",
    "[Before I change|Before I optimise] `{name}` I want to understand it. Explain it, please.",
    "How does this {language} code divide its work[ between threads|]?"};

const SentenceVariants kLaunchQuestions = {
    "How is `{name}` launched, and how does its launch configuration fit the way it computes its "
    "indices?",
    "Which grid and block does the host give to `{name}`, and what do the threads make of them?",
    "Explain the launch of the kernel `{name}` and how its threads find their place in the grid.",
    "What must be known to launch `{name}` correctly?",
    "[Grid, block and indices|Launch and indices] of `{name}`: how do they fit together?",
    "From Python to a thread of `{name}`: what happens on the way?",
    "[I want|I need] to call `{name}` from [other code|elsewhere]. With how many blocks and threads?",
    "Who launches `{name}`, and how?",
    "[Describe|Explain] the host side of `{name}` and what its threads do with it.",
    "Does the launch of `{name}` cover [all its data|every element]? Explain[ how|].",
    "[What do|What would] `blockIdx` and `threadIdx` [mean|stand for] in `{name}`?",
    "What does the host [have to |]prepare for `{name}`?",
    "Which sizes decide the launch of `{name}`?",
    "Show how the launch of `{name}` and its [bounds|indices] belong together."};

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
      : id_(id), kernel_(kernel), facts_(facts), wording_(id, seed) {}

  TrainingRecord Whole() const {
    const KernelSubject subject = SubjectOf("whole");
    return Row(
        "kernel-whole", kWholeQuestions,
        {SignatureProse(subject), Titled("mapping", MappingProse(subject)),
         Titled("bounds", GuardProse(subject)), Titled("memory", MemoryProse(subject)),
         Titled("shared", SharedProse(subject)), Titled("cooperation", CooperationProse(subject)),
         Titled("launch", Joined({LaunchProse(subject), BindingProse(subject)}))});
  }

  TrainingRecord Launch() const {
    const KernelSubject subject = SubjectOf("launch");
    std::vector<std::string> paragraphs = {LaunchProse(subject), MappingProse(subject),
                                           GuardProse(subject), BindingProse(subject)};
    if (wording_.Index("launch order", 2) == 0) std::swap(paragraphs[0], paragraphs[1]);
    if (wording_.Index("launch order, end", 3) == 0) std::swap(paragraphs[2], paragraphs[3]);
    return Row("kernel-launch", kLaunchQuestions, paragraphs);
  }

 private:
  KernelSubject SubjectOf(std::string row) const {
    return {kernel_, facts_, wording_, std::move(row)};
  }

  // Some answers have headings, the others are plain paragraphs.
  std::string Titled(const std::string& part, const std::string& text) const {
    constexpr std::size_t kStyles = 6;
    const std::size_t style = wording_.Index("kernel headings", kStyles);
    if (text.empty()) return text;
    static const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> kTitles = {
        {"mapping",
         {"Threads and elements", "Thread mapping", "Who does what", "Indices", "Mapping"}},
        {"bounds", {"Bounds", "Guards", "Threads beyond the end", "Early exits", "Limits"}},
        {"memory", {"Memory", "Global memory", "Memory accesses", "Loads and stores", "Arrays"}},
        {"shared",
         {"Shared memory and barriers", "Within a block", "Sharing in the block", "On chip"}},
        {"cooperation",
         {"Exchange between threads", "Reductions and atomics", "Cooperation", "Together"}},
        {"launch", {"Launch", "From the host", "Launch and binding", "Host side", "Who calls it"}}};
    for (const auto& [name, titles] : kTitles) {
      if (name != part) continue;
      const std::string title(wording_.Pick("title " + part, titles));
      switch (style) {
        case 0:
          return "**" + title + "**\n\n" + text;
        case 1:
          return "### " + title + "\n\n" + text;
        case 2:
          return title + ": " + text;
        case 3:
          return "**" + title + ".** " + text;
        default:
          return text;
      }
    }
    return text;
  }

  TrainingRecord Row(const std::string& kind, const SentenceVariants& questions,
                     const std::vector<std::string>& paragraphs) const {
    TrainingRecord record;
    record.family = Family::kKnowledge;
    record.backend = kernel_.backend;
    const std::size_t asked = wording_.Index(kind, questions.size());
    record.prompt_template = kind + "-" + std::to_string(asked);
    record.subject = id_;
    const std::string question =
        SubjectOf("question").Say(kind, {questions[asked]},
                     {{"name", kernel_.name}, {"language", LanguageOf(kernel_)}});
    record.messages = {{"user", question + "\n\n" + Fenced("cuda", kernel_.code)},
                       {"assistant", Joined(paragraphs)}};
    return record;
  }

  const Digest id_;
  const KernelSource& kernel_;
  const KernelFacts& facts_;
  const Wording wording_;
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
