#include "parsers/fingerprints/answer_fingerprint.h"

#include <algorithm>
#include <bit>
#include <set>

#include "parsers/fingerprints/kernel_skeleton.h"
#include "parsers/fingerprints/native_strings.h"

namespace kernelmill {
namespace {

// The names after a dot: every function that Python calls as `module.f` is among them.
std::set<std::string, std::less<>> AttributesOf(const SyntaxNode& python) {
  std::set<std::string, std::less<>> names;
  ForEachNode(python, [&](const SyntaxNode& node) {
    if (node.Is("attribute")) names.emplace(NodeText(node.Field("attribute")));
  });
  return names;
}

bool IsLoopWord(std::string_view word) {
  return word == "for" || word == "grid" || word == "block" || word == "warp";
}

// Adds what the words of a skeleton say. Skeletons are as deep as a tree that was read, which
// kernel_skeleton.h bounds.
void AddWords(const Skeleton& skeleton, KernelStrategy* strategy) {
  for (const SkeletonItem& item : skeleton) {
    const std::string& word = item.word;
    if (word == "grid") strategy->grid_stride = true;
    if (word == "shfl" || word == "vote") strategy->warp_operations = true;
    if (word == "atomic" || word == "satomic") strategy->atomics = true;
    if (word == "mma") strategy->tensor_cores = true;
    if (word.starts_with("read") || word.starts_with("write")) {
      const char last = word.back();
      if (last == 'v') strategy->structures = true;
      if (last >= '2' && last <= '9') {
        strategy->vector_width = std::max(strategy->vector_width, last - '0');
      }
    }
    const auto reads = [](const SkeletonItem& one) { return one.word.starts_with("read"); };
    if (IsLoopWord(word) && std::any_of(item.inner.begin(), item.inner.end(), reads)) {
      ++strategy->global_passes;
    }
    AddWords(item.inner, strategy);
  }
}

KernelStrategy StrategyOf(const KernelReading& reading, bool launched_in_loop) {
  KernelStrategy strategy;
  strategy.skeleton = SkeletonText(reading.skeleton);
  strategy.block_dimensions = reading.block_dimensions;
  strategy.grid_dimensions = std::max(1, std::popcount(reading.grid_axes));
  strategy.shared_memory = reading.shared_memory;
  strategy.register_tile = reading.register_tile;
  strategy.launched_in_loop = launched_in_loop;
  AddWords(reading.skeleton, &strategy);
  return strategy;
}

std::string WordsOf(const KernelStrategy& kernel) {
  std::string words;
  const auto add = [&](bool holds, const std::string& word) {
    if (holds) words += (words.empty() ? "" : ", ") + word;
  };
  add(kernel.block_dimensions > 1, std::to_string(kernel.block_dimensions) + "-dimensional blocks");
  add(kernel.grid_dimensions > 1, std::to_string(kernel.grid_dimensions) + "-dimensional grid");
  add(kernel.grid_stride, "grid-stride loop");
  add(kernel.vector_width > 1, "vectors of " + std::to_string(kernel.vector_width));
  add(kernel.structures, "accesses of structures");
  add(kernel.shared_memory, "shared memory");
  add(kernel.register_tile, "results in registers");
  add(kernel.warp_operations, "warp operations");
  add(kernel.atomics, "atomics");
  add(kernel.tensor_cores, "tensor cores");
  add(kernel.global_passes > 0, std::to_string(kernel.global_passes) +
                                    (kernel.global_passes == 1 ? " reading loop"
                                                               : " reading loops"));
  add(kernel.launched_in_loop, "launched in a loop");
  return words.empty() ? "one element a thread" : words;
}

}  // namespace

Digest AnswerFingerprint::Cluster() const { return DigestOf(ToJson().Dump()); }

std::string AnswerFingerprint::Text() const {
  std::string text = std::to_string(kernels.size());
  text += kernels.size() == 1 ? " kernel" : " kernels";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    text += (i == 0 ? ": " : " | ") + WordsOf(kernels[i]);
  }
  for (const std::string& library : libraries) text += "; calls " + library;
  return text;
}

Json AnswerFingerprint::ToJson() const {
  Json::Array list, names(libraries.begin(), libraries.end());
  for (const KernelStrategy& kernel : kernels) {
    list.push_back(Json::Object{{"skeleton", kernel.skeleton},
                                {"block_dimensions", kernel.block_dimensions},
                                {"grid_dimensions", kernel.grid_dimensions},
                                {"vector_width", kernel.vector_width},
                                {"structures", kernel.structures},
                                {"grid_stride", kernel.grid_stride},
                                {"shared_memory", kernel.shared_memory},
                                {"warp_operations", kernel.warp_operations},
                                {"atomics", kernel.atomics},
                                {"tensor_cores", kernel.tensor_cores},
                                {"register_tile", kernel.register_tile},
                                {"global_passes", kernel.global_passes},
                                {"launched_in_loop", kernel.launched_in_loop}});
  }
  return Json::Object{{"kernels", std::move(list)}, {"libraries", std::move(names)}};
}

AnswerFingerprint ReadAnswerFingerprint(std::string_view answer) {
  const SyntaxTree python = SyntaxTree::Parse(Grammar::kPython, answer);
  std::string source;
  for (const std::string& part : NativeStrings(python.Root())) source += part + '\n';
  const NativeProgram program(source);
  AnswerFingerprint fingerprint;
  for (const LaunchedKernel& launched : program.Launched(AttributesOf(python.Root()))) {
    fingerprint.kernels.push_back(
        StrategyOf(ReadKernel(program, *launched.kernel), launched.in_loop));
  }
  std::sort(fingerprint.kernels.begin(), fingerprint.kernels.end());
  const auto libraries = program.Libraries();
  fingerprint.libraries.assign(libraries.begin(), libraries.end());
  return fingerprint;
}

}  // namespace kernelmill
