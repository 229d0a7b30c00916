#include <algorithm>
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"
#include "generators/wording/sentence_writer.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Kind = ThreadIndex::Kind;

std::string Defined(const ThreadIndex& index) {
  return "`" + index.name + " = " + index.expression + "`";
}

bool IsLoopVariable(const KernelFacts& facts, const ThreadIndex& index) {
  return std::any_of(facts.loops.begin(), facts.loops.end(), [&](const KernelLoop& loop) {
    return loop.variable == index.name && loop.line == index.line;
  });
}

std::vector<const ThreadIndex*> OfKind(const KernelFacts& facts, Kind kind) {
  std::vector<const ThreadIndex*> found;
  for (const ThreadIndex& index : facts.indices) {
    if (index.kind == kind && !IsLoopVariable(facts, index)) found.push_back(&index);
  }
  return found;
}

// The bound of the comparison `name < bound` or `name >= bound`; "" for another condition.
std::string BoundIn(const std::string& condition, std::string_view sign) {
  const std::size_t at = condition.find(sign);
  if (at == condition.npos || condition.find("||") != condition.npos ||
      condition.find("&&") != condition.npos || !IsIdentifier(condition.substr(0, at))) {
    return "";
  }
  return condition.substr(at + sign.size());
}

std::string GlobalSentence(const std::vector<const ThreadIndex*>& globals) {
  if (globals.size() == 1) {
    return "Each thread computes " + Defined(*globals[0]) + ", its index in the whole grid along " +
           globals[0]->dimension + ", so consecutive threads get consecutive values of `" +
           globals[0]->name + "`.";
  }
  std::vector<std::string> items;
  for (const ThreadIndex* index : globals) {
    items.push_back(Defined(*index) + " along " + index->dimension);
  }
  return "The grid has more than one dimension: each thread computes " + Listed(items) +
         ", which are its indices in the whole grid.";
}

// The index that all of the expressions divide: "idx" of `idx / N` and `(idx / M) % N`. "" when
// they have none in common.
std::string DividedIndex(const std::string& expression) {
  static const std::regex kFirst(R"(\(*(\w+) [/%] .*)");
  std::smatch match;
  return std::regex_match(expression, match, kFirst) ? match[1].str() : "";
}

// Derived indices that divide another index into coordinates.
std::string CoordinatesSentence(const KernelSubject& subject,
                                const std::vector<const ThreadIndex*>& derived) {
  std::vector<std::string> parts;
  std::string whole, fastest;
  int remainders = 0;  // With several, the index is split in several ways.
  for (const ThreadIndex* index : derived) {
    const std::string divided = DividedIndex(index->expression);
    if (divided.empty() || (!whole.empty() && divided != whole)) continue;
    whole = divided;
    parts.push_back(Defined(*index));
    if (!index->expression.starts_with(whole + " % ")) continue;
    ++remainders;
    fastest = index->name;
  }
  if (parts.size() < 2) return "";
  std::string text =
      "Divisions and remainders split `" + whole + "` into coordinates: " + Listed(parts) + ".";
  if (remainders == 1 && subject.Strides().Of(whole).factor == "1") {
    text += " As `" + fastest +
            "` is the remainder, it changes from one thread to the next, and the other coordinates "
            "change only where it wraps around to 0.";
  }
  return text;
}

std::string LoopSentence(const KernelLoop& loop) {
  const std::string code = "`for (" + loop.variable + " = " + loop.start + "; " + loop.condition +
                           "; " + loop.update + ")`";
  const std::string bound = BoundIn(loop.condition, " < ");
  switch (loop.kind) {
    case KernelLoop::Kind::kGridStride:
      return "The loop " + code +
             " is a grid-stride loop: each thread starts at its own index and advances by the "
             "number of threads in the grid" +
             (bound.empty() ? "" : ", so every value below `" + bound + "` is visited once") +
             ". The result does not depend on the grid size; a smaller grid only means more "
             "iterations per thread.";
    case KernelLoop::Kind::kBlockStride:
      return "In the loop " + code +
             " the threads of a block share the range: each starts at its own position and "
             "advances by `blockDim` threads, so in every iteration the block covers one "
             "contiguous piece.";
    case KernelLoop::Kind::kThreadStart:
      return "The start of the loop " + code + " depends on the thread.";
  }
  return "";
}

