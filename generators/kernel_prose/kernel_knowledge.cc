#include "generators/kernel_prose/kernel_knowledge.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/kernel_prose/kernel_prose.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// The topics of an answer. A question asks for some of them.
enum Topic : unsigned {
  kSignature = 1,
  kMapping = 2,
  kBounds = 4,
  kMemory = 8,
  kShared = 16,  // Shared memory, barriers and exchange between threads.
  kHost = 32,
  kAllTopics = 63,
};

struct Question {
  std::string_view text;
  unsigned topics;
};

constexpr Question kWholeQuestions[] = {
    {"Explain how this kernel works[: how threads map to elements, how memory is indexed, and how "
     "threads work together|].",
     kSignature | kMapping | kMemory | kShared},
    {"[Walk me through `{name}`.|`{name}`, please:] What does each thread do, which bounds are "
     "checked, and what is shared between threads?",
     kMapping | kBounds | kMemory | kShared},
    {"Read the {language} kernel `{name}` and describe its parallel structure.",
     kMapping | kBounds | kShared},
    {"I have to port `{name}`. [Describe|First I need] its thread mapping, memory accesses and "
     "synchronisation[ first|].",
     kMapping | kMemory | kShared},
    {"What is the index space of `{name}`[, how does a thread find its data,| and its data,] and "
     "how is the kernel launched?",
     kSignature | kMapping | kHost},
    {"Review the parallel decomposition of [the kernel |]`{name}`[ below|].",
     kMapping | kBounds | kShared},
    {"[For|In] `{name}`: which thread handles which element, how are out-of-range threads treated, "
     "and what do threads exchange?",
     kMapping | kBounds | kShared},
    {"Describe, with line numbers, how `{name}` distributes its work over the grid.",
     kMapping | kBounds | kHost},
    {"[What happens|What goes on] in `{name}`, [line by line|with lines]?", kAllTopics},
    {"[Somebody|A colleague] has to maintain this {language} kernel. What should they know about "
     "its threads and memory?",
     kSignature | kMapping | kMemory | kShared},
    {"[Comment|Annotate] `{name}`: indices, guards, [loads and stores|memory], barriers.",
     kMapping | kBounds | kMemory | kShared},
    {"Which element does a thread of `{name}` work on, and what does it need for that?",
     kSignature | kMapping | kMemory},
    {"[Summarise|Sum up] how `{name}` uses grid, blocks and threads.", kMapping | kBounds | kHost},
    {"[Before I change|Before I optimise] `{name}` I want to understand it. Explain it, please.",
     kAllTopics},
    {"How does this {language} code divide its work[ between threads|]?", kMapping | kBounds},
    {"What does `{name}` read and write, and [which thread does what|by which threads]?",
     kSignature | kMapping | kMemory}};

constexpr Question kLaunchQuestions[] = {
    {"How is `{name}` launched[, and how does its launch configuration fit the way it computes its "
     "indices|; do configuration and indices fit]?",
     kHost | kMapping},
    {"Which grid and block does the host give to `{name}`[, and what do the threads make of them|]?",
     kHost | kMapping},
    {"Explain the launch of [the kernel |]`{name}` and how its threads find their place in the grid.",
     kHost | kMapping},
    {"What must be known to launch `{name}` correctly?", kHost | kSignature | kBounds},
    {"[Grid, block and indices|Launch and indices] of `{name}`: how do they fit together?",
     kHost | kMapping},
    {"From Python to a thread of `{name}`: what happens on the way?", kHost | kMapping},
    {"[I want|I need] to call `{name}` from [other code|elsewhere]. With how many blocks and threads?",
     kHost | kBounds},
    {"Who launches `{name}`, and how?", kHost},
    {"[Describe|Explain] the host side of `{name}`[ and what its threads do with it|].",
     kHost | kMapping},
    {"Does the launch of `{name}` cover [all its data|every element]? Explain[ how|].",
     kHost | kMapping | kBounds},
    {"[What do|What would] `blockIdx` and `threadIdx` [mean|stand for] in `{name}`?",
     kHost | kMapping},
    {"What does the host [have to |]prepare for `{name}`?", kHost | kSignature},
    {"Which sizes decide the launch of `{name}`?", kHost | kBounds},
    {"Show how the launch of `{name}` and its [bounds|indices] belong together.",
     kHost | kMapping | kBounds}};

