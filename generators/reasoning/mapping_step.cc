#include <cctype>
#include <map>
#include <set>

#include "generators/operator_words.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

using Variants = SentenceVariants;

// Ways to say what a strategy does, beside the plan's own sentence. {threads}: of a block.
const Variants& WordsOf(const std::string& strategy) {
  static const std::map<std::string, Variants, std::less<>> kWords = {
      {"vectorised",
       {"[A|Each] thread moves a pack of neighbouring elements with one wide access and "
        "[computes|works on] them in registers; what does not fill a pack [at the end|] is [done "
        "singly|taken one by one].",
        "Threads are [numbered|lined up] along the [flat|flattened] result, and each [owns|has] a "
        "short run of elements that it [loads and stores|reads and writes] at once.",
        "Work is [handed out|divided] in aligned [packs|groups], so that fewer instructions "
        "[move|carry] the same bytes."}},
      {"grid_stride",
       {"[Each|Every] thread [walks|goes through] the flat result with the [stride|step] of the "
        "[whole|entire] grid, so the grid's size is a [matter|question] of [tuning|speed] and not "
        "of correctness.",
        "The grid is [capped|limited]; a loop [whose step is|that advances by] the number of all "
        "threads [covers|takes care of] the [remainder|rest].",
        "A thread [starts|begins] at its [global|overall] number and [jumps|advances] by the "
        "number of threads in the grid."}},
      {"one_thread_an_element",
       {"[One|A] thread [owns|computes] one element of the result, in row-major order.",
        "The [global|overall] thread number is the position in the flat result.",
        "Thread and element correspond one to one, which also makes stores "
        "[coalesce|contiguous]."}},
      {"gather_an_element",
       {"[Every|Each] thread takes one position of the result, [splits it into|turns it into] "
        "coordinates and [goes to fetch|fetches] what belongs there.",
        "[The result is traversed, not the input|It is the result that is traversed]: [a|each] "
        "thread [asks|works out] where its element comes from.",
        "Positions are [decomposed|taken apart] by [division and remainder|divisions and "
        "remainders]; from the coordinates [follow|come] the operands' addresses."}},
      {"gather_in_a_loop",
       {"Threads loop over positions of the result; for each they [work out|compute] coordinates "
        "and fetch.",
        "The same gather as with one thread an element, but each thread [serves|handles] several "
        "positions."}},
      {"block_a_row",
       {"[A|One] block takes a row; its threads [stride|run] along it [in steps of the block |]and "
        "[merge|combine] their partial results at the end.",
        "Rows [are independent|do not touch each other], so [each|every row] gets a block of "
        "{threads} threads [to itself|of its own]."}},
      {"warp_a_row",
       {"[A|One] warp takes a row: [its|the] lanes read [side by side|neighbouring elements] and "
        "[combine|merge] what they hold by shuffles.",
        "Rows [go|are given] to warps, so [nothing but registers is needed|registers are enough] "
        "to [merge|combine] partial results."}},
      {"tree_a_row",
       {"[A|One] block takes a row and [halves|keeps halving] the number of [active|working] "
        "threads until one [value|result] is left.",
        "Partial [results|values] meet in shared memory, where half of the threads [fold|add] the "
        "other half's values in at [each|every] step."}},
      {"thread_a_row",
       {"[Each|Every] thread [reads|goes through] a row of its own from [start to end|front to "
        "back].",
        "Rows are dealt out to threads; within a row everything is [sequential|done in order]."}},
      {"register_tile",
       {"[A|Each] block [computes|produces] a tile of the result from tiles of [both|the two] "
        "factors in shared memory, and each thread [holds|keeps] a [small square|patch] of "
        "[sums|results] in registers.",
        "[Factors|Both factors] are [staged|brought in] through shared memory and [every|each] "
        "thread [accumulates|sums up] several results, so that one load [serves|feeds] "
        "[many|several] multiply-adds."}},
      {"shared_tile",
       {"[A|Each] block [computes|produces] a square tile of the result; [both factors|the two "
        "factors] [pass|go] through shared memory in tiles [of the same width|as wide].",
        "Tile by tile along the [summed|common] dimension, [threads|the threads] [copy|load] a "
        "piece of each factor and [then multiply|multiply] out of shared memory."}},
      {"split_k",
       {"The summed dimension is [cut|divided] into parts that [different|several] blocks work on; "
        "a second kernel [adds|sums] what they leave.",
        "Blocks share one tile of the result by [splitting|dividing] its sum, and the parts are "
        "added afterwards in a fixed order."}},
      {"loops_of_the_definition",
       {"[A|Each] thread [computes|works out] one element of the result by running the loops of "
        "the definition.",
        "[No sharing|Nothing is shared]: for its element each thread [walks|goes] through all the "
        "products."}},
      {"online_attention",
       {"[A|One] block handles one query of one head and meets the keys tile by tile, rescaling "
        "its sums whenever a larger score [turns up|appears].",
        "Scores are [consumed|used up] as soon as they are made; only a maximum and two sums "
        "[survive|outlive] a tile."}},
      {"scores_in_memory",
       {"First all scores are written, then a softmax runs over each row, then values are mixed by "
        "the weights.",
        "The definition is followed [literally|to the letter], with the matrix of scores in "
        "memory."}},
      {"serial_scan",
       {"[A|One] thread follows one row and writes the running result after every element.",
        "Rows are independent; inside one, a single thread keeps the state."}},
      {"block_scan",
       {"[A|One] block scans its row piece by piece: prefixes within a piece by doubling, a carry "
        "from piece to piece.",
        "Within a piece the distance over which threads add doubles at [every|each] step."}},
      {"place_by_counting",
       {"[A|Each] thread counts how many elements of the row come before its own; that count is "
        "its place in the sorted row.",
        "Every element finds its rank by comparing itself with the whole row."}},
      {"thread_a_sample",
       {"[A|One] thread computes the loss of one sample from its scores.",
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
      if (loop.kind == KernelLoop::Kind::kThreadStart) continue;
      if (loop.start.empty() || loop.condition.empty() || loop.update.empty()) continue;
      return voice->Say({"The loop runs while `{condition}` and [goes on|advances] by `{update}`.",
                         "`{variable}` [begins at `{start}`|starts from `{start}`] and advances by "
                         "`{update}` [as long as|while] `{condition}`.",
                         "In code: `{update}` until `{condition}` fails."},
                        {{"variable", loop.variable},
                         {"start", loop.start},
                         {"condition", loop.condition},
                         {"update", loop.update}});
    }
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.expression.empty() || index.name.empty()) continue;
      return voice->Say({"In [code|the code] `{name}` is `{expression}`.",
                         "[The|A] thread finds its place as `{name} = {expression}`.",
                         "`{name}` [stands for|is] `{expression}`.",
                         "Its number is `{expression}`, called `{name}`."},
                        {{"name", index.name}, {"expression", index.expression}});
    }
  }
  return "";
}

