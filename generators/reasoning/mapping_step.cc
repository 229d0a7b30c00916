#include <algorithm>
#include <map>
#include <set>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

using Variants = std::vector<std::string_view>;

// Ways to say what a strategy does, beside the plan's own sentence. {threads}: of a block.
const Variants& WordsOf(const std::string& strategy) {
  static const std::map<std::string, Variants, std::less<>> kWords = {
      {"vectorised",
       {"A thread moves a pack of neighbouring elements with one wide access and computes them in "
        "registers; what does not fill a pack at the end is done singly.",
        "Threads are numbered along the flat result, and each owns a short run of elements that it "
        "loads and stores at once.",
        "Work is handed out in aligned packs, so that fewer instructions move the same bytes."}},
      {"grid_stride",
       {"Each thread walks the flat result with the stride of the whole grid, so the grid's size "
        "is "
        "a matter of tuning and not of correctness.",
        "The grid is capped; a loop whose step is the number of all threads covers the remainder.",
        "A thread starts at its global number and jumps by the number of threads in the grid."}},
      {"one_thread_an_element",
       {"One thread owns one element of the result, in row-major order.",
        "The global thread number is the position in the flat result.",
        "Thread and element correspond one to one, which also makes stores coalesce."}},
      {"gather_an_element",
       {"Every thread takes one position of the result, splits it into coordinates and goes to "
        "fetch what belongs there.",
        "The result is traversed, not the input: a thread asks where its element comes from.",
        "Positions are decomposed by division and remainder; from the coordinates follow the "
        "operands' addresses."}},
      {"gather_in_a_loop",
       {"Threads loop over positions of the result; for each they work out coordinates and fetch.",
        "The same gather as with one thread an element, but each thread serves several "
        "positions."}},
      {"block_a_row",
       {"A block takes a row; its threads stride along it and merge their partial results at the "
        "end.",
        "Rows are independent, so each gets a block of {threads} threads to itself."}},
      {"warp_a_row",
       {"A warp takes a row: lanes read side by side and combine what they hold by shuffles.",
        "Rows go to warps, so nothing but registers is needed to merge partial results."}},
      {"tree_a_row",
       {"A block takes a row and halves the number of active threads until one value is left.",
        "Partial results meet in shared memory, where half of the threads fold the other half's "
        "values in at each step."}},
      {"thread_a_row",
       {"Each thread reads a row of its own from start to end.",
        "Rows are dealt out to threads; within a row everything is sequential."}},
      {"register_tile",
       {"A block computes a tile of the result from tiles of both factors in shared memory, and "
        "each "
        "thread holds a small square of sums in registers.",
        "Factors are staged through shared memory and every thread accumulates several results, so "
        "that one load serves many multiply-adds."}},
      {"shared_tile",
       {"A block computes a square tile of the result; both factors pass through shared memory in "
        "tiles of the same width.",
        "Tile by tile along the summed dimension, threads copy a piece of each factor and then "
        "multiply out of shared memory."}},
      {"split_k",
       {"The summed dimension is cut into parts that different blocks work on; a second kernel "
        "adds "
        "what they leave.",
        "Blocks share one tile of the result by splitting its sum, and the parts are added "
        "afterwards in a fixed order."}},
      {"loops_of_the_definition",
       {"A thread computes one element of the result by running the loops of the definition.",
        "No sharing: for its element each thread walks through all the products."}},
      {"online_attention",
       {"A block handles one query of one head and meets the keys tile by tile, rescaling its sums "
        "whenever a larger score turns up.",
        "Scores are consumed as soon as they are made; only a maximum and two sums survive a "
        "tile."}},
      {"scores_in_memory",
       {"First all scores are written, then a softmax runs over each row, then values are mixed by "
        "the weights.",
        "The definition is followed literally, with the matrix of scores in memory."}},
      {"serial_scan",
       {"A thread follows one row and writes the running result after every element.",
        "Rows are independent; inside one, a single thread keeps the state."}},
      {"block_scan",
       {"A block scans its row piece by piece: prefixes within a piece by doubling, a carry from "
        "piece to piece.",
        "Within a piece the distance over which threads add doubles at every step."}},
      {"place_by_counting",
       {"A thread counts how many elements of the row come before its own; that count is its place "
        "in the sorted row.",
        "Every element finds its rank by comparing itself with the whole row."}},
      {"thread_a_sample",
       {"A thread computes the loss of one sample from its scores.",
        "Samples go to threads; the scores of one are read by a single thread."}},
  };
  static const Variants kNone;
  // One that reads a row once works the same way beside that.
  constexpr std::string_view kOnline = "_a_row_online";
  std::string name = strategy;
  if (name.ends_with(kOnline)) name.resize(name.size() - std::string_view("_online").size());
  const auto found = kWords.find(name);
  return found == kWords.end() ? kNone : found->second;
}