std::string LanguageOf(const KernelSource& kernel) {
  return std::string(FindKernelBackend(kernel.backend)->title);
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

  // `alone`: there is no separate row about the launch.
  TrainingRecord Whole(bool alone) const {
    const KernelSubject subject = SubjectOf("whole");
    const Question& asked = Asked("kernel-whole", kWholeQuestions);
    const auto answer = [&](unsigned topics) {
      const auto about = [&](Topic topic, auto write) {
        return (topics & topic) != 0 ? write(subject) : std::string();
      };
      return Joined(
          {about(kSignature, SignatureProse), Titled("mapping", about(kMapping, MappingProse)),
           Titled("bounds", about(kBounds, GuardProse)),
           Titled("memory", about(kMemory, MemoryProse)),
           Titled("shared", about(kShared, SharedProse)),
           Titled("cooperation", about(kShared, CooperationProse)),
           Titled("launch", Joined({about(kHost, LaunchProse), about(kHost, BindingProse)}))});
    };
    std::string text = answer(alone ? asked.topics | kHost : asked.topics);
    if (text.size() < kShortest) text = answer(kAllTopics);
    return Row("kernel-whole", kWholeQuestions, text);
  }

  TrainingRecord Launch() const {
    const KernelSubject subject = SubjectOf("launch");
    const unsigned topics = Asked("kernel-launch", kLaunchQuestions).topics;
    std::vector<std::string> paragraphs = {LaunchProse(subject),
                                           (topics & kMapping) != 0 ? MappingProse(subject) : "",
                                           (topics & kBounds) != 0 ? GuardProse(subject) : "",
                                           (topics & kSignature) != 0 ? SignatureProse(subject) : "",
                                           BindingProse(subject)};
    if (wording_.Index("launch order", 2) == 0) std::swap(paragraphs[0], paragraphs[1]);
    if (wording_.Index("launch order, end", 3) == 0) std::swap(paragraphs[2], paragraphs[4]);
    return Row("kernel-launch", kLaunchQuestions, Joined(paragraphs));
  }

 private:
  static constexpr std::size_t kShortest = 120;  // In bytes. A shorter answer leaves out too much.

  template <std::size_t kCount>
  const Question& Asked(const std::string& kind, const Question (&questions)[kCount]) const {
    return questions[wording_.Index(kind, kCount)];
  }

  KernelSubject SubjectOf(std::string row) const {
    return {kernel_, facts_, wording_, std::move(row)};
  }

  // Some answers have headings; the others consist of plain paragraphs.
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

  template <std::size_t kCount>
  TrainingRecord Row(const std::string& kind, const Question (&questions)[kCount],
                     std::string answer) const {
    TrainingRecord record;
    record.family = Family::kKnowledge;
    record.backend = kernel_.backend;
    const Question& asked = Asked(kind, questions);
    record.prompt_template = kind + "-" + std::to_string(&asked - questions);
    record.task_id = id_;
    const std::string question = SubjectOf("question").Say(
        kind, {asked.text}, {{"name", kernel_.name}, {"language", LanguageOf(kernel_)}});
    record.messages = {{"user", question + "\n\n" + Fenced("cuda", kernel_.code)},
                       {"assistant", std::move(answer)}};
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
  const bool launched =
      !facts.indices.empty() &&
      std::any_of(kernel.launches.begin(), kernel.launches.end(), [](const KernelLaunch& launch) {
        return !launch.grid.empty() && !launch.block.empty();
      });
  std::vector<TrainingRecord> rows = {writer.Whole(!launched)};
  if (launched) rows.push_back(writer.Launch());
  return rows;
}

}  // namespace kernelmill