// How the elements of the first result fill blocks that take one a thread.
std::string Occupied(const ReasoningSubject& subject, const DesignedKernel& plan, Voice* voice) {
  const bool one_each =
      plan.strategy == "one_thread_an_element" || plan.strategy == "gather_an_element";
  const Annotation& facts = subject.known.facts;
  if (!one_each || plan.threads <= 0 || subject.answer.kernels.size() > 1 ||
      facts.outputs.size() != 1) {
    return "";
  }
  // A view behind the kernel may leave some of its elements out.
  for (const OperatorCall& call : facts.operators) {
    if (IsFreeOfWork(call.name)) return "";
  }
  const std::int64_t elements = ElementsIn(facts.outputs[0].shape);
  const std::int64_t full = elements / plan.threads, rest = elements % plan.threads;
  const SentenceValues values = {
      {"elements", CountText(elements)},
      {"blocks", CountText((elements + plan.threads - 1) / plan.threads)},
      {"full", CountText(full)},
      {"rest", std::to_string(rest)},
      {"threads", std::to_string(plan.threads)}};
  if (rest == 0) {
    return voice->Say({"{elements} elements fill {blocks} blocks [exactly|to the last thread].",
                       "Here every one of the {blocks} blocks is full."},
                      values);
  }
  if (full == 0) {
    return voice->Say({"One block [is enough|suffices] here, and {rest} of its threads have work.",
                       "{rest} threads of the only block [find|have] an element."},
                      values);
  }
  return voice->Say(
      {"That is {blocks} blocks here, the last with work for {rest} [of its|] threads.",
       "{elements} elements make {blocks} blocks; in the last [only |]{rest} threads have work.",
       "Of {blocks} blocks [all but one|all but the last] are full, and [that one|this] has work "
       "for "
       "{rest} threads."},
      values);
}