// The parts of a condition between its outermost "||".
std::vector<std::string> Alternatives(const std::string& condition) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    depth += condition[at] == '(' ? 1 : condition[at] == ')' ? -1 : 0;
    if (depth != 0 || condition.compare(at, 4, " || ") != 0) continue;
    parts.push_back(condition.substr(start, at - start));
    start = at + 4;
  }
  parts.push_back(condition.substr(start));
  return parts;
}

// "a, b or c".
std::string Any(const std::vector<std::string>& items) {
  if (items.size() == 1) return items[0];
  const std::vector<std::string> front(items.begin(), items.end() - 1);
  std::string text;
  for (const std::string& item : front) text += (text.empty() ? "" : ", ") + item;
  return text + " or " + items.back();
}

// What the guards say that end threads, each condition once.
std::string ExitSentence(const KernelFacts& facts) {
  std::vector<std::string> bounds, others;
  for (const KernelGuard& guard : facts.guards) {
    if (!guard.leaves) continue;
    for (const std::string& part : Alternatives(guard.condition)) {
      std::vector<std::string>& list = BoundIn(part, " >= ").empty() ? others : bounds;
      const std::string quoted = "`" + part + "`";
      if (std::find(list.begin(), list.end(), quoted) == list.end()) list.push_back(quoted);
    }
  }
  std::string text;
  if (!bounds.empty()) {
    text = "Threads with " + Any(bounds) +
           " return early: the grid consists of whole blocks and can have more threads than there "
           "is work.";
  }
  if (!others.empty()) {
    text += bounds.empty()
                ? "Threads for which " + Any(others) + " holds return early."
                : " Threads within the bounds return as well if " + Any(others) + " holds.";
  }
  return text;
}

}  // namespace

namespace {

// That a guard "`m >= size`" holds for all threads of a block or for none, because the block has
// one thread along its dimension; "" where the code does not say so.
std::string ReturnTogether(const KernelSubject& subject, const std::string& guard) {
  static const std::regex kGuard(R"(`(\w+) >= \w+`)"),
      kIndex(R"(blockIdx\.([xyz]) \* (\w+) \+ threadIdx\.[xyz])");
  std::smatch name, index;
  if (!std::regex_match(guard, name, kGuard)) return "";
  for (const ThreadIndex& one : subject.facts.indices) {
    if (one.name != name[1] || !std::regex_match(one.expression, index, kIndex)) continue;
    if (ConstantIn(subject, index[2]) != 1) return "";
    return "whole blocks have to return together. They do: `" + index[2].str() +
           "` is 1, so that a block of that many threads along this dimension has one `" +
           name[1].str() + "`.";
  }
  return "";
}

}  // namespace

std::string EarlyReturnProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  std::string barrier;
  for (const KernelCall& call : facts.barriers) {
    if (call.name.starts_with("__syncthreads")) barrier = call.name;
  }
  if (barrier.empty()) return "";
  std::vector<std::string> before, behind;
  for (const KernelGuard& guard : facts.guards) {
    // The facts have the line of the first call only; the others are found in the text.
    const std::size_t exit = subject.body.find("if (" + guard.condition + ")");
    if (!guard.leaves || exit == std::string::npos) continue;
    const bool later = subject.body.find(barrier + "(", exit) != std::string::npos;
    (later ? before : behind).push_back("`" + guard.condition + "`");
  }
  std::string text;
  if (!before.empty()) {
    text = "Threads with " + Any(before) + " return before a later `" + barrier +
           "`. A barrier that only some threads of a block reach is undefined behaviour, so ";
    const std::string together = before.size() == 1 ? ReturnTogether(subject, before[0]) : "";
    text += together.empty() ? "this is safe only if whole blocks return together." : together;
  }
  if (!behind.empty()) {
    Append(&text, "Threads with " + Any(behind) + " return only after the last `" + barrier +
                      "`, so " +
                      (before.empty() ? "every thread of the block reaches all barriers."
                                      : "no barrier waits for them."));
  }
  return text;
}

