// Paragraphs about one native kernel, written from the facts of its syntax tree, which
// WriteKernelKnowledge() (kernel_knowledge.h) puts together to the answer of a row. A function
// returns "" when there are no facts for its paragraph. Every paragraph says only what follows from
// the code and the launch that the question shows, or from CUDA's definition; it quotes code and
// no line numbers, because the question does not number its lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/kernel_source.h"
#include "parsers/cuda_kernel_facts.h"
#include "parsers/cuda_lane_stride.h"

namespace kernelmill {

struct KernelSubject {
  const KernelSource& kernel;
  const KernelFacts& facts;
  std::string body;  // The text of the kernel, without comments, on one line.
  // The strides of its indices; made on first use.
  const LaneStrides& Strides() const {
    if (!strides) strides.emplace(facts, body);
    return *strides;
  }
  mutable std::optional<LaneStrides> strides = std::nullopt;

  static KernelSubject Of(const KernelSource& kernel, const KernelFacts& facts);
};

// What it reads and writes, how the stored values are computed, and algorithms that have a name
// (kernel_purpose_prose.cc). "" where the code of the stored values cannot be quoted.
std::string PurposeProse(const KernelSubject& subject);
// What these statements amount to, where they are known: "This is a soft cap: …"
// (kernel_meaning_prose.cc). "" otherwise. `written`: WrittenArrays().
std::string MeaningProse(const KernelSubject& subject, const std::vector<std::string>& written);
// What sizes a shared array of constant length allows (kernel_meaning_prose.cc); "".
std::string ConstantLimits(const KernelSubject& subject);
// The value that the code gives a constant or macro.
std::optional<std::int64_t> ConstantIn(const KernelSubject& subject, const std::string& name);
// Which thread works on what, and with `guards` which threads have nothing to do
// (kernel_mapping_prose.cc).
std::string MappingProse(const KernelSubject& subject, bool guards = true);
// Which threads return early, and whether they do so before or behind the block's barriers. ""
// where no thread does or there is no such barrier (kernel_mapping_prose.cc).
std::string EarlyReturnProse(const KernelSubject& subject);
// How the accesses of a warp lie in global memory (kernel_memory_prose.cc).
std::string MemoryProse(const KernelSubject& subject);
// What threads exchange, and why it is safe (kernel_exchange_prose.cc).
std::string ExchangeProse(const KernelSubject& subject);
// Whether it is known of all shared arrays that a barrier orders their second use, that one is
// missing, or that there is none (kernel_exchange_prose.cc).
bool KnowsSharedOrder(const KernelSubject& subject);
// What bounds the speed (kernel_limit_prose.cc).
std::string LimitProse(const KernelSubject& subject);
// What callers and maintainers have to keep in mind, one item each (kernel_hazard_prose.cc); with
// `all` also what holds for most kernels, such as that pointers must not overlap.
std::vector<std::string> HazardItems(const KernelSubject& subject, bool all);

// The launch as the question shows it: the statements that compute its configuration, and the
// launch itself. Empty when the repository has no launch with a grid and a block.
std::string LaunchCode(const KernelSubject& subject);
// How that launch covers the data (kernel_launch_prose.cc). "" when the number of blocks does not
// follow from LaunchCode(), for example because a macro of another file computes it.
std::string LaunchProse(const KernelSubject& subject);

// "`text`", with more backticks when the text contains some.
std::string Quoted(std::string_view text);
// "`a`, `b` and `c`", at most `most` of them and then "and 2 more".
std::string QuotedList(const std::vector<std::string>& items, std::size_t most = 6);
// Appends the sentence after a space.
void Append(std::string* text, const std::string& sentence);

// The statement that contains the access, on one line and without its semicolon: "y[i] = 2 * x[i]".
// "" when it is too long to quote.
std::string StatementWith(const KernelSubject& subject, const MemoryAccess& access);
// Whether the facts have every access to global memory with its stride, so that something can be
// said about all of them.
bool KnowsEveryAccess(const KernelSubject& subject);
// Whether it passes a place in the array, a parameter, to an atomic function.
bool IsUpdatedByAtomics(const KernelSubject& subject, const std::string& array);
// Global arrays among the parameters that the kernel stores to or updates by atomics.
std::vector<std::string> WrittenArrays(const KernelSubject& subject);

}  // namespace kernelmill
