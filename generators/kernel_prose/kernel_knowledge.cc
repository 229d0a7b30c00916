#include "generators/kernel_prose/kernel_knowledge.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/kernel_prose/kernel_prose.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/wording.h"

namespace kernelmill {
namespace {

// A part of an answer: a paragraph with the title that it has among others.
struct Part {
  std::string title;
  std::string text;
};

std::string HazardText(const KernelSubject& subject, bool all) {
  std::string text;
  for (const std::string& item : HazardItems(subject, all)) {
    text += (text.empty() ? "- " : "\n- ") + item;
  }
  return text;
}

// What a question asks for, and in which words.
struct Question {
  std::string_view name;
  std::vector<std::string_view> asked;
  // The parts of its answer, empty ones included.
  std::vector<Part> (*answer)(const KernelSubject& subject);
  // How many parts must not be empty; the first one of the list never may be.
  std::size_t fewest;
  bool shows_launch;  // Whether the question shows the launch.
};

const std::vector<Question>& AllQuestions() {
  static const std::vector<Question> kQuestions = {
      {"explain",
       {"Explain this {language} kernel: what does `{name}` compute, how are threads mapped to the "
        "data, and what should I know before I change it?",
        "I have to maintain `{name}`. What does it compute, which thread does what, and what can "
        "go wrong?",
        "Please review how `{name}` works: its result, its thread mapping, its memory accesses and "
        "its hazards."},
       [](const KernelSubject& subject) {
         return std::vector<Part>{{"Result", PurposeProse(subject)},
                                  {"Thread mapping", MappingProse(subject)},
                                  {"Memory accesses", MemoryProse(subject)},
                                  {"Cooperation between threads", ExchangeProse(subject)},
                                  {"Performance", LimitProse(subject)},
                                  {"Hazards", HazardText(subject, false)}};
       },
       4,
       false},
      {"work",
       {"What does the following {language} kernel do, and how does it divide the work?",
        "What does `{name}` compute, and which thread computes what?"},
       [](const KernelSubject& subject) {
         return std::vector<Part>{{"Result", PurposeProse(subject)},
                                  {"Thread mapping", MappingProse(subject)},
                                  {"Performance", LimitProse(subject)}};
       },
       2,
       false},
      {"launch",
       {"How does the launch of `{name}` cover the data, and what happens in threads that have no "
        "element?",
        "Do the launch configuration and the index computation of `{name}` fit together? Explain.",
        "How is the number of blocks for `{name}` computed, and why is that number right?",
        "I want to launch `{name}` with another block size. What do the kernel and the launch "
        "assume?"},
       [](const KernelSubject& subject) {
         return std::vector<Part>{{"Launch", LaunchProse(subject)},
                                  {"Thread mapping", MappingProse(subject)}};
       },
       2,
       true},
      {"memory",
       {"Which global memory accesses of `{name}` are coalesced, and which are not?",
        "Analyse the memory access pattern of `{name}`.",
        "How well does `{name}` use global memory bandwidth?"},
       [](const KernelSubject& subject) {
         // An answer that leaves accesses out would mislead.
         const std::string accesses = KnowsEveryAccess(subject) ? MemoryProse(subject) : "";
         return std::vector<Part>{{"Accesses", accesses},
                                  {"Thread mapping", MappingProse(subject, false)},
                                  {"Performance", LimitProse(subject)}};
       },
       2,
       false},
      {"exchange",
       {"How do the threads of `{name}` exchange values, and why is that safe?",
        "Explain the synchronisation in `{name}`.",
        "Which data do threads of `{name}` share, and what orders the accesses to it?"},
       [](const KernelSubject& subject) {
         // That an array is shared says nothing about how threads use it.
         std::string exchange = ExchangeProse(subject);
         const bool in_memory = !subject.facts.shared.empty();
         const bool told = in_memory ? exchange.find(", wait at ") != exchange.npos
                                     : exchange.find("warp") != exchange.npos ||
                                           exchange.find("indivisible") != exchange.npos;
         if (!told || !KnowsSharedOrder(subject)) exchange.clear();
         return std::vector<Part>{{"Exchange", exchange},
                                  {"Early returns", EarlyReturnProse(subject)}};
       },
       1,
       false},
      {"hazards",
       {"What could go wrong when `{name}` is used with larger or other inputs?",
        "List the assumptions of `{name}` that a caller has to respect.",
        "Review `{name}` for correctness hazards: index overflow, aliasing, barriers, atomics."},
       [](const KernelSubject& subject) {
         // Fewer are no list.
         constexpr std::size_t kFewest = 3;
         const bool enough = HazardItems(subject, true).size() >= kFewest;
         return std::vector<Part>{{"", enough ? HazardText(subject, true) : ""}};
       },
       1,
       false},
  };
  return kQuestions;
}

std::string LaidOut(const std::vector<Part>& parts, bool titled) {
  std::string text;
  for (const Part& part : parts) {
    if (!text.empty()) text += "\n\n";
    if (titled && parts.size() > 1) text += "**" + part.title + "**\n\n";
    text += part.text;
  }
  return text;
}

class Writer {
 public:
  Writer(const Digest& id, const KernelSource& kernel, const KernelFacts& facts, std::int64_t seed)
      : id_(id), subject_(KernelSubject::Of(kernel, facts)), wording_(id, seed) {}

