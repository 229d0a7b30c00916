#include "generators/reasoning/global_accesses.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "generators/reasoning/performance_numbers.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kLanes = 32, kPack = 16;
// What is equal but for tails.
constexpr double kEqual = 1.03;

std::int64_t WidthOfName(std::string_view type) {
  static const std::map<std::string_view, std::int64_t> kWidths = {
      {"float", 4},  {"double", 8},        {"int", 4},           {"int32_t", 4}, {"int64_t", 8},
      {"__half", 2}, {"__nv_bfloat16", 2}, {"__mt_bfloat16", 2}, {"bool", 1},    {"uint8_t", 1},
      {"int8_t", 1}, {"int16_t", 2},       {"uint32_t", 4},      {"uint64_t", 8}};
  const auto found = kWidths.find(type);
  return found == kWidths.end() ? 0 : found->second;
}

// The bytes of a plain struct of the source, whose fields have a line each; 0 when it is none.
std::int64_t WidthOfStruct(const AnswerCode& code, const std::string& type) {
  const std::size_t start = code.native.find("struct " + type + " {\n");
  if (start == std::string::npos) return 0;
  std::int64_t bytes = 0;
  for (std::size_t at = code.native.find('\n', start) + 1;;) {
    const std::size_t end = code.native.find('\n', at);
    if (end == std::string::npos) return bytes;
    const std::string_view line = std::string_view(code.native).substr(at, end - at);
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t space = first == line.npos ? line.npos : line.find(' ', first);
    if (space == line.npos || !line.ends_with(';') || line.find_first_of("()[]=,") != line.npos) {
      return bytes;
    }
    const std::int64_t width = WidthOfName(line.substr(first, space - first));
    if (width == 0) return 0;
    bytes += width;
    at = end + 1;
  }
}

// The bytes of an element behind the pointer "const float* __restrict__ x"; 0 when unknown.
std::int64_t WidthOf(const AnswerCode& code, const KernelParameter& parameter) {
  std::string type = parameter.text.substr(0, parameter.text.find('*'));
  constexpr std::string_view kConst = "const ";
  if (type.starts_with(kConst)) type.erase(0, kConst.size());
  while (type.ends_with(' ')) type.pop_back();
  const std::int64_t width = WidthOfName(type);
  return width > 0 ? width : WidthOfStruct(code, type);
}

