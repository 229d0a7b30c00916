#include <algorithm>
#include <regex>
#include <set>

#include "generators/kernel_prose/kernel_prose.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// The text without what stands in square brackets, which is address arithmetic.
std::string WithoutSubscripts(const std::string& text) {
  std::string rest;
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (depth == 0) rest += c;
    if (c == ']') --depth;
  }
  return rest;
}

// The number of arithmetic operators, an upper bound for the operations of straight-line code.
std::size_t OperatorsIn(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    count += std::string_view("+-*/").find(text[at]) != std::string_view::npos;
  }
  return count;
}

// Loops whose number of iterations depends on a value that differs between lanes.
struct UnevenLoop {
  std::string condition, bound;
};

std::vector<UnevenLoop> UnevenLoops(const KernelSubject& subject) {
  std::vector<UnevenLoop> loops;
  static const std::regex kFor(R"(for \([^;()]*; (\w+ <=? (\w+));)");
  for (std::sregex_iterator at(subject.body.begin(), subject.body.end(), kFor), end; at != end;
       ++at) {
    const std::string bound = (*at)[2];
    const LaneStride stride = subject.Strides().Of(bound);
    const bool told = std::any_of(loops.begin(), loops.end(),
                                  [&](const UnevenLoop& loop) { return loop.bound == bound; });
    if (stride.kind == LaneStride::Kind::kFromData && !told) {
      loops.push_back({(*at)[1], bound});
    }
  }
  return loops;
}

std::size_t Times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// Whether no two threads of a warp access the same address.
bool EveryAccessIsOfOneThread(const KernelSubject& subject) {
  for (const auto* list : {&subject.facts.loads, &subject.facts.stores}) {
    for (const MemoryAccess& access : *list) {
      const LaneStride::Kind kind = subject.Strides().OfAccess(access).kind;
      if (kind != LaneStride::Kind::kConstant) return false;
    }
  }
  return true;
}

}  // namespace

std::string LimitProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  std::string text;
  const std::size_t loops = Times(subject.body, "for (") + Times(subject.body, "while (");
  const std::size_t strided = static_cast<std::size_t>(std::count_if(
      facts.loops.begin(), facts.loops.end(),
      [](const KernelLoop& loop) { return loop.kind == KernelLoop::Kind::kGridStride; }));
  std::set<std::string> loads, stores;
  for (const MemoryAccess& access : facts.loads) {
    if (!access.shared) loads.insert(access.text);
  }
  for (const MemoryAccess& access : facts.stores) {
    if (!access.shared) stores.insert(access.text);
  }
  const std::size_t accesses = loads.size() + stores.size();
  constexpr std::size_t kFewPerAccess = 8;
  const bool own = KnowsEveryAccess(subject) && EveryAccessIsOfOneThread(subject);
  const bool straight =
      loops == strided && own && facts.atomics.empty() && !loads.empty() && !stores.empty();
  if (straight && OperatorsIn(WithoutSubscripts(subject.body)) <= kFewPerAccess * accesses) {
    text = std::string("For each ") + (strided > 0 ? "iteration" : "thread") + " there are " +
           std::to_string(accesses) +
           " accesses to global memory and only a few arithmetic operations for each of them, and "
           "each thread accesses elements of its own. The kernel is memory-bound: its time is the "
           "time to move the data, so fewer bytes or better coalescing make it faster, and fewer "
           "arithmetic operations do not.";
  }
  for (const UnevenLoop& loop : UnevenLoops(subject)) {
    Append(&text, "The number of iterations of the loop with the condition `" + loop.condition +
                      "` depends on `" + loop.bound +
                      "`, which each thread loads from memory. The lanes of a warp run together "
                      "until the last of them leaves the loop, so very different values in one "
                      "warp leave lanes idle.");
  }
  if (!facts.atomics.empty()) {
    Append(&text,
           "Atomic updates of one address are executed one after the other. If many threads "
           "hit the same address, this contention, and not the bandwidth, limits the "
           "kernel; combining values within a warp or a block before the atomic reduces "
           "it.");
  }
  return text;
}

}  // namespace kernelmill
