#include "generators/task_rows/bug_words.h"

#include <algorithm>
#include <regex>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/running_statistics.h"
#include "generators/task_rows/bug_lessons.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

// The changed line without its indentation, where the mistake is one line of code. A brace alone
// names no place.
std::string WrongLine(const MutantFacts& facts) {
  if (facts.changes.size() != 1 || facts.changes[0].was.size() != 1) return "";
  const std::string& line = facts.changes[0].was[0];
  const std::string code = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return code.size() <= 2 || code.find('`') != code.npos ? "" : code;
}

// What a program of one kernel calls `name`, or the task does: a size of the task; 0 when that is
// not known.
std::int64_t TaskSize(const KnownTask& known, const Candidate& answer, const std::string& name) {
  std::smatch match;
  const bool alone = answer.kernels.size() == 1 && known.facts.outputs.size() == 1;
  const std::string declared = "\\b(?:int|int64_t) " + name + " = ";
  if (alone && std::regex_search(answer.code, std::regex(declared + R"(out\.numel\(\);)"))) {
    std::int64_t count = 1;
    for (const std::int64_t size : known.facts.outputs[0].shape) count *= size;
    return count;
  }
  const std::regex size_of(declared + R"((\w+)\.size\((\d)\);)");
  if (alone && std::regex_search(answer.code, match, size_of)) {
    const std::size_t dimension = static_cast<std::size_t>(std::stoll(match[2].str()));
    for (const InputSpec& input : known.task.inputs) {
      if (input.name == match[1].str() && dimension < input.shape.size())
        return input.shape[dimension];
    }
  }
  for (const std::string_view owner : {"weight", "bias"}) {
    const std::regex size(declared + std::string(owner) + R"(\.size\((\d)\);)");
    if (!alone || !std::regex_search(answer.code, match, size)) continue;
    const auto dimension = static_cast<std::size_t>(std::stoll(match[1].str()));
    const ParameterFacts* only = nullptr;
    for (const ParameterFacts& parameter : known.facts.parameters) {
      if (!parameter.name.ends_with(owner)) continue;
      if (only != nullptr) return 0;
      only = &parameter;
    }
    return only != nullptr && dimension < only->shape.size() ? only->shape[dimension] : 0;
  }
  // A variable of the program may have the name of another size of the task.
  if (std::regex_search(answer.code, std::regex(declared))) return 0;
  if (std::regex_search(known.task.code, match, std::regex("\n" + name + R"( = (\d{1,15})\n)")))
    return std::stoll(match[1].str());
  return 0;
}

// Whether a fault that needs a partly filled block shows at the task's own sizes. "" where the text
// does not say how the sizes are divided.
std::string SizeSentence(const KnownTask& known, const MutantFacts& facts) {
  static const std::regex kRounded(R"(^\(?(\w+) \+ (?:(\d+)|(\w+) - 1)\)?$)"),
      kGuard(R"(if \(\w+ >= (\w+)\) return;)"), kThreads(R"(\bint threads = (\d+);)");
  const Candidate& right = facts.right->candidate;
  std::string name;
  std::int64_t block = 0;
  std::smatch match, threads;
  const auto exchange = facts.Exchanged();
  if (facts.bug->name == "grid_rounded_down") {
    if (!exchange || !std::regex_match(exchange->is, match, kRounded)) return "";
    name = match[1];
    if (match[2].matched) {
      block = std::stoll(match[2].str()) + 1;
    } else if (match[3] == "threads" && std::regex_search(right.code, threads, kThreads)) {
      block = std::stoll(threads[1].str());
    }
  } else if (facts.bug->name == "missing_guard" || facts.bug->name == "guard_one_too_far") {
    // With several elements per thread another number has to divide the count.
    const bool one_each =
        right.kernels.size() == 1 && right.kernels[0].strategy == "one_thread_an_element";
    if (!one_each || facts.changes.size() != 1 || facts.changes[0].is.size() != 1 ||
        !std::regex_search(facts.changes[0].is[0], match, kGuard)) {
      return "";
    }
    name = match[1];
    block = right.kernels[0].threads;
  }
  const std::int64_t size = name.empty() || block < 2 ? 0 : TaskSize(known, right, name);
  if (size == 0) return "";
  const std::string multiple = "multiple of " + std::to_string(block);
  if (size % block == 0) {
    return " At the task's own sizes `" + name + "` is " + std::to_string(size) + ", a " +
           multiple + ", so the result is right there; it is wrong for any `" + name +
           "` that is no " + multiple + ".";
  }
  return " It shows at the task's own sizes, because `" + name + "` is " + std::to_string(size) +
         " there, which is no " + multiple + ".";
}

