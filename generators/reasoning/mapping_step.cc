#include <algorithm>
#include <regex>
#include <set>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/result_tiles.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/strategy_alternatives.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

void Replace(std::string* text, std::string_view old, const std::string& is) {
  if (const std::size_t at = text->find(old); at != text->npos) text->replace(at, old.size(), is);
}

std::string LoopSentence(const KernelLoop& loop) {
  return "Each thread starts its loop over `" + loop.variable + "` at `" + loop.start +
         "` and continues with `" + loop.update + "` while `" + loop.condition + "`.";
}

// A sentence that quotes the code of the plan's kernels: a loop over the work, or the index.
std::string CodeSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (kernel.plan != &plan) continue;
    // The paragraph is about the first kernel of a split.
    if (IsSplit(plan) && kernel.name != plan.kernels[0]) continue;
    for (const KernelLoop& loop : kernel.facts.loops) {
      const bool complete = !loop.start.empty() && !loop.condition.empty() && !loop.update.empty();
      if (loop.kind != KernelLoop::Kind::kThreadStart && complete) return LoopSentence(loop);
    }
    // The first index that places the thread in the whole grid.
    for (const ThreadIndex& index : kernel.facts.indices) {
      const bool own = index.expression.find("threadIdx") != index.expression.npos &&
                       index.expression.find("blockIdx") != index.expression.npos;
      if (index.name.empty() || !own) continue;
      return "In the code the index is `" + index.name + " = " + index.expression + "`.";
    }
  }
  return "";
}

// Whether thread t of block b computes element b * threads + t of the only result.
bool OneElementEach(const ReasoningSubject& subject, const DesignedKernel& plan) {
  const bool one_each =
      plan.strategy == "one_thread_an_element" || plan.strategy == "gather_an_element";
  const Annotation& facts = subject.known.facts;
  if (!one_each || plan.threads <= 0 || subject.answer.kernels.size() > 1 ||
      facts.outputs.size() != 1) {
    return false;
  }
  // A view of the kernel's result may drop some of its elements.
  return std::none_of(facts.operators.begin(), facts.operators.end(),
                      [](const OperatorCall& call) { return ComputesNothing(call.name); });
}

// How many blocks the output needs with one element per thread, and how full the last is.
std::string BlockCountSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  if (!OneElementEach(subject, plan)) return "";
  const std::int64_t elements = ElementsIn(subject.known.facts.outputs[0].shape);
  const std::int64_t rest = elements % plan.threads;
  const std::int64_t blocks = (elements + plan.threads - 1) / plan.threads;
  std::string text = "For " + subject.Style().Count(elements) + " elements that is " +
                     CountText(blocks) + (blocks == 1 ? " block" : " blocks");
  if (rest == 0) return text + ", all of them full.";
  return text + (blocks == 1 ? ", in which " : "; in the last one ") + std::to_string(rest) +
         " threads have an element.";
}

std::string LaunchSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  if (plan.grid.empty() || plan.threads <= 0 || !subject.code.HasNamesOf(plan.grid)) return "";
  const std::string threads = std::to_string(plan.threads);
  if (plan.grid == "1") return "The launch has one block of " + threads + " threads.";
  // "(x, y)" is a grid of several dimensions.
  const bool several = plan.grid.starts_with('(') && plan.grid.ends_with(')') &&
                       plan.grid.find(", ") != plan.grid.npos;
  return several ? "The grid is `" + plan.grid + "`, with " + threads + " threads per block."
                 : "The launch has `" + plan.grid + "` blocks of " + threads + " threads.";
}

// The kernels of all plans that divide their work as `plan` does. The second kernel of a split has
// another mapping, which the sentence says.
std::vector<std::string> KernelsLike(const Candidate& answer, const DesignedKernel& plan) {
  std::vector<std::string> names;
  for (const DesignedKernel& other : answer.kernels) {
    if (other.strategy != plan.strategy || other.mapping != plan.mapping) continue;
    if (IsSplit(plan) && &other != &plan) continue;
    for (const std::string& name : other.kernels) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      if (IsSplit(plan)) break;
    }
  }
  return names;
}

// Whether the elements that the threads of a row combine lie apart, and those of neighbouring
// results side by side: an index of the form "base + k * cols".
bool GoesAcrossRows(const AnswerCode& code, const DesignedKernel& plan) {
  if (plan.strategy.find("_a_row") == std::string::npos) return false;
  static const std::regex kApart(R"(\w+ \+ k \* \w+)");
  for (const AnswerKernel& kernel : code.kernels) {
    if (kernel.plan != &plan) continue;
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (std::regex_match(index.expression, kApart)) return true;
    }
  }
  return false;
}

// An input that a kernel of the plan addresses by the strides of its view; "" when there is none.
std::string StridedInput(const AnswerCode& code, const DesignedKernel& plan) {
  for (const AnswerKernel& kernel : code.kernels) {
    if (kernel.plan != &plan) continue;
    for (const MemoryAccess& load : kernel.facts.loads) {
      if (load.text.find("_stride") != load.text.npos) return load.array;
    }
  }
  return "";
}

