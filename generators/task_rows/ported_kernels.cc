#include "generators/task_rows/ported_kernels.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// The warps of NVIDIA GPUs and of an MTT S5000, and those of an MTT S80 or S4000.
constexpr std::int64_t kWarp = 32, kWideWarp = 128;

// What the expression finds in the code, each once.
std::vector<std::string> FoundIn(const std::string& code, const std::regex& expression) {
  std::vector<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), expression), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The mathematical and atomic functions of the device, which both platforms have by these names.
std::vector<std::string> SharedFunctionsIn(const std::string& code) {
  static const std::regex kCall(
      R"(\b((?:expf|exp2f|expm1f|logf|log1pf|log2f|log10f|sqrtf|rsqrtf|cbrtf|powf|tanhf|sinhf|coshf)"
      R"(|sinf|cosf|tanf|asinf|acosf|atanf|atan2f|erff|erfcf|fabsf|fmaxf|fminf|fmodf|floorf|ceilf)"
      R"(|truncf|rintf|roundf|atomic[A-Z]\w*))\()");
  return FoundIn(code, kCall);
}

bool Has(const Candidate& candidate, std::string_view text) {
  return candidate.code.find(text) != candidate.code.npos;
}

std::string CountInWords(std::int64_t count) {
  static constexpr std::string_view kWords[] = {"no",   "one", "two",   "three", "four",
                                                "five", "six", "seven", "eight"};
  return count < static_cast<std::int64_t>(std::size(kWords)) ? std::string(kWords[count])
                                                              : std::to_string(count);
}

std::string WarpsInWords(std::int64_t count) {
  return CountInWords(count) + (count == 1 ? " warp" : " warps");
}

