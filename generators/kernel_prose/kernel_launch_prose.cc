#include <algorithm>
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {
namespace {

// The first launch with a grid and a block, which the question shows.
const KernelLaunch* LaunchOf(const KernelSource& kernel) {
  for (const KernelLaunch& launch : kernel.launches) {
    if (!launch.grid.empty() && !launch.block.empty()) return &launch;
  }
  return nullptr;
}

// A division that rounds up, "(count + size - 1) / size" or a call that says the same.
struct RoundedUp {
  std::string text, count, size;
};

// The divisions that round up in `text`, from which they are removed.
std::vector<RoundedUp> TakeRoundedUp(std::string* text) {
  static const std::regex kSum(R"(\(([\w.]+(?:\(\))?) \+ ([\w.]+) - 1\) / ([\w.]+))");
  static const std::regex kCall(
      R"((?:ceil_div|cdiv|div_up|divup|DIV_UP|CeilDiv|ceilDiv|at::ceil_div)(?:<\w+>)?\(([\w.]+), ([\w.]+)\))");
  static const std::regex kNumbers(R"(\(([\w.]+(?:\(\))?) \+ (\d+)\) / (\d+))");
  std::vector<RoundedUp> found;
  std::smatch match;
  const auto take = [&](const std::regex& pattern, std::size_t size) {
    while (std::regex_search(*text, match, pattern)) {
      if (&pattern == &kSum && match[2] != match[3]) return;
      if (&pattern == &kNumbers &&
          std::atoll(match[2].str().c_str()) + 1 != std::atoll(match[3].str().c_str())) {
        return;
      }
      found.push_back({match[0], match[1], match[size]});
      *text = match.prefix().str() + "1" + match.suffix().str();
    }
  };
  take(kSum, 2);
  take(kCall, 2);
  take(kNumbers, 3);
  return found;
}

// The statement of the set-up that defines the variable: "dim3 threads(256)".
std::string DefinitionOf(const KernelLaunch& launch, const std::string& name) {
  const std::regex defined("\\b" + name + "\\b ?(=|\\()");
  for (const std::string& statement : launch.setup) {
    std::smatch match;
    if (!std::regex_search(statement, match, defined)) continue;
    return statement.ends_with(';') ? statement.substr(0, statement.size() - 1) : statement;
  }
  return "";
}

std::string SharedSentence(const KernelSubject& subject, const KernelLaunch& launch) {
  if (launch.shared.empty() || launch.shared == "0") return "";
  const std::string definition = DefinitionOf(launch, launch.shared);
  if (definition.ends_with("= 0")) return "";
  const bool dynamic = std::any_of(subject.facts.shared.begin(), subject.facts.shared.end(),
                                   [](const SharedArray& array) { return array.dynamic; });
  return "The third launch argument gives each block `" + launch.shared +
         "` bytes of dynamic shared memory" +
         (dynamic ? ", which is the size of the `extern __shared__` array" : "") + ".";
}

}  // namespace

std::string LaunchCode(const KernelSubject& subject) {
  const KernelLaunch* const launch = LaunchOf(subject.kernel);
  if (launch == nullptr) return "";
  std::string code = "// In " + launch->function + "():\n";
  for (const std::string& statement : launch->setup) code += statement + "\n";
  code += subject.facts.name;
  if (!launch->template_arguments.empty()) code += "<" + launch->template_arguments + ">";
  code += "<<<" + launch->grid + ", " + launch->block;
  if (!launch->shared.empty() || !launch->stream.empty()) {
    code += ", " + (launch->shared.empty() ? "0" : launch->shared);
  }
  if (!launch->stream.empty()) code += ", " + launch->stream;
  return code + ">>>(/* arguments */);\n";
}

std::string LaunchProse(const KernelSubject& subject) {
  const KernelLaunch* const launch = LaunchOf(subject.kernel);
  if (launch == nullptr) return "";
  const KernelFacts& facts = subject.facts;
  const std::string block = DefinitionOf(*launch, launch->block);
  const std::string grid = DefinitionOf(*launch, launch->grid);
  // The expression for the number of blocks.
  std::string blocks = grid.empty() ? launch->grid : grid;
  const std::vector<RoundedUp> rounded = TakeRoundedUp(&blocks);
  const bool limited = blocks.find("min(") != blocks.npos;
  // Only rounding up, and its limit, is explained here.
  if (rounded.empty() || blocks.find_first_of("*/+-") != blocks.npos) return "";
  const bool strides = std::any_of(
      facts.loops.begin(), facts.loops.end(),
      [](const KernelLoop& loop) { return loop.kind == KernelLoop::Kind::kGridStride; });
  std::string text = block.empty() ? "A block has `" + launch->block + "` threads."
                                   : "The block size comes from `" + block + "`.";
  for (const RoundedUp& one : rounded) {
    Append(&text, "`" + one.text +
                      "` divides and rounds up: it is the smallest number of blocks of `" +
                      one.size + "` threads that covers `" + one.count + "`" +
                      (limited ? ", and `min` limits it to the other argument." : "."));
  }
  const RoundedUp& first = rounded[0];
  // Whether the grid follows a change of the block size.
  const bool number = first.size.find_first_not_of("0123456789") == std::string::npos;
  const std::string& threads = block.empty() ? launch->block : block;
  if (!number && (first.size == launch->block || first.size.starts_with(launch->block + "."))) {
    Append(&text,
           "The grid is computed from the block size, so with another block size it still "
           "covers `" +
               first.count + "`.");
  } else if (number && threads.find(first.size) != threads.npos) {
    Append(&text, "The number " + first.size +
                      " stands in the block size and in the grid, so a new "
                      "block size has to be written in both places.");
  }
  if (strides) {
    Append(&text,
           "Because of the grid-stride loop this is a matter of speed only: fewer blocks "
           "would give the same result with more iterations per thread.");
  } else if (!facts.guards.empty()) {
    const KernelGuard& guard = facts.guards[0];
    Append(&text, "If `" + first.size + "` does not divide `" + first.count +
                      "`, the last block has threads without work; `" + guard.condition + "` " +
                      (guard.leaves ? "ends them before they access memory."
                                    : "keeps them from storing anything.") +
                      " With a division that rounds down, the last elements would not be "
                      "computed.");
  }
  Append(&text, SharedSentence(subject, *launch));
  if (launch->stream.find("getCurrent") != launch->stream.npos) {
    Append(&text,
           "The kernel runs on PyTorch's current stream, so it is ordered with the operators "
           "before and after it without a synchronisation of the device.");
  }
  Append(&text, "If `" + first.count +
                    "` is 0, the grid has no blocks, and such a launch fails with an invalid "
                    "configuration; the caller has to skip it.");
  return text;
}

}  // namespace kernelmill