// What another design would cost, where that is true of this code.
std::string AlternativeSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  std::string alternative(AlternativeTo(plan.strategy));
  if (alternative.empty() || GoesAcrossRows(subject.code, plan)) return "";
  static const std::regex kPack(R"(the elements (\d+)i to )");
  if (std::smatch pack; std::regex_search(plan.mapping, pack, kPack)) {
    Replace(&alternative, "several times", pack[1].str() + " times");
  }
  return alternative;
}

// How often the loop of a grid-stride kernel runs at the task's sizes.
std::string RoundsSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  static const std::regex kGrid(R"(min\(.*, (\d+)\))");
  std::smatch most;
  if (plan.strategy != "grid_stride" || plan.threads <= 0 || subject.answer.kernels.size() > 1 ||
      subject.known.facts.outputs.size() != 1 || !std::regex_match(plan.grid, most, kGrid)) {
    return "";
  }
  const std::int64_t elements = ElementsIn(subject.known.facts.outputs[0].shape);
  const std::int64_t blocks = (elements + plan.threads - 1) / plan.threads;
  if (blocks > std::stoll(most[1].str())) return "";
  return "The " + subject.Style().Count(elements) + " elements here need " + CountText(blocks) +
         (blocks == 1 ? " block" : " blocks") +
         ", so no thread goes through its loop a second time; the loop is there for larger "
         "tensors.";
}

// That a tile is larger than the result of a contraction along one side; "" where it is not, or
// where the shape of the result is not known.
std::string TileSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  const auto narrow = NarrowResultOf(subject.known.facts, plan);
  if (!narrow || narrow->side == 0) return "";
  const std::string side = std::to_string(narrow->side);
  return "The result of `" + plan.head + "` has only " + std::to_string(narrow->size) +
         (narrow->channels ? " channels for the " : " columns for the ") + side +
         (narrow->channels ? " rows" : " columns") + " of a tile, so the threads of the other " +
         std::to_string(narrow->side - narrow->size) + " multiply zeros and store nothing.";
}

// How much of the tiles lies outside of the result, or else how often the factors are read.
std::string TilesSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  constexpr std::int64_t kMuch = 15;  // Per cent.
  const auto tiles = ResultTilesOf(subject.known.task, subject.known.facts, plan);
  if (!tiles) return "";
  const auto blocks = [](std::int64_t count) {
    return CountText(count) + (count == 1 ? " block" : " blocks");
  };
  if (const std::int64_t percent = tiles->PercentOutside(); percent >= kMuch) {
    return "Of the multiply-adds of the " + CountText(tiles->Count()) + " tiles, " +
           std::to_string(percent) + " % are outside of the " + CountText(tiles->rows) + " x " +
           CountText(tiles->columns) + " result and wasted.";
  }
  if (!tiles->product) return "";
  return "Each element of the left factor is read by " + blocks(tiles->ColumnsOfTiles()) +
         " and each of the right one by " + blocks(tiles->RowsOfTiles()) +
         ", instead of once for each of the " + CountText(tiles->columns) + " columns and " +
         CountText(tiles->rows) + " rows of the result.";
}

// That a reduction with few results, or a product with few tiles, has fewer blocks than the device
// has multiprocessors.
std::string FewBlocksSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  std::int64_t blocks = BlocksOfReduction(subject.known.facts, plan);
  if (blocks == 0 && !IsSplit(plan)) {
    const auto tiles = ResultTilesOf(subject.known.task, subject.known.facts, plan);
    if (tiles) blocks = tiles->Count();
  }
  const std::int64_t multiprocessors = subject.Device().multiprocessors;
  // Of a single kernel the limit of the call says it.
  if (blocks == 0 || blocks >= multiprocessors || subject.answer.kernels.size() == 1) return "";
  return "At these sizes that is " + CountText(blocks) + (blocks == 1 ? " block" : " blocks") +
         " for the " + std::to_string(multiprocessors) + " multiprocessors of an " +
         std::string(subject.Device().name) + ", so a part of the device is idle.";
}

// How many elements of its row a lane of a warp takes, and what a block would do with the row.
std::string WarpRowSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  constexpr std::int64_t kLanes = 32, kBlock = 256;
  const auto rows = ReducedRowsOf(subject.known.task, subject.known.facts, plan);
  if (!rows || subject.answer.backend == kMusaBackend.name) return "";
  const std::string start =
      "A row of `" + plan.head + "` has " + CountText(rows->length) + " elements, ";
  const std::string most = CountText((rows->length + kLanes - 1) / kLanes);
  if (rows->length <= kLanes) {
    return start +
           "at most one for each of the 32 lanes, so a block per row would have nearly all "
           "of its threads idle.";
  }
  if (rows->length < kBlock) {
    return start + "at most " + most + " for each of the 32 lanes; in a block of 256 threads per " +
           "row, " + std::to_string(kBlock - rows->length) + " would have none.";
  }
  return start + "at most " + most +
         " for each of the 32 lanes; a block of 256 threads would take " +
         "fewer steps per row, but needs a merge through shared memory.";
}