// The block sizes of the program, from small to large.
std::vector<std::int64_t> BlockSizes(const Candidate& candidate) {
  std::vector<std::int64_t> sizes;
  for (const DesignedKernel& plan : candidate.kernels) sizes.push_back(plan.threads);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string KernelsOf(const Candidate& candidate) {
  std::vector<std::string> kernels;
  for (const DesignedKernel& plan : candidate.kernels) {
    kernels.insert(kernels.end(), plan.kernels.begin(), plan.kernels.end());
  }
  return CodeList(kernels, 4);
}

struct DeviceFunction {
  std::string name, text;
  bool uses_width = false;
};

// The functions of the device code that begin at the start of a line, and whether they, or what
// they call, depend on the width of a warp.
std::vector<DeviceFunction> DeviceFunctionsIn(const std::string& code) {
  static const std::regex kHead(R"(\n__(?:global|device)__[^;{]*?(\w+)\([^;{()]*\) (?:const )?\{)");
  std::vector<DeviceFunction> functions;
  for (std::sregex_iterator at(code.begin(), code.end(), kHead), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    const std::string text = code.substr(begin, code.find("\n}\n", begin) - begin);
    functions.push_back({(*at)[1], text,
                         text.find("warpSize") != text.npos || !WarpFunctionsIn(text).empty() ||
                             text.find(".shuffled(") != text.npos});
  }
  for (bool more = true; more;) {
    more = false;
    for (DeviceFunction& one : functions) {
      if (one.uses_width) continue;
      one.uses_width =
          std::any_of(functions.begin(), functions.end(), [&](const DeviceFunction& other) {
            return other.uses_width && one.text.find(other.name + "(") != one.text.npos;
          });
      more = more || one.uses_width;
    }
  }
  return functions;
}

// What the code of the kernels takes from `warpSize`, and which kernels do not depend on it.
std::string OnUsers(const Candidate& to, std::string_view why) {
  std::vector<std::string> users, others;
  const std::vector<DeviceFunction> functions = DeviceFunctionsIn(to.code);
  for (const DesignedKernel& plan : to.kernels) {
    for (const std::string& kernel : plan.kernels) {
      const auto found =
          std::find_if(functions.begin(), functions.end(),
                       [&](const DeviceFunction& one) { return one.name == kernel; });
      std::vector<std::string>& list =
          found == functions.end() || found->uses_width ? users : others;
      if (std::find(list.begin(), list.end(), kernel) == list.end()) list.push_back(kernel);
    }
  }
  std::string text = users.empty() ? "The code" : "The code of " + CodeList(users, 4);
  text += " takes the width from `warpSize` and has no number for it, " + std::string(why);
  if (!others.empty()) {
    text += " " + CodeList(others, 4) +
            (others.size() == 1 ? " exchanges nothing within a warp, so it stays, too."
                                : " exchange nothing within a warp, so they stay, too.");
  }
  return text;
}

// The code reads the width from `warpSize`, and both devices have the same.
std::string OnEqualWidth(const Candidate& to) {
  std::string text =
      "An MTT S5000 has warps of 32 lanes, as NVIDIA GPUs have, so no exchange within a warp "
      "changes. " +
      OnUsers(to,
              "so it stays as it is and would also hold for the 128 threads per warp of an MTT S80 "
              "or S4000.");
  if (Has(to, "offset = warpSize / 2")) {
    text += " An exchange over a whole warp starts at `warpSize / 2` and takes five steps.";
  }
  if (Has(to, "0xffffffff")) text += " The mask `0xffffffff` names all lanes of a warp.";
  return text;
}

// What the width of a warp changes, for code that reads it from `warpSize`.
std::string OnWidth(const Candidate& to) {
  const bool widens = to.backend == kMusaBackend.name;
  std::string text =
      "What matters here is the width of a warp: 32 lanes on NVIDIA GPUs and on an MTT S5000, but "
      "128 threads per warp on an MTT S80 or S4000. " +
      OnUsers(to, "so it stays as it is.");
  if (Has(to, "offset = warpSize / 2")) {
    text += widens
                ? " An exchange over a whole warp starts at `warpSize / 2`, so it takes seven "
                  "steps on a wide warp, and five on one of 32 lanes."
                : " An exchange over a whole warp starts at `warpSize / 2`, so it takes five steps "
                  "on NVIDIA GPUs, where wide warps take seven.";
  }
  for (const std::int64_t threads : BlockSizes(to)) {
    if (threads % kWideWarp != 0) continue;
    text += " A block of " + std::to_string(threads) + " threads has " +
            WarpsInWords(threads / kWarp) + " where a warp has 32 lanes, and " +
            CountInWords(threads / kWideWarp) + " where warps are wide.";
  }
  if (Has(to, "+= warps") && Has(to, " + 3) / 4;")) {
    text += widens
                ? " The grid has a block for every four rows or results; where a block is a single "
                  "wide warp, its loop over `warps` takes the four one after the other."
                : " The grid has a block for every four rows or results, so each has a warp of its "
                  "own, and the loop over `warps` runs once.";
  }
  if (Has(to, "warp < static_cast<int>(blockDim.x) / warpSize")) {
    text +=
        " Then `block_merge` combines one state per warp: their number is `blockDim.x / warpSize`, "
        "and `scratch` has room for the larger number, which is that of narrow warps.";
  }
  if (Has(to, "0xffffffff")) {
    text += widens
                ? " The mask `0xffffffff` stays, too: the shuffle functions of torch_musa pass the "
                  "same mask for a whole warp, whose width they take from `warpSize`."
                : " The mask `0xffffffff` names all lanes of a warp.";
  }
  return text;
}

// How wide warps lie over the blocks of a program that does not depend on their width.
std::string OnBlocks(const Candidate& to) {
  static const std::regex kTile(R"(a (\d+) x (\d+) tile)");
  std::string text;
  for (const DesignedKernel& plan : to.kernels) {
    std::smatch tile;
    if (plan.strategy == "block_of_columns" || plan.strategy == "blocks_a_column") {
      return " A block has 32 columns and eight threads along each: a warp of 32 lanes is one row "
             "of "
             "the block, a wide one four rows. `column_merge` combines the threads of a column in "
             "shared memory, behind barriers, so that is the same to it.";
    }
    if (plan.strategy == "shared_tile" && std::regex_search(plan.mapping, tile, kTile)) {
      const std::int64_t cols = std::stoll(tile[2].str());
      if (cols > kWarp) continue;
      return " A warp of 32 lanes covers " + CountInWords(kWarp / cols) + " rows of a tile with " +
             tile[2].str() + " columns, a wide one " + CountInWords(kWideWarp / cols) +
             "; the barriers between the writes and the reads of a tile hold for the whole block.";
    }
    if (plan.strategy.starts_with("vectorised")) {
      return " One access of 16 bytes per lane is 512 bytes of a warp with 32 lanes, and four "
             "times "
             "as much of a wide one.";
    }
  }
  for (const std::int64_t threads : BlockSizes(to)) {
    if (threads % kWideWarp == 0) {
      text += " A block of " + std::to_string(threads) + " threads has " +
              WarpsInWords(threads / kWarp) + " of 32 lanes, or " +
              CountInWords(threads / kWideWarp) +
              " where warps are wide, and each thread has elements of its own.";
    } else if (to.backend == kMusaBackend.name) {
      text += " A block of " + std::to_string(threads) +
              " threads does not fill a wide warp, whose other lanes stay idle.";
    }
  }
  return text;
}

// What was checked where the width of a warp cannot matter.
std::string OnNames(const Candidate& to, bool types, bool one_width) {
  return KernelsOf(to) +
         (types ? " needs another name of the 16-bit brain float and nothing else: "
                : " may stay as written: ") +
         "nothing there depends on the width of a warp (32 lanes on NVIDIA GPUs and on an MTT "
         "S5000, 128 threads per warp on an MTT S80 or S4000), since no value is shuffled and no "
         "lane votes." +
         (one_width ? "" : OnBlocks(to));
}

}  // namespace