// When the path runs that has the mistake: what is beside the packs of a kernel that moves several
// elements at a time.
std::string TailSentence(const KnownTask& known, const MutantFacts& facts) {
  static const std::regex kPack(R"(if \(aligned && first \+ (\d+) <= (\w+)\))");
  const std::string& code = facts.right->candidate.code;
  std::smatch pack;
  if (WrongLine(facts).find("i < end; ++i)") == std::string::npos ||
      !std::regex_search(code, pack, kPack)) {
    return "";
  }
  const std::int64_t width = std::stoll(pack[1].str());
  const std::int64_t size = TaskSize(known, facts.right->candidate, pack[2].str());
  if (size == 0) return "";
  const std::string start =
      " At the task's own sizes `" + pack[2].str() + "` is " + std::to_string(size);
  const std::string unaligned =
      "tensors that do not begin at a multiple of 16 bytes, such as a slice of a larger one";
  if (size % width == 0) {
    return start + ", a multiple of " + std::to_string(width) + ", so this line runs only for " +
           unaligned + "; the result is right for others.";
  }
  return start + ", so this line runs for the last " + std::to_string(size % width) +
         " elements, and for all elements of " + unaligned + ".";
}

// How much of a result that one block cannot hold is computed at all.
std::string FirstBlockSentence(const KnownTask& known, const MutantFacts& facts) {
  const Candidate& right = facts.right->candidate;
  static const std::regex kIndex(R"(\b(\w+) = threadIdx\.x;)");
  const std::string line = WrongLine(facts);
  std::smatch index;
  if (facts.bug->name != "missing_block" || right.kernels.size() != 1 ||
      known.facts.outputs.size() != 1 || !std::regex_search(line, index, kIndex)) {
    return "";
  }
  const std::string_view strategy = right.kernels[0].strategy;
  if (strategy != "one_thread_an_element" && strategy != "grid_stride") return "";
  std::int64_t count = 1;
  for (const std::int64_t size : known.facts.outputs[0].shape) count *= size;
  const std::int64_t threads = right.kernels[0].threads;
  if (threads <= 0 || count <= threads) return "";
  return " At the task's own sizes all blocks compute the same " + std::to_string(threads) +
         " of the " + CountText(count) + " elements.";
}

// The sizes that were exchanged, at the task's own sizes.
std::string SwappedSizesSentence(const KnownTask& known, const MutantFacts& facts) {
  static const std::regex kTwo(R"((\w+), (\w+))");
  const auto exchange = facts.Exchanged();
  std::smatch two;
  if (facts.bug->name != "swapped_launch_arguments" || !exchange ||
      !std::regex_match(exchange->is, two, kTwo)) {
    return "";
  }
  const std::string one = two[1], other = two[2];
  const std::int64_t size = TaskSize(known, facts.right->candidate, one),
                     other_size = TaskSize(known, facts.right->candidate, other);
  if (size == 0 || other_size == 0) return "";
  if (size == other_size) {
    return " At the task's own sizes both are " + std::to_string(size) +
           ", so the result is right there and wrong as soon as they differ.";
  }
  return " At the task's own sizes `" + one + "` is " + std::to_string(size) + " and `" + other +
         "` is " + std::to_string(other_size) + ".";
}

// The coordinate whose term the index has lost.
std::string CoordinateSentence(const MutantFacts& facts) {
  if (facts.bug->name != "missing_offset" || facts.changes.size() != 1 ||
      facts.changes[0].is.size() != 1) {
    return "";
  }
  static const std::regex kName(R"(\b[a-zA-Z_]\w*)");
  const std::string was = WrongLine(facts), &is = facts.changes[0].is[0];
  for (std::sregex_iterator at(is.begin(), is.end(), kName), end; at != end; ++at) {
    const std::string name = at->str();
    // The coordinate comes before its stride.
    if (was.empty() || std::regex_search(was, std::regex("\\b" + name + "\\b"))) continue;
    return " The coordinate that is missing is `" + name + "`.";
  }
  return "";
}

// What the mistake does to this program: at which sizes it shows, and where.
std::string EffectSentence(const KnownTask& known, const MutantFacts& facts) {
  for (const std::string& sentence :
       {SizeSentence(known, facts), TailSentence(known, facts), FirstBlockSentence(known, facts),
        SwappedSizesSentence(known, facts), CoordinateSentence(facts)}) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}