std::string Launch(const DesignedKernel& plan, Voice* voice) {
  return voice->Say({"A block has {threads} threads and the grid `{grid}` blocks.",
                     "It is [launched|started] with `{grid}` blocks of {threads} threads.",
                     "[Launch|Grid]: `{grid}` blocks, {threads} threads each.",
                     "With {threads} threads a block the grid is `{grid}`.",
                     "The host [starts|launches] `{grid}` blocks of {threads} threads."},
                    {{"threads", std::to_string(plan.threads)}, {"grid", plan.grid}});
}

std::string MappingOf(const ReasoningSubject& subject, const DesignedKernel& plan, Voice* voice) {
  std::string text = voice->Say({"{kernels}: ", "[For|As to] {kernels}: ", "{kernels} — ",
                                 "How {kernels} [works|divides the work]: "},
                                {{"kernels", CodeList(plan.kernels)}});
  const Variants& words = WordsOf(plan.strategy);
  // The plan's own sentence is one of a few.
  const std::size_t choice = words.empty() ? 0 : voice->Index(4 * words.size() + 1) / 4;
  std::string way = choice < words.size()
                        ? voice->Say({words[choice]}, {{"threads", std::to_string(plan.threads)}})
                        : Sentence(plan.mapping);
  // After a colon the sentence goes on.
  if (way.size() > 1 && way[0] >= 'A' && way[0] <= 'Z' && (way[1] == ' ' || std::islower(way[1]))) {
    way[0] = static_cast<char>(way[0] + 32);
  }
  text += way;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += " " + sentence;
  };
  add(CodeWords(subject, plan, voice));
  add(Launch(plan, voice));
  add(Occupied(subject, plan, voice));
  if (!plan.reasons.empty() && voice->OneIn(4)) {
    const DesignReason& reason = plan.reasons[voice->Index(plan.reasons.size())];
    add(voice->Say({"Why {choice}[:|?] {why}.", "I [choose|take] {choice}: {why}.",
                    "The reason for {choice}: {why}.", "[On|About] {choice}: {why}."},
                   {{"choice", reason.choice}, {"why", reason.why}}));
  }
  if (!plan.index_type.empty() && voice->OneIn(4)) {
    add(voice->Say({"Positions are `{type}`.", "`{type}` is wide enough for positions.",
                    "Indices are [kept|held] in `{type}`.",
                    "[Index|Address] arithmetic is [in|done in] `{type}`."},
                   {{"type", plan.index_type}}));
  }
  return text;
}

}  // namespace

std::string MappingStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "mapping");
  std::string text;
  std::set<std::string> told;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    if (told.size() >= subject.detail) break;
    if (!told.insert(plan.strategy).second) continue;
    text += (text.empty() ? "" : "\n\n") + MappingOf(subject, plan, &voice);
  }
  return text;
}

}  // namespace kernelmill