  // The rows for at most so many questions that the facts answer well.
  std::vector<TrainingRecord> Rows(std::size_t most) const {
    std::vector<TrainingRecord> rows;
    const auto& questions = AllQuestions();
    // One of the first two questions is the most useful one; the others take turns.
    constexpr std::size_t kUseful = 2;
    const std::size_t useful = wording_.Index("kernel question about its work", kUseful);
    std::vector<const Question*> order = {&questions[useful]};
    const std::size_t others = questions.size() - kUseful;
    const std::size_t first = wording_.Index("kernel question", others);
    for (std::size_t i = 0; i < others; ++i) {
      order.push_back(&questions[kUseful + (first + i) % others]);
    }
    for (const Question* question : order) {
      if (rows.size() == most) break;
      if (auto row = RowOf(*question)) rows.push_back(*std::move(row));
    }
    return rows;
  }

 private:
  static constexpr std::size_t kShortest = 250;  // In bytes. A shorter answer teaches little.

  std::optional<TrainingRecord> RowOf(const Question& question) const {
    const std::string launch = LaunchCode(subject_);
    if (question.shows_launch && launch.empty()) return std::nullopt;
    std::vector<Part> parts = question.answer(subject_);
    if (parts[0].text.empty()) return std::nullopt;
    std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
    const std::string answer =
        LaidOut(parts, wording_.Index("kernel titles " + std::string(question.name), 2) == 0);
    if (parts.size() < question.fewest || answer.size() < kShortest) return std::nullopt;
    TrainingRecord record;
    record.family = Family::kKnowledge;
    record.backend = subject_.kernel.backend;
    const std::size_t asked =
        wording_.Index("kernel " + std::string(question.name), question.asked.size());
    record.prompt_template = "kernel-" + std::string(question.name) + "-" + std::to_string(asked);
    record.task_id = id_;
    const std::string language(FindKernelBackend(subject_.kernel.backend)->title);
    std::string text = FillPlaceholders(question.asked[asked],
                                        {{"name", subject_.facts.name}, {"language", language}}) +
                       "\n\n" + Fenced("cuda", subject_.kernel.code);
    if (question.shows_launch)
      text += "\nThe host code launches it like this:\n\n" + Fenced("cpp", launch);
    record.messages = {{"user", std::move(text)}, {"assistant", answer}};
    return record;
  }

  const Digest id_;
  const KernelSubject subject_;
  const Wording wording_;
};

}  // namespace

std::vector<TrainingRecord> WriteKernelKnowledge(const Digest& kernel_id,
                                                 const KernelSource& kernel,
                                                 const KernelFacts& facts, std::int64_t seed) {
  constexpr std::size_t kMostRows = 2;
  // Few questions about a longer source can be answered from the kernel alone.
  constexpr std::size_t kLongestCode = 16'000;
  if (kernel.code.size() > kLongestCode) return {};
  return Writer(kernel_id, kernel, facts, seed).Rows(kMostRows);
}

}  // namespace kernelmill
