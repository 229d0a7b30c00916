#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "corpora/kernel_backend.h"
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

// The bytes of an element of the array, a parameter; 0 where its type does not say it.
std::int64_t WidthOf(const KernelSubject& subject, const std::string& array) {
  static const std::map<std::string_view, std::int64_t> kWidths = {
      {"float", 4},   {"int", 4},      {"int32_t", 4}, {"uint32_t", 4}, {"double", 8},
      {"int64_t", 8}, {"uint64_t", 8}, {"half", 2},    {"__half", 2},   {"__nv_bfloat16", 2},
      {"int16_t", 2}, {"uint16_t", 2}, {"char", 1},    {"bool", 1},     {"int8_t", 1},
      {"uint8_t", 1}, {"half2", 4},    {"float2", 8},  {"float4", 16},  {"unsigned char", 1}};
  for (const KernelParameter& parameter : subject.facts.parameters) {
    if (parameter.name != array || !parameter.pointer) continue;
    std::string type = parameter.text.substr(0, parameter.text.find('*'));
    if (type.starts_with("const ")) type.erase(0, 6);
    while (type.ends_with(' ')) type.pop_back();
    const auto width = kWidths.find(type);
    return width == kWidths.end() ? 0 : width->second;
  }
  return 0;
}

// The loop that reaches the elements between those of neighbouring threads: its variable; "".
std::string LoopOver(const KernelSubject& subject, const Access& access, std::int64_t distance) {
  static const std::regex kAdded(R"( \+ (\w+)\]$)");
  std::smatch added;
  if (!std::regex_search(access.text, added, kAdded)) return "";
  const std::string name = added[1].str();
  const std::regex loop("for \\((?:unsigned |const )?\\w+ " + name + " = 0; " + name + " < " +
                        std::to_string(distance) + ";");
  return std::regex_search(subject.body, loop) ? name : "";
}

// What the only access of this stride costs, where the type of its elements is known: the sectors
// of a request, and the load that would fetch what a loop reads piece by piece. "" otherwise.
std::string SectorSentence(const KernelSubject& subject, const Access& access,
                           std::int64_t distance) {
  constexpr std::int64_t kSector = 32, kLanes = 32, kVector = 16;
  const std::int64_t width = WidthOf(subject, access.array);
  if (width == 0 || subject.kernel.backend != kCudaBackend.name) return "";
  const std::int64_t apart = distance * width;
  const std::string sectors = std::to_string(std::min(kLanes, apart * kLanes / kSector));
  std::string text = "In " + Quoted(access.text) + " neighbouring threads are " +
                     std::to_string(distance) + " elements apart, " + std::to_string(apart) +
                     " bytes, so 32 lanes side by side touch " + sectors +
                     " sectors with one request, where " + std::to_string(width) +
                     (width == 1 ? " sector" : " sectors") + " would hold what they use.";
  const std::string loop = LoopOver(subject, access, distance);
  if (loop.empty()) return text;
  text += " The loop over `" + loop +
          "` uses the rest of these sectors, if they are still in the "
          "L1 cache.";
  if (apart == kVector || apart == kVector / 2) {
    text += " One vector access of " + std::to_string(apart) + " bytes would handle all " +
            std::to_string(distance) + " elements of a thread with one request.";
  }
  return text;
}

// A sentence about the accesses with a number as their stride, by that number.
std::string NumberedSentence(const KernelSubject& subject,
                             const std::map<std::int64_t, std::vector<Access>>& strided) {
  if (strided.size() == 1 && strided.begin()->second.size() == 1) {
    const auto& [distance, accesses] = *strided.begin();
    const std::string text = SectorSentence(subject, accesses[0], distance);
    if (!text.empty()) return text;
  }
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
  Append(&text, NumberedSentence(subject, strided));
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