// How many elements of its row a thread of a block takes.
std::string RowSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  if (plan.strategy.starts_with("warp_a_row")) return WarpRowSentence(subject, plan);
  if (!plan.strategy.starts_with("block_a_row") && plan.strategy != "tree_a_row") return "";
  const auto rows = ReducedRowsOf(subject.known.task, subject.known.facts, plan);
  if (!rows || plan.threads <= 0) return "";
  const std::string start = "A row of `" + plan.head + "` has " + CountText(rows->length) +
                            " elements for the " + std::to_string(plan.threads) +
                            " threads of a block, so ";
  if (rows->length < plan.threads) {
    return start +
           "most of the time goes into the merge and not into the loads, and a warp per row "
           "would do with shuffles alone.";
  }
  const std::int64_t most = (rows->length + plan.threads - 1) / plan.threads;
  return start + "each thread combines at most " + CountText(most) + " of them before the merge.";
}

std::string MappingParagraph(const ReasoningSubject& subject, const DesignedKernel& plan) {
  constexpr std::size_t kMostNames = 3;
  std::string text = "In " + CodeList(KernelsLike(subject.answer, plan), kMostNames) + ", " +
                     MappingInWords(subject.answer, subject.code, plan) + ".";
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += " " + sentence;
  };
  const std::string rounds = RoundsSentence(subject, plan);
  const std::string outside = TileSentence(subject, plan), idle = FewBlocksSentence(subject, plan);
  const std::string tiles = TilesSentence(subject, plan), row = RowSentence(subject, plan);
  const std::string at_these_sizes = !outside.empty()  ? outside
                                     : !idle.empty()   ? idle
                                     : !rounds.empty() ? rounds
                                     : !tiles.empty()  ? tiles
                                                       : row;
  add(at_these_sizes);
  const bool weighed = plan.strategy.starts_with("warp_a_row") && !row.empty();
  if ((outside + idle + rounds).empty() && !weighed) add(AlternativeSentence(subject, plan));
  if (const std::string strided = StridedInput(subject.code, plan); !strided.empty()) {
    add("`" + strided +
        "` is addressed by its strides, so that a view needs no copy; its loads are coalesced only "
        "where neighbouring results take neighbouring elements of it.");
  }
  add(CodeSentence(subject, plan));
  if (rounds.empty()) add(LaunchSentence(subject, plan));
  add(BlockCountSentence(subject, plan));
  return text;
}

}  // namespace

std::string MappingInWords(const Candidate& answer, const AnswerCode& code,
                           const DesignedKernel& plan) {
  std::string text = plan.mapping;
  // A warp of MUSA's mp_21 and mp_22 has 128 threads.
  if (answer.backend == kMusaBackend.name) {
    Replace(&text, "; a warp moves 512 bytes with one instruction", "");
  }
  if (plan.kernels.size() == 2) Replace(&text, "a second kernel", "`" + plan.kernels[1] + "`");
  if (GoesAcrossRows(code, plan)) {
    Replace(&text, "read neighbouring elements of one row",
            "read the elements of one row, which lie apart in memory");
  }
  if (!StridedInput(code, plan).empty()) {
    Replace(&text, "; in every round neighbours in a warp touch neighbours in memory", "");
    Replace(&text, "; neighbours in a warp touch neighbours in memory", "");
  }
  return text;
}

std::string MappingStep(const ReasoningSubject& subject) {
  std::string text;
  std::set<std::string> told;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    if (told.size() >= subject.most_items) break;
    if (plan.mapping.empty() || !told.insert(plan.strategy).second) continue;
    text += (text.empty() ? "" : "\n\n") + MappingParagraph(subject, plan);
  }
  return text;
}

std::string ChoiceStep(const ReasoningSubject& subject) {
  std::string text;
  std::set<std::string> told;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : "\n") + ("- " + sentence);
  };
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  for (const DesignedKernel& plan : plans) {
    for (const DesignReason& reason : plan.reasons) {
      if (told.size() > subject.most_items || !told.insert(reason.choice).second) continue;
      // MappingStep() says what fewer blocks would cost.
      if (reason.choice == "several blocks for the same columns") continue;
      // One colon in a sentence is enough.
      std::string why = reason.why;
      if (const std::size_t colon = why.find(": "); colon != why.npos) why[colon] = ';';
      Replace(&why, "while it reads the row once", "in one pass over the elements");
      // 256 threads are eight warps of 32 lanes.
      if (subject.answer.backend == kMusaBackend.name) {
        Replace(&why, "eight warps per block hide", "several warps per block hide");
      }
      add(Capital(ChoiceInWords(reason.choice)) + ": " + why + ".");
    }
  }
  return text;
}

}  // namespace kernelmill
