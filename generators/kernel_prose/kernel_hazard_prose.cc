#include <algorithm>
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"
#include "generators/wording/number_format.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// The type that the kernel declares the index with, of those that have 32 bits; "" otherwise.
std::string TypeOf32Bits(const KernelSubject& subject, const std::string& name) {
  const std::regex declared("\\b(int|unsigned int|unsigned|uint32_t|int32_t) " + name + " ?=");
  std::smatch match;
  return std::regex_search(subject.body, match, declared) ? match[1].str() : "";
}

// A product of an index with a number in a subscript, in 32 bits: "idx * 3".
std::string OverflowItem(const KernelSubject& subject) {
  for (const ThreadIndex& index : subject.facts.indices) {
    const std::string type = TypeOf32Bits(subject, index.name);
    const bool whole =
        index.kind == ThreadIndex::Kind::kGlobal || index.kind == ThreadIndex::Kind::kGridRank;
    if (type.empty() || !whole || !IsIdentifier(index.name)) continue;
    const bool is_signed = type == "int" || type == "int32_t";
    const std::int64_t most = is_signed ? INT32_MAX : UINT32_MAX;
    std::smatch match;
    const std::regex product("\\b" + index.name + R"( \* (\d+)\b)");
    if (std::regex_search(subject.body, match, product)) {
      const std::int64_t factor = std::atoll(match[1].str().c_str());
      if (factor < 2) continue;
      return "`" + match[0].str() + "` is computed in 32 bits because `" + index.name + "` is `" +
             type + "`: it overflows when `" + index.name + "` exceeds " + Grouped(most / factor) +
             ". Larger inputs need a 64-bit index.";
    }
    const std::regex variable("\\b" + index.name + R"( \* (\w+)\b)");
    if (std::regex_search(subject.body, match, variable) &&
        subject.Strides().Of(match[1].str()).kind == LaneStride::Kind::kUniform) {
      return "`" + match[0].str() + "` can overflow: `" + index.name + "` is `" + type +
             "`, so the product has 32 bits unless `" + match[1].str() +
             "` is of a wider type, and it must not exceed " + Grouped(most) + ".";
    }
  }
  return "";
}

bool IsFloating(const KernelParameter& parameter) {
  static const std::regex kTypes(R"(\b(float|double|scalar_t|half|__half|at::Half)\b)");
  return std::regex_search(parameter.text, kTypes);
}

}  // namespace

std::vector<std::string> HazardItems(const KernelSubject& subject, bool all) {
  const KernelFacts& facts = subject.facts;
  std::vector<std::string> items;
  const auto add = [&](std::string item) {
    if (!item.empty()) items.push_back(std::move(item));
  };
  add(OverflowItem(subject));
  add(EarlyReturnProse(subject));
  const std::vector<std::string> written = WrittenArrays(subject);
  const bool adds = std::any_of(facts.atomics.begin(), facts.atomics.end(), [](const auto& call) {
    return call.name == "atomicAdd" || call.name == "gpuAtomicAdd";
  });
  const auto added = std::find_if(facts.parameters.begin(), facts.parameters.end(),
                                  [&](const KernelParameter& parameter) {
                                    return parameter.pointer && IsFloating(parameter) &&
                                           IsUpdatedByAtomics(subject, parameter.name);
                                  });
  if (adds && added != facts.parameters.end()) {
    const bool stores =
        std::any_of(facts.stores.begin(), facts.stores.end(),
                    [&](const MemoryAccess& access) { return access.array == added->name; });
    add("The order of the atomic additions to `" + added->name +
        "` is not fixed. Floating-point addition is not associative, so two runs can differ in the "
        "last bits." +
        (stores
             ? ""
             : " The array must also be initialised (usually to zero) before the launch, because "
               "the kernel only adds to it."));
  }
  const auto restricted =
      std::find_if(facts.parameters.begin(), facts.parameters.end(), [&](const auto& parameter) {
        return parameter.text.find("__restrict") != parameter.text.npos &&
               std::find(written.begin(), written.end(), parameter.name) != written.end();
      });
  if (all && restricted != facts.parameters.end()) {
    add("`" + restricted->name +
        "` is a `__restrict__` pointer, so no other argument may overlap it: passing the same "
        "tensor as an input and as `" +
        restricted->name + "` is undefined behaviour.");
  }
  const bool guarded =
      !facts.guards.empty() ||
      std::any_of(facts.loops.begin(), facts.loops.end(), [](const KernelLoop& loop) {
        return loop.kind == KernelLoop::Kind::kGridStride;
      });
  const bool global =
      std::any_of(facts.indices.begin(), facts.indices.end(), [](const ThreadIndex& index) {
        return index.kind == ThreadIndex::Kind::kGlobal ||
               index.kind == ThreadIndex::Kind::kGridRank;
      });
  if (!guarded && global && !facts.stores.empty() && !facts.uses_macros &&
      subject.body.find("if (") == std::string::npos) {
    add("The kernel has no bounds check, so the launch must have exactly as many threads as there "
        "are elements; any further thread accesses memory outside the arrays.");
  }
  if (!facts.launch_bounds.empty()) {
    add(Quoted(facts.launch_bounds) +
        " limits the block size that the compiler plans registers for; a launch with a larger "
        "block fails.");
  }
  return items;
}

}  // namespace kernelmill