const KernelParameter* ParameterNamed(const AnswerKernel& kernel, const std::string& name) {
  for (const KernelParameter& parameter : kernel.facts.parameters) {
    if (parameter.pointer && parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::vector<std::string> ArraysOf(const std::vector<MemoryAccess>& accesses) {
  std::vector<std::string> arrays;
  for (const MemoryAccess& access : accesses) {
    if (!access.shared && std::find(arrays.begin(), arrays.end(), access.array) == arrays.end()) {
      arrays.push_back(access.array);
    }
  }
  return arrays;
}

bool IsPacked(const AnswerKernel& kernel) {
  return !kernel.facts.vector_types.empty() || kernel.plan->strategy.find("vectorised") == 0 ||
         std::any_of(
             kernel.facts.pointers.begin(), kernel.facts.pointers.end(),
             [](const KernelStatement& one) { return one.text.find("Pack<") != one.text.npos; });
}

bool MayHideAccesses(const AnswerKernel& kernel) {
  return kernel.facts.uses_macros || !kernel.facts.pointers.empty() ||
         !kernel.facts.cached_loads.empty();
}

// Whether the lanes of a warp access neighbouring elements with "array[i]": `i` numbers the threads
// of the grid, or is that number modulo the length of a row.
bool IsContiguous(const AnswerKernel& kernel, const MemoryAccess& access) {
  const auto numbers_threads = [&](std::string_view name) {
    for (const ThreadIndex& index : kernel.facts.indices) {
      const bool global =
          index.kind == ThreadIndex::Kind::kGlobal || index.kind == ThreadIndex::Kind::kGridRank;
      if (global && index.name == name) return true;
    }
    for (const KernelLoop& loop : kernel.facts.loops) {
      if (loop.variable == name && loop.start.find("threadIdx.x") != std::string::npos &&
          loop.start.find_first_of("/%") == std::string::npos) {
        return true;
      }
    }
    return false;
  };
  if (!access.text.starts_with(access.array + "[") || !access.text.ends_with(']')) return false;
  const std::size_t start = access.array.size() + 1;
  const std::string index = access.text.substr(start, access.text.size() - start - 1);
  if (numbers_threads(index)) return true;
  for (const ThreadIndex& one : kernel.facts.indices) {
    const std::size_t modulo = one.expression.find(" % ");
    if (one.name == index && modulo != std::string::npos) {
      return numbers_threads(std::string_view(one.expression).substr(0, modulo)) &&
             one.expression.find(' ', modulo + 3) == std::string::npos;
    }
  }
  return false;
}

// The arrays of accesses that are not known to be contiguous.
std::vector<std::string> SuspectsOf(const AnswerKernel& kernel,
                                    const std::vector<MemoryAccess>& accesses) {
  std::vector<MemoryAccess> others;
  for (const MemoryAccess& access : accesses) {
    if (!access.shared && !IsContiguous(kernel, access)) others.push_back(access);
  }
  return ArraysOf(others);
}

// The bytes of the task's only output, where this kernel of the last call stores it and nothing
// else; 0 otherwise. Nothing is known of sizes that the task does not have.
std::int64_t OutputBytes(const KnownTask& known, const Candidate& answer,
                         const AnswerKernel& kernel, const std::vector<std::string>& arrays) {
  if (!answer.verdict.sizes.empty() || known.facts.outputs.size() != 1 || arrays.size() != 1 ||
      arrays[0] != "out" || answer.kernels.empty() || kernel.plan != &answer.kernels.back()) {
    return 0;
  }
  const TensorFacts& output = known.facts.outputs[0];
  const std::int64_t bytes = BytesIn(output.shape, output.dtype);
  // A view of what the last kernel stores may be smaller.
  const std::vector<std::string>& operators = kernel.plan->operators;
  const auto& calls = known.facts.operators;
  for (auto call = calls.rbegin(); call != calls.rend() && !operators.empty(); ++call) {
    if (!operators.back().starts_with(call->name)) continue;
    const bool same = call->outputs.size() == 1 &&
                      BytesIn(call->outputs[0].shape, call->outputs[0].dtype) == bytes;
    return same ? bytes : 0;
  }
  return bytes;
}

struct Counted {
  std::int64_t requests = 0, sectors = 0;
};

// The verdict on stores of the task's output by what it fills; false when they decide none.
bool JudgeByOutput(std::int64_t bytes, const Counted& counted, bool packed, GlobalAccess* access) {
  access->filled = (bytes + kSectorBytes - 1) / kSectorBytes;
  access->bytes_of_request = static_cast<double>(bytes) / static_cast<double>(counted.requests);
  const double most = static_cast<double>(packed ? kLanes * kPack : kLanes * access->width);
  // Otherwise elements are stored more than once, or by atomics, which are no requests.
  if (access->filled <= 0 || access->bytes_of_request > most * kEqual) return false;
  const double times = static_cast<double>(counted.sectors) / static_cast<double>(access->filled);
  if (times < 1 / kEqual) return false;
  if (times <= kEqual) {
    access->use = AccessUse::kFilled;
  } else if (times > kCoalesced) {
    access->use = AccessUse::kWasted;
  } else {
    return false;
  }
  return true;
}

// The verdict by the widths of the arrays; false when they decide none.
bool JudgeByWidths(const std::set<std::int64_t>& widths, bool packed, double lanes, bool alone,
                   GlobalAccess* access) {
  if (widths.empty() || *widths.begin() <= 0) return false;
  const auto width = static_cast<double>(access->width);
  if (packed) {
    if (access->ratio > static_cast<double>(kPack) * kEqual ||
        access->ratio < static_cast<double>(kPack) / kEqual) {
      return false;
    }
    access->width = kPack;
    access->use = AccessUse::kWhole;
    return true;
  }
  constexpr double kAllLanes = 31.5, kFewer = 0.9;
  const bool full = lanes >= kAllLanes;
  if (access->ratio > kUncoalesced * width) {
    access->use = AccessUse::kScattered;
    return true;
  }
  if (widths.size() > 1) {
    access->use = AccessUse::kMixed;
    return true;
  }
  // Each sector of fewer lanes holds elements of some of them.
  const double fewest = std::max(1.0, width * lanes / static_cast<double>(kLanes));
  if (!full) {
    if (!alone) return false;
    access->lanes = lanes;
    if (access->ratio > kUncoalesced * fewest) {
      access->use = AccessUse::kScattered;
      return true;
    }
    return false;
  }
  // Lanes of a store write different elements: with fewer sectors some of them are not active, and
  // `lanes` is an average over loads and stores.
  const bool fewer = access->ratio < width * kFewer;
  if (fewer && !access->load) return false;
  access->use = fewer                             ? AccessUse::kShared
                : access->ratio <= width * kEqual ? AccessUse::kWhole
                                                  : AccessUse::kMore;
  return access->use != AccessUse::kWhole || access->ratio >= width / kEqual;
}

}  // namespace

const AnswerKernel* KernelOf(const AnswerCode& code, const VerdictLaunch& launch) {
  const std::string name = launch.kernel.substr(0, launch.kernel.find('<'));
  for (const AnswerKernel& kernel : code.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

std::vector<GlobalAccess> GlobalAccessesOf(const KnownTask& known, const Candidate& answer,
                                           const AnswerCode& code, const VerdictLaunch& launch) {
  std::vector<GlobalAccess> found;
  const AnswerKernel* const kernel = KernelOf(code, launch);
  if (kernel == nullptr || !launch.counts) return found;
  const VerdictCounts& counts = *launch.counts;
  const Counted both[] = {{counts.global_load_requests, counts.global_load_sectors},
                          {counts.global_store_requests, counts.global_store_sectors}};
  const bool packed = IsPacked(*kernel);
  const double lanes = counts.LanesOfRequest().value_or(0);
  const bool shared = counts.SharedRequests() > 0;
  for (const bool load : {true, false}) {
    const Counted& counted = both[load ? 0 : 1];
    if (counted.requests <= 0) continue;
    GlobalAccess access;
    access.load = load;
    access.sectors = counted.sectors;
    access.ratio = static_cast<double>(counted.sectors) / static_cast<double>(counted.requests);
    access.arrays = ArraysOf(load ? kernel->facts.loads : kernel->facts.stores);
    std::set<std::int64_t> widths;
    bool pointers = true;
    for (const std::string& array : access.arrays) {
      const KernelParameter* const parameter = ParameterNamed(*kernel, array);
      pointers = pointers && parameter != nullptr;
      widths.insert(parameter == nullptr ? 0 : WidthOf(code, *parameter));
    }
    if (!pointers || widths.empty()) continue;
    if (!packed && MayHideAccesses(*kernel)) continue;
    access.width = *widths.rbegin();
    const std::int64_t output = load ? 0 : OutputBytes(known, answer, *kernel, access.arrays);
    // At least so many lanes store; with more than the output has, something else is stored.
    const std::int64_t lanes_of_stores =
        counts.active_lanes - kLanes * both[0].requests - kLanes * counts.SharedRequests();
    const bool is_output =
        static_cast<double>(lanes_of_stores * access.width) <= static_cast<double>(output) * kEqual;
    const bool judged = output > 0 && access.width > 0 && is_output &&
                        JudgeByOutput(output, counted, packed, &access);
    // The mean number of lanes is one of all requests.
    const bool alone = !shared && (load ? both[1] : both[0]).requests == 0;
    if (!judged) access.filled = 0;
    if (judged || JudgeByWidths(widths, packed, lanes, alone, &access)) {
      const std::vector<std::string> suspects =
          SuspectsOf(*kernel, load ? kernel->facts.loads : kernel->facts.stores);
      if (IsWasteful(access) && !suspects.empty()) access.arrays = suspects;
      found.push_back(std::move(access));
    }
  }
  return found;
}

bool IsWasteful(const GlobalAccess& access) {
  return access.use == AccessUse::kScattered || access.use == AccessUse::kWasted;
}

bool AreWholeAlike(const std::vector<GlobalAccess>& accesses) {
  return accesses.size() == 2 && accesses[0].use == AccessUse::kWhole &&
         accesses[1].use == AccessUse::kWhole && accesses[0].width == accesses[1].width &&
         Decimal(accesses[0].ratio) == Decimal(accesses[1].ratio);
}

double TimesOfFewest(const GlobalAccess& access) {
  if (access.filled > 0) {
    return static_cast<double>(access.sectors) / static_cast<double>(access.filled);
  }
  const double lanes = access.lanes > 0 ? access.lanes : static_cast<double>(kLanes);
  const double fewest =
      std::max(1.0, static_cast<double>(access.width) * lanes / static_cast<double>(kLanes));
  return access.ratio / fewest;
}

bool IsIntermediate(const AnswerCode& code, const AnswerKernel& kernel, const std::string& array) {
  const auto accesses = [&](const AnswerKernel& one, bool load) {
    const std::vector<std::string> arrays = ArraysOf(load ? one.facts.loads : one.facts.stores);
    return std::find(arrays.begin(), arrays.end(), array) != arrays.end();
  };
  bool stored = false, loaded = false;
  for (const AnswerKernel& one : code.kernels) {
    if (one.plan != kernel.plan) continue;
    stored = stored || accesses(one, false);
    loaded = loaded || accesses(one, true);
  }
  return stored && loaded && array != "out";
}

std::optional<SecondLoad> LoadedAgain(const AnswerCode& code) {
  for (const AnswerKernel& first : code.kernels) {
    for (const std::string& array : ArraysOf(first.facts.loads)) {
      if (IsIntermediate(code, first, array)) continue;
      for (const AnswerKernel& second : code.kernels) {
        if (&second <= &first || second.plan != first.plan) continue;
        const std::vector<std::string> loads = ArraysOf(second.facts.loads);
        if (std::find(loads.begin(), loads.end(), array) != loads.end()) {
          return SecondLoad{array, first.name, second.name};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace kernelmill
