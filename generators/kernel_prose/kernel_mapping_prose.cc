#include <algorithm>

#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {
namespace {

using Kind = ThreadIndex::Kind;

constexpr std::size_t kMostInList = 4;

SentenceVariants IndexPatterns(Kind kind) {
  switch (kind) {
    case Kind::kGlobal:
      return {
          "Line {line}: `{name} = {expression}`.[ Blocks are laid end to end along {d}, so every "
          "thread of the grid gets a number of its own there.|]",
          "`{name}`, [computed|worked out|set] at line {line} as `{expression}`, is the thread's "
          "[position|place|number] in the whole grid along {d}[: the blocks before its own hold "
          "`blockDim.{d}` threads each, and `threadIdx.{d}` counts within its block|].",
          "At line {line} each thread [works out|computes|finds] `{name} = {expression}`, its "
          "global [index|number] along {d}[. Two threads never share it unless they differ in "
          "another dimension|].",
          "The global index along {d} is `{name}` (line {line}, `{expression}`)[; neighbouring "
          "threads [along {d} |]get neighbouring values|].",
          "[Along {d}|In {d}], `{name}` [numbers|counts] the threads of the [whole |]grid: "
          "`{expression}`[, line {line}| at line {line}].",
          "`{expression}` [at|in] line {line} is the [usual|ordinary] global index[, here `{name}`"
          "|: `{name}`]."};
    case Kind::kGridRank:
      return {
          "Line {line} asks cooperative groups for the thread's rank in the grid: `{name} = "
          "{expression}`[ numbers all threads of the launch from 0 on|].",
          "[All|The] threads of the launch are numbered by `{name}` (line {line}), [which is "
          "`{expression}`|their rank in the grid].",
          "[There is|It has] one index, `{name} = {expression}`[ at line {line}| (line {line})][, "
          "running over the whole grid|].",
          "`{expression}`[, line {line},| (line {line})] numbers the threads[ of all blocks|]: "
          "`{name}`.",
          "A thread is known by `{name}`, its rank in the grid[ (line {line})|, from line {line}].",
          "`{name}` (line {line}) is `{expression}`: one number for every thread of the whole "
          "grid[, over all its dimensions|].",
          "[Instead of combining block and thread index by hand, line {line} takes|Line {line} "
          "takes] the rank in the grid: `{name} = {expression}`."};
    case Kind::kThread:
      return {
          "`{name}` at line {line} is `{expression}`, the [position|place] within the block along "
          "{d}[; it is the same in every block|].",
          "Within its block a thread knows its place along {d} as `{name}` (line {line}: "
          "`{expression}`).",
          "Line {line} keeps `{expression}` as `{name}`[: which thread of the block this is, "
          "along {d}|].",
          "[In the block|Inside a block], `{name}` [counts|numbers] the threads along {d} "
          "(`{expression}`, line {line})."};
    case Kind::kBlock:
      return {
          "`{name}` at line {line} is `{expression}`[: all threads of a block share it, so what "
          "it selects is worked on by one block together|, the block's number along {d}].",
          "Line {line} sets `{name} = {expression}`. It differs from block to block along {d}[ "
          "and is equal within one|].",
          "The block's own number along {d} is kept as `{name}` (line {line}, `{expression}`).",
          "[Which block this is|The number of the block], along {d}: `{name} = {expression}`[, "
          "line {line}| (line {line})]."};
    case Kind::kExpression:
      return {"Line {line} derives `{name} = {expression}` from the [position|place] of the "
              "thread.",
              "`{name}` (line {line}) [combines|is made of] block and thread position: "
              "`{expression}`.",
              "From its place in the launch each thread [computes|gets] `{name} = {expression}`[ at "
              "line {line}|, line {line}].",
              "[Line {line}|At line {line}]: `{name} = {expression}`[, by the thread's place|]."};
    case Kind::kDerived:
      return {"From [such|these] values [follows|comes] `{name} = {expression}` (line {line}).",
              "Line {line} goes on to `{name} = {expression}`.",
              "`{name}` (line {line}) is `{expression}`[, and so depends on the place in the grid "
              "too|].",
              "[Then|Next|Further] `{name} = {expression}`[ in line {line}| (line {line})].",
              "`{expression}` [becomes|is called] `{name}` [at|in] line {line}."};
  }
  return {""};
}

SentenceVariants LoopPatterns(KernelLoop::Kind kind) {
  switch (kind) {
    case KernelLoop::Kind::kGridStride:
      return {
          "The loop at line {line} is a grid-stride loop: `{variable}` starts at `{start}` and "
          "advances by the number of threads in the grid (`{update}`) while `{condition}`.[ Any "
          "grid size gives the right result; a larger one takes fewer rounds.|]",
          "Line {line} walks with the whole grid as its stride: from `{start}`, by `{update}`, "
          "while `{condition}`.[ So the number of blocks is free, and in each round the grid "
          "covers one contiguous stretch.|]",
          "With `{update}` the loop at line {line} steps over as many elements as the grid has "
          "threads, beginning at `{start}`, until `{condition}` fails[: no element is taken "
          "twice, and the launch need not match the problem's size|].",
          "[Grid-stride loop|A loop over the grid's width][,| at] line {line}: `{variable}` from "
          "`{start}`, `{update}`, as long as `{condition}`."};
    case KernelLoop::Kind::kBlockStride:
      return {
          "The loop at line {line} shares its range among the threads of one block: "
          "`{variable}` starts at `{start}` and moves on by `{update}` while `{condition}`.",
          "Line {line} strides by the block: each thread begins at `{start}` and takes every "
          "so-manieth element (`{update}`) as long as `{condition}` holds[, so the block as a "
          "whole passes over the range in contiguous steps|].",
          "Within a block the work of line {line} is dealt out round by round: start at "
          "`{start}`, step `{update}`, stop when `{condition}` is false.",
          "[The block|One block] goes over `{variable}` together [at|in] line {line}: from "
          "`{start}` by `{update}` [while|until not] `{condition}`."};
    case KernelLoop::Kind::kThreadStart:
      return {
          "The loop at line {line} begins at a place that depends on the thread: `{variable}` "
          "from `{start}`, while `{condition}`, by `{update}`.",
          "At line {line} every thread loops from its own start, `{start}`, as long as "
          "`{condition}` holds (`{update}`).",
          "`{variable}` [runs|goes] from `{start}`, another value in each thread, by `{update}` "
          "while `{condition}` (line {line})."};
  }
  return {""};
}

bool IsLoopVariable(const KernelFacts& facts, const ThreadIndex& index) {
  return std::any_of(facts.loops.begin(), facts.loops.end(), [&](const KernelLoop& loop) {
    return loop.variable == index.name && loop.line == index.line;
  });
}

std::int64_t FirstAccess(const KernelFacts& facts) {
  std::int64_t first = 0;
  for (const auto* accesses : {&facts.loads, &facts.stores}) {
    for (const MemoryAccess& access : *accesses) {
      if (first == 0 || access.line < first) first = access.line;
    }
  }
  return first;
}

// Whether threads synchronise or exchange values after the line. Only the first line is known of
// several calls to one function.
bool MeetsAfter(const KernelFacts& facts, std::int64_t line) {
  for (const auto* calls : {&facts.barriers, &facts.warp_calls}) {
    for (const KernelCall& call : *calls) {
      if (call.line > line) return true;
    }
  }
  return false;
}

}  // namespace