namespace {

// That the launch has to have as many threads per block as a constant says, which the index uses in
// place of `blockDim`.
std::string FixedBlockSentence(const KernelSubject& subject) {
  static const std::regex kIndex(R"(blockIdx\.x \* (\w+) \+ (?:\(\w+\)\s?)?threadIdx\.x)");
  for (const ThreadIndex& one : subject.facts.indices) {
    std::smatch index;
    if (!std::regex_search(one.expression, index, kIndex)) continue;
    const auto threads = ConstantIn(subject, index[1]);
    if (!threads || *threads < 2) continue;
    return "The index takes the size of a block from `" + index[1].str() + "`, which is " +
           std::to_string(*threads) +
           ", so a launch with another number of threads along x would skip elements or work on "
           "some twice.";
  }
  return "";
}

}  // namespace

std::string MappingProse(const KernelSubject& subject, bool guards) {
  const KernelFacts& facts = subject.facts;
  std::string text;
  const auto globals = OfKind(facts, Kind::kGlobal);
  if (!globals.empty()) Append(&text, GlobalSentence(globals));
  for (const ThreadIndex* index : OfKind(facts, Kind::kGridRank)) {
    Append(&text, "`" + index->name + "`, the rank of the thread in the grid (`" +
                      index->expression +
                      "`), numbers all threads of the launch from 0, so each thread has one value "
                      "of `" +
                      index->name + "` to work on.");
  }
  for (const ThreadIndex* index : OfKind(facts, Kind::kBlock)) {
    Append(&text, Defined(*index) +
                      " is equal for all threads of a block: one block works on one value of `" +
                      index->name + "`.");
  }
  std::vector<std::string> threads;
  for (const ThreadIndex* index : OfKind(facts, Kind::kThread)) threads.push_back(Defined(*index));
  if (!threads.empty()) {
    Append(&text, Listed(threads) +
                      (threads.size() == 1 ? " is the position" : " are the positions") +
                      " of the thread within its block.");
  }
  std::vector<std::string> expressions;
  for (const ThreadIndex* index : OfKind(facts, Kind::kExpression)) {
    expressions.push_back(Defined(*index));
  }
  if (expressions.size() > 3) expressions.resize(3);
  if (!expressions.empty()) {
    Append(&text, (text.empty() ? "From its block and thread index, each thread computes "
                                : "From its block and thread index it also computes ") +
                      Listed(expressions) + ".");
  }
  if (!text.empty()) Append(&text, FixedBlockSentence(subject));
  if (!text.empty()) Append(&text, CoordinatesSentence(subject, OfKind(facts, Kind::kDerived)));
  for (const KernelLoop& loop : facts.loops) {
    if (loop.kind != KernelLoop::Kind::kThreadStart) Append(&text, LoopSentence(loop));
  }
  if (!guards) return text;
  Append(&text, ExitSentence(facts));
  std::vector<std::string> around;
  for (const KernelGuard& guard : facts.guards) {
    if (!guard.leaves) around.push_back(guard.condition);
  }
  if (around.size() == 1) {
    Append(&text, "Only threads with `" + around[0] + "` execute the block that stores.");
  } else if (!around.empty()) {
    Append(&text,
           "The stores stand in blocks that only some threads execute, under the conditions " +
               QuotedList(around) + ".");
  }
  return text;
}

}  // namespace kernelmill