std::string Sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// What the kernels of one plan look like in the code.
std::string CodeWords(const ReasoningSubject& subject, const DesignedKernel& plan, Voice* voice) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (kernel.plan != &plan) continue;
    for (const KernelLoop& loop : kernel.facts.loops) {
      const std::vector<std::pair<std::string_view, std::string>> values = {
          {"variable", loop.variable}, {"condition", loop.condition}, {"update", loop.update}};
      if (!loop.condition.empty() && !loop.update.empty()) {
        return voice->Say({"The loop runs while `{condition}` and goes on by `{update}`.",
                           "`{variable}` advances by `{update}` as long as `{condition}`.",
                           "In code: `{update}` until `{condition}` fails."},
                          values);
      }
    }
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.expression.empty() || index.name.empty()) continue;
      return voice->Say(
          {"In code `{name}` is `{expression}`.",
           "The thread finds its place as `{name} = {expression}`.",
           "`{name}` stands for `{expression}`.", "Its number is `{expression}`, called `{name}`."},
          {{"name", index.name}, {"expression", index.expression}});
    }
  }
  return "";
}

}  // namespace

std::string MappingStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "mapping");
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  std::string text;
  std::set<std::string> told;
  for (const DesignedKernel& plan : plans) {
    if (told.size() >= subject.detail) break;
    if (!told.insert(plan.strategy).second) continue;
    if (!text.empty()) text += "\n\n";
    const std::string kernels = CodeList(plan.kernels);
    text += voice.Say({"{kernels}: ", "For {kernels}: ", "In {kernels}, ", "{kernels} — ",
                       "How {kernels} works: "},
                      {{"kernels", kernels}});
    const Variants& words = WordsOf(plan.strategy);
    const std::size_t choice = voice.Index(words.size() + 1);
    std::string way = choice < words.size()
                          ? Fill(words[choice], {{"threads", std::to_string(plan.threads)}})
                          : Sentence(plan.mapping);
    // After a comma or colon the sentence goes on.
    if (way.size() > 1 && way[0] >= 'A' && way[0] <= 'Z' && way[1] >= 'a' && way[1] <= 'z') {
      way[0] = static_cast<char>(way[0] + 32);
    }
    text += way;
    if (const std::string code = CodeWords(subject, plan, &voice); !code.empty())
      text += " " + code;
    text += " " + voice.Say({"A block has {threads} threads and the grid `{grid}` blocks.",
                             "It is launched with `{grid}` blocks of {threads} threads.",
                             "Launch: `{grid}` blocks, {threads} threads each.",
                             "With {threads} threads a block the grid is `{grid}`.",
                             "The host starts `{grid}` blocks of {threads}."},
                            {{"threads", std::to_string(plan.threads)}, {"grid", plan.grid}});
    if (!plan.reasons.empty() && voice.OneIn(2)) {
      const DesignReason& reason = plan.reasons[voice.Index(plan.reasons.size())];
      text += " " + voice.Say({"Why {choice}: {why}.", "I choose {choice}: {why}.",
                               "The reason for {choice}: {why}.", "On {choice}: {why}."},
                              {{"choice", reason.choice}, {"why", reason.why}});
    }
    if (!plan.index_type.empty() && voice.OneIn(2)) {
      text += " " + voice.Say({"Positions are `{type}`.", "`{type}` is wide enough for positions.",
                               "Indices are kept in `{type}`.", "Index arithmetic is in `{type}`."},
                              {{"type", plan.index_type}});
    }
  }
  return text;
}

}  // namespace kernelmill