PortDifference DifferenceOfPort(const Candidate& from, const Candidate& to) {
  if (Has(to, "warpSize") || !WarpFunctionsIn(to.code).empty()) return PortDifference::kWarpWidth;
  const KernelBackend &old = *FindKernelBackend(from.backend),
                      &now = *FindKernelBackend(to.backend);
  const bool renamed = old.bfloat16_type != now.bfloat16_type && Has(to, now.bfloat16_type);
  return renamed ? PortDifference::kTypeNames : PortDifference::kNames;
}

std::vector<std::string> WarpFunctionsIn(const std::string& code) {
  static const std::regex kCall(R"(\b(__(?:shfl|ballot|any|all|activemask|match|reduce)\w*)\()");
  // A state that can be shuffled may be merged in shared memory alone; then nobody calls its
  // `shuffled()`.
  static const std::regex kUncalled(R"(shuffled\(int offset\) const \{[^}]*\};?\s*\})");
  return FoundIn(
      code.find(".shuffled(") == code.npos ? std::regex_replace(code, kUncalled, "") : code, kCall);
}

std::string WarpWidthText(std::string_view what, const std::vector<std::string>& functions) {
  return std::string(what) + " exchanges values within a warp by " + CodeList(functions) +
         ". Warps have 32 lanes on NVIDIA GPUs and on an MTT S5000, but 128 threads per warp on an "
         "MTT S80 or S4000, so every number that stands for a lane or a width is tied to the "
         "device.";
}

std::string PortedKernelsText(const Candidate& from, const Candidate& to, bool one_width) {
  const KernelBackend &old = *FindKernelBackend(from.backend),
                      &now = *FindKernelBackend(to.backend);
  const bool types = old.bfloat16_type != now.bfloat16_type && Has(to, now.bfloat16_type);
  const std::vector<std::string> warp = WarpFunctionsIn(to.code);
  std::string text;
  if (Has(to, "warpSize")) {
    text = one_width ? OnEqualWidth(to) : OnWidth(to);
    if (types) text += " In the kernels the name of the 16-bit brain float changes.";
  } else if (!warp.empty()) {
    // Programs of models may write the width of a warp as a number.
    text = WarpWidthText("The device code of " + KernelsOf(to), warp);
  } else {
    text = OnNames(to, types, one_width);
  }
  if (const std::vector<std::string> shared = SharedFunctionsIn(to.code); !shared.empty()) {
    text += shared.size() == 1 ? " The code calls " + CodeList(shared) +
                                     ", which both platforms have under this name."
                               : " The code calls " + CodeList(shared, 4) +
                                     ", which both platforms have under these names.";
  }
  if (Has(to, "__half2float") || Has(to, "__float2half")) {
    text +=
        " The conversions of `__half` have the same names on both sides, so 16-bit values need "
        "another header only.";
  }
  if (Has(to, "alignas(16)")) {
    text +=
        " The 16-byte accesses are plain C++ and need the same alignment, which the host code "
        "checks as before.";
  }
  return text;
}

}  // namespace kernelmill