std::string Quoted(const std::string& text) {
  return text.find('`') == std::string::npos ? "`" + text + "`" : "`` " + text + " ``";
}

// The names; for many of them only their number.
std::string NamesOrCount(const std::vector<std::string>& names, const std::string& what) {
  constexpr std::size_t kMostNames = 4;
  return names.size() > kMostNames ? std::to_string(names.size()) + " " + what : Listed(names);
}

std::string SignatureProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  std::vector<std::string> inputs, outputs, values;
  bool restricted = false;
  for (const KernelParameter& parameter : facts.parameters) {
    auto& list = !parameter.pointer ? values : parameter.constant ? inputs : outputs;
    list.push_back("`" + parameter.name + "`");
    restricted = restricted || parameter.text.find("__restrict") != std::string::npos;
  }
  std::vector<std::string> quoted;
  for (const std::string& one : facts.template_parameters) quoted.push_back(Quoted(one));
  std::vector<std::string> sentences;
  if (!quoted.empty()) {
    sentences.push_back(subject.Say("kernel template",
                                    {"`{name}` is a template over {list}.",
                                     "[Template parameters|Instantiated for]: {list}.",
                                     "The instantiation decides on {list}.",
                                     "The source is generic in {list}."},
                                    {{"name", facts.name}, {"list", Listed(quoted)}}));
  }
  const SentenceValues lists = {{"name", facts.name},
                                {"inputs", NamesOrCount(inputs, "const pointers")},
                                {"outputs", NamesOrCount(outputs, "pointers that are not const")},
                                {"values", NamesOrCount(values, "arguments")}};
  if (!inputs.empty() && !outputs.empty()) {
    sentences.push_back(subject.Say(
        "kernel pointers",
        {"By their types it only reads through {inputs} and may write through {outputs}.",
         "`const` keeps the kernel from writing through {inputs}; results can leave by {outputs}.",
         "Data [comes in|enters] by {inputs} and can [leave|go out] by {outputs}.",
         "[In|Inputs]: {inputs}. [Out|Outputs]: {outputs}.",
         "From {inputs} to {outputs}: that is the way of the data.",
         "`{name}` takes {inputs} to read and {outputs} to write."},
        lists));
  } else if (!outputs.empty()) {
    sentences.push_back(subject.Say(
        "kernel outputs", {"No pointer is const: {outputs} may be read and written.",
                           "`{name}` works [in place|directly] on {outputs}.",
                           "{outputs}: for reading and writing alike."},
        lists));
  }
  if (!values.empty() &&
      SentenceWriter(subject.wording, subject.row_name + " tells values").OneIn(2)) {
    sentences.push_back(subject.Say("kernel values",
                                    {"Passed by value: {values}.",
                                     "By value, and so the same for all threads, come {values}.",
                                     "[Scalars|Values], equal for all threads: {values}.",
                                     "All threads get the same copies of {values}."},
                                    lists));
  }
  if (restricted &&
      SentenceWriter(subject.wording, subject.row_name + " tells restrict").OneIn(3)) {
    sentences.push_back(subject.Say(
        "kernel restrict",
        {"`__restrict__` promises the compiler that such a pointer is the only way to its memory.",
         "[By|With] `__restrict__` [no two of these pointers overlap|loads may be kept in "
         "registers].",
         "The pointers under `__restrict__` do not overlap[, says the author|]."}));
  }
  if (!facts.launch_bounds.empty()) {
    sentences.push_back(Quoted(facts.launch_bounds) +
                        subject.Say("kernel launch bounds",
                                    {" tells the compiler how large a block may be, and with that "
                                     "how many registers a thread may use.",
                                     " limits the block, which lets the compiler plan registers.",
                                     ": larger blocks are not to be launched."}));
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

// The assignment with its line: "`a = b / c` (line 8)".
std::string Assignment(const ThreadIndex& index, const std::string& style) {
  const std::string code = "`" + index.name + " = " + index.expression + "`";
  return FillPlaceholders(style, {{"code", code},
                                  {"name", "`" + index.name + "`"},
                                  {"expression", "`" + index.expression + "`"},
                                  {"line", std::to_string(index.line)}});
}

// Several variables, at most the first few, in one of `sentences`, which contain {list}.
std::string ListProse(const KernelSubject& subject, const std::string& purpose,
                      const std::vector<ThreadIndex>& variables,
                      const SentenceVariants& sentences) {
  SentenceWriter writer(subject.wording, subject.row_name + " " + purpose);
  const std::string style = writer.Choose(
      "[{code} (line {line})|{code} in line {line}|{name} as "
      "{expression} (line {line})]");
  std::vector<std::string> items;
  for (const ThreadIndex& variable : variables) {
    if (items.size() == kMostInList) break;
    items.push_back(Assignment(variable, style));
  }
  if (variables.size() > items.size()) {
    items.push_back(std::to_string(variables.size() - items.size()) + " more");
  }
  return writer.Say(sentences, {{"list", Listed(items)}});
}

// A sentence about the indices that are computed from other indices.
std::string DerivedProse(const KernelSubject& subject, const std::vector<ThreadIndex>& derived) {
  return ListProse(subject, "derived", derived,
                   {"From [that|it|there] [follow|come] {list}.",
                    "[The rest|What follows] is [arithmetic|computed from it]: {list}.",
                    "[Taken apart|Further], that gives {list}.", "On it [rest|depend] {list}.",
                    "[Then come|There follow|Next are] {list}.",
                    "[Divided up|Worked out] from it: {list}.",
                    "It [leads to|is turned into] {list}."});
}

// A sentence about the other expressions of block and thread indices.
std::string ExpressionProse(const KernelSubject& subject,
                            const std::vector<ThreadIndex>& expressions) {
  return ListProse(subject, "expressions", expressions,
                   {"Block and thread [decide|make up] {list}.",
                    "[A thread's|The] place in the launch gives {list}.",
                    "[Each thread|A thread] [computes|starts with] {list}.",
                    "[Different|Not the same] in each thread: {list}.",
                    "[From block and thread|By their place], threads [have|get] {list}.",
                    "{list} [tell threads apart|depend on block and thread|differ from thread to "
                    "thread]."});
}

std::string MappingProse(const KernelSubject& subject) {
  std::vector<std::string> sentences;
  std::vector<ThreadIndex> derived, expressions;
  const auto one = [&](const ThreadIndex& index) {
    sentences.push_back(subject.Say("index " + index.name + std::to_string(index.line),
                                    IndexPatterns(index.kind),
                                    {{"line", std::to_string(index.line)},
                                     {"name", index.name},
                                     {"expression", index.expression},
                                     {"d", std::string(1, index.dimension)}}));
  };
  for (const ThreadIndex& index : subject.facts.indices) {
    // The variable of a loop is described with the loop.
    if (IsLoopVariable(subject.facts, index)) continue;
    if (index.kind == Kind::kDerived) {
      derived.push_back(index);
    } else if (index.kind == Kind::kExpression) {
      expressions.push_back(index);
    } else {
      one(index);
    }
  }
  if (expressions.size() == 1) {
    one(expressions[0]);
  } else if (!expressions.empty()) {
    sentences.push_back(ExpressionProse(subject, expressions));
  }
  const auto tell_derived = [&] {
    if (derived.size() == 1) {
      one(derived[0]);
    } else if (!derived.empty()) {
      sentences.push_back(DerivedProse(subject, derived));
    }
  };
  // Without other indices, the derived ones can depend on loop variables.
  const bool loops_first = sentences.empty();
  if (!loops_first) tell_derived();
  for (const KernelLoop& loop : subject.facts.loops) {
    sentences.push_back(subject.Say("loop " + loop.variable + std::to_string(loop.line),
                                    LoopPatterns(loop.kind),
                                    {{"line", std::to_string(loop.line)},
                                     {"variable", loop.variable},
                                     {"start", loop.start},
                                     {"condition", loop.condition},
                                     {"update", loop.update}}));
  }
  if (loops_first) tell_derived();
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string GuardProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  const std::int64_t first_access = FirstAccess(facts);
  std::string text;
  std::int64_t first_exit = 0;  // The line of the first guard that leaves.
  bool bounds = false;          // Whether a guard that leaves compares with an upper bound.
  for (const KernelGuard& guard : facts.guards) {
    if (guard.leaves) {
      if (first_exit == 0) first_exit = guard.line;
      bounds = bounds || guard.condition.find(">=") != std::string::npos;
    }
    const std::string pattern =
        guard.leaves
            ? subject.Say(
                  "guard " + std::to_string(guard.line),
                  {"Threads for which `{condition}` holds [return|leave|end] at line {line}{before}.",
                   "`{condition}` [ends a thread|is the way out] [at|in] line {line}{before}.",
                   "[At line {line}|Line {line}:] [a thread|the thread] [with|for which] "
                   "`{condition}` returns{before}.",
                   "Line {line} lets threads go early: `if ({condition}) return;`{before}.",
                   "There is a check at line {line}: where `{condition}`, the thread "
                   "returns{before}."})
            : subject.Say(
                  "guard " + std::to_string(guard.line),
                  {"The stores in the block at line {line} are made only by threads for which "
                   "`{condition}` holds.",
                   "Line {line} guards what follows[: only where `{condition}` is something "
                   "written|, by `{condition}`].",
                   "`{condition}` at line {line} decides which threads write in that block."});
    const bool before =
        guard.leaves && !facts.uses_macros && first_access > 0 && guard.line < first_access;
    const bool said = before && SentenceWriter(subject.wording, subject.row_name + " before " +
                                                                    std::to_string(guard.line))
                                    .OneIn(2);
    text += (text.empty() ? "" : " ") +
            FillPlaceholders(pattern, {{"line", std::to_string(guard.line)},
                                       {"condition", guard.condition},
                                       {"before", said ? ", before any array is touched" : ""}});
  }
  if (text.empty() || first_exit == 0) return text;
  if (MeetsAfter(facts, first_exit)) {
    text += subject.Say(
        "guard collective",
        {" A thread that has returned takes no part in the barriers and warp operations further "
         "down[; whether that is sound depends on whole warps or blocks leaving together|].",
         " [Mind that returned|Returned] threads are missing from what threads do together further "
         "down.",
         " [Barriers and warp operations|What follows] must do without [them|such threads].", ""});
  } else if (bounds) {
    text += subject.Say(
        "guard reason",
        {" A grid is made of whole blocks, so without such a check the last block could reach past "
         "the end.",
         " That makes a grid safe whose threads outnumber the elements.",
         " [The last block|A block at the end] may have more threads than work.", "", "", ""});
  }
  return text;
}

}  // namespace kernelmill
