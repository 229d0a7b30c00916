#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "generators/kernel_prose/kernel_prose.h"
#include "generators/wording/sentence_writer.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Kind = LaneStride::Kind;

struct Access {
  std::string text, array;
  LaneStride stride;
};

// The accesses to global arrays whose stride is known, each text once.
std::vector<Access> GlobalAccesses(const KernelSubject& subject) {
  std::vector<Access> accesses;
  std::set<std::string> told;
  for (const auto* list : {&subject.facts.loads, &subject.facts.stores}) {
    for (const MemoryAccess& access : *list) {
      if (access.shared || !told.insert(access.text).second) continue;
      const LaneStride stride = subject.Strides().OfAccess(access);
      if (stride.kind != Kind::kUnknown) accesses.push_back({access.text, access.array, stride});
    }
  }
  return accesses;
}

std::vector<std::string> TextsOf(const std::vector<Access>& accesses) {
  std::vector<std::string> texts;
  for (const Access& access : accesses) texts.push_back(access.text);
  return texts;
}

std::string Are(const std::vector<Access>& accesses, const char* one, const char* several) {
  return accesses.size() == 1 ? one : several;
}

// Whether the accesses to each array together reach all elements between neighbours.
bool FillsGaps(const std::vector<Access>& accesses, std::int64_t distance) {
  std::map<std::string, std::int64_t> of_array;
  for (const Access& access : accesses) ++of_array[access.array];
  return std::all_of(of_array.begin(), of_array.end(),
                     [&](const auto& entry) { return entry.second >= distance; });
}

// A sentence about the accesses with a number as their stride, by that number.
std::string NumberedSentence(const std::map<std::int64_t, std::vector<Access>>& strided) {
  constexpr std::size_t kMostOfOne = 3;
  std::vector<std::string> items;
  bool filled = true;
  for (const auto& [distance, accesses] : strided) {
    items.push_back(QuotedList(TextsOf(accesses), kMostOfOne) + " (" + std::to_string(distance) +
                    " elements)");
    filled = filled && FillsGaps(accesses, distance);
  }
  if (items.empty()) return "";
  return "Neighbouring threads are further apart in " + Listed(items) +
         ", so one request of a warp spreads over that many times as much memory as it uses." +
         (filled ? " The kernel also accesses the elements in between, so the rest of each sector "
                   "can still be in the L1 cache when it is needed."
                 : "");
}

std::string SymbolicSentence(const std::string& factor, const std::vector<Access>& accesses) {
  return "In " + QuotedList(TextsOf(accesses), 4) + ", neighbouring threads are `" + factor +
         "` elements apart. Unless `" + factor +
         "` is small, each lane of a warp touches a 32-byte sector of its own, and the request "
         "uses "
         "only a small part of each sector.";
}

}  // namespace

bool KnowsEveryAccess(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  if (facts.uses_macros || !facts.helpers.empty() || !facts.pointers.empty() ||
      !facts.shared.empty()) {
    return false;
  }
  std::set<std::string> told;
  for (const auto* list : {&facts.loads, &facts.stores}) {
    for (const MemoryAccess& access : *list) {
      if (!told.insert(access.text).second) continue;
      if (subject.Strides().OfAccess(access).kind == Kind::kUnknown) return false;
    }
  }
  // Other subscripts and dereferences belong to arrays that are no parameters.
  std::set<std::string> all;
  for (std::size_t at = subject.body.find('['); at != std::string::npos;
       at = subject.body.find('[', at + 1)) {
    const std::size_t close = subject.body.find(']', at);
    std::size_t begin = at;
    while (begin > 0 && (IsNamePart(subject.body[begin - 1]) || subject.body[begin - 1] == '.')) {
      --begin;
    }
    if (close != std::string::npos) all.insert(subject.body.substr(begin, close + 1 - begin));
  }
  return all.size() == told.size() && subject.body.find("->") == std::string::npos &&
         subject.body.find("(*") == std::string::npos &&
         subject.body.find("::") == std::string::npos;
}

std::string MemoryProse(const KernelSubject& subject) {
  std::vector<Access> coalesced, uniform, data;
  std::map<std::string, std::vector<Access>> symbolic;  // By the factor.
  std::map<std::int64_t, std::vector<Access>> strided;  // By the number.
  for (const Access& access : GlobalAccesses(subject)) {
    switch (access.stride.kind) {
      case Kind::kUniform:
        uniform.push_back(access);
        break;
      case Kind::kFromData:
        data.push_back(access);
        break;
      case Kind::kConstant:
        if (const auto number = access.stride.Number()) {
          const std::int64_t distance = std::abs(*number);
          (distance == 1 ? coalesced : strided[distance]).push_back(access);
        } else {
          symbolic[access.stride.factor].push_back(access);
        }
        break;
      case Kind::kUnknown:
        break;
    }
  }
  std::string text;
  if (!coalesced.empty()) {
    Append(&text, QuotedList(TextsOf(coalesced), 5) + Are(coalesced, " is", " are") +
                      " coalesced: neighbouring threads access neighbouring elements, so a warp "
                      "uses every byte of the sectors that it touches.");
  }
  Append(&text, NumberedSentence(strided));
  for (const auto& [factor, accesses] : symbolic) {
    Append(&text, SymbolicSentence(factor, accesses));
  }
  if (!uniform.empty()) {
    Append(&text,
           "All threads of a warp that differ only in `threadIdx.x` access the same address in " +
               QuotedList(TextsOf(uniform), 4) +
               "; the hardware serves such a request with a single sector.");
  }
  if (!data.empty()) {
    Append(&text, "The " + std::string(data.size() == 1 ? "address" : "addresses") + " of " +
                      QuotedList(TextsOf(data), 4) + (data.size() == 1 ? " depends" : " depend") +
                      " on values that were loaded from memory, so how well a warp's accesses "
                      "coalesce depends on the data.");
  }
  return text;
}

}  // namespace kernelmill