// How much more the slow program does, in counters of a run of both. "" where none tells them
// apart.
std::string CostSentence(const MutantFacts& facts) {
  const CountedWork slow = CountedWorkOf(facts.mutant->candidate.verdict);
  const CountedWork right = CountedWorkOf(facts.right->candidate.verdict);
  // Of a single thread the counters say less than the launch.
  if (!slow.all_counted || !right.all_counted || facts.bug->name == "single_thread") return "";
  struct Count {
    std::string_view name;
    std::int64_t slow = 0, right = 0;
  };
  const Count counts[] = {{"bank conflicts", slow.bank_conflicts, right.bank_conflicts},
                          {"atomics", slow.atomics, right.atomics},
                          {"sectors of global memory", slow.sectors, right.sectors},
                          {"requests to global memory", slow.requests, right.requests}};
  for (const Count& count : counts) {
    if (count.slow <= count.right + count.right / 8) continue;
    return " A run counts " + CountText(count.slow) + " " + std::string(count.name) +
           "; with the change below it is " + CountText(count.right) + ".";
  }
  return "";
}

// What the place of the first wrong element says about the cause, where the report names it and it
// lies at the end of a block.
std::string PlaceSentence(const MutantFacts& facts) {
  static const std::regex kFrom(R"(from element (\d{1,15}) on, counted row by row)");
  const auto& diagnosis = facts.mutant->candidate.verdict.diagnosis;
  const std::vector<DesignedKernel>& kernels = facts.right->candidate.kernels;
  std::smatch from;
  if (!diagnosis || kernels.size() != 1 || kernels[0].threads <= 0 ||
      !std::regex_search(diagnosis->where, from, kFrom)) {
    return "";
  }
  const std::int64_t first = std::stoll(from[1].str()), block = kernels[0].threads;
  if (facts.bug->name == "missing_block" && first == block) {
    return "The output is wrong from element " + std::to_string(first) +
           " on, which is the number of threads of a block: so only the first block reaches its "
           "elements.\n\n";
  }
  if (facts.bug->name == "grid_rounded_down" && first > 0 && first % block == 0) {
    return "The output is wrong from element " + std::to_string(first) + " on, a multiple of the " +
           std::to_string(block) +
           " threads of a block: so all full blocks run, and the last, partial one is missing.\n\n";
  }
  return "";
}

}  // namespace

std::string MistakeText(const KnownTask& known, const MutantFacts& facts, bool numbered) {
  const std::string code = WrongLine(facts), kernel = facts.Kernel();
  const bool missing = std::all_of(facts.changes.begin(), facts.changes.end(),
                                   [](const LineChange& change) { return change.was.empty(); });
  const bool slow = facts.bug->failure == FailureClass::kSlowness;
  std::string place;
  if (numbered) {
    const std::string in = kernel.empty() ? "" : ", in `" + kernel + "`";
    place = missing ? "Something is missing " + facts.Place() + in
                    : Capital(facts.Place()) + in + (in.empty() ? "" : ",") +
                          (facts.changes.size() == 1 ? " is" : " are") +
                          (slow ? " the reason" : " wrong");
    if (!code.empty()) place += ": `" + code + "`";
    place += ". ";
  } else if (!code.empty()) {
    place =
        "The mistake is in `" + code + "`" + (kernel.empty() ? "" : ", in `" + kernel + "`") + ": ";
  } else if (!kernel.empty()) {
    place = "The mistake is in `" + kernel + "`: ";
  }
  const std::string cause = CauseIn(*facts.bug, facts.mutant->candidate.code);
  return (numbered ? "" : PlaceSentence(facts)) + place +
         (place.ends_with(": ") ? cause : Capital(cause)) + "." + EffectSentence(known, facts) +
         (slow ? CostSentence(facts) : "");
}

std::string FixText(const MutantFacts& facts) {
  std::string text = Capital(facts.bug->remedy) + ":\n\n" + facts.Diff();
  while (text.ends_with('\n')) text.pop_back();
  const std::string_view lesson =
      LessonOn(*facts.bug, {facts.mutant->candidate.code, facts.right->candidate.kernels});
  return lesson.empty() ? text : text + "\n\n" + std::string(lesson);
}

std::string OtherRemarks(const MutantFacts& facts) {
  const std::string statistics = RunningStatisticsText(facts.right->candidate);
  return statistics.empty() ? "" : "\n\nThe corrected program has one limit, too. " + statistics;
}

}  // namespace kernelmill
