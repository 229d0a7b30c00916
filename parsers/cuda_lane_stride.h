// How far apart in memory neighbouring threads access an array, from the subscripts of a kernel and
// the definitions of its thread indices (cuda_kernel_facts.h). Two threads are neighbours when
// their threadIdx.x differs by 1 and everything else is equal; they are then lanes of one warp, or
// of two successive ones. (ThreadStride of parsers/fingerprints/ only tells kinds of strides apart;
// here their factor counts.)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

// What an expression gains from a thread to its neighbour.
struct LaneStride {
  enum class Kind {
    kUniform,   // Nothing: all threads of a warp have the same value.
    kConstant,  // `factor`, the same between all neighbours.
    kFromData,  // It depends on a value that was loaded from memory.
    kUnknown,   // It cannot be told from the text (divisions, calls, changed variables).
  };
  Kind kind = Kind::kUnknown;
  std::string factor;  // "1", "3", "cols", "3 * cols".

  bool operator==(const LaneStride&) const = default;
  // The factor when it is a plain number.
  std::optional<std::int64_t> Number() const;
};

// Looks strides up in one kernel. Not thread-safe: it remembers what it has looked up.
class LaneStrides {
 public:
  // `body`: the text of the kernel, without comments, in which variables are looked up that `facts`
  // has no definition of. Both must outlive the object.
  LaneStrides(const KernelFacts& facts, std::string_view body);

  // The stride of `expression`, in the units of its value.
  LaneStride Of(std::string_view expression) const;
  // The stride of an access to an array that is a parameter, "x[i * 3 + 1]", in elements. It
  // includes what the kernel has added to the pointer.
  LaneStride OfAccess(const MemoryAccess& access) const;

 private:
  friend class StrideReader;

  LaneStride OfExpression(std::string_view expression, int depth) const;
  LaneStride OfName(const std::string& name, int depth) const;
  LaneStride LookUp(const std::string& name, int depth) const;
  void ReadBody(std::string_view body);

  const KernelFacts& facts_;
  // How many statements assign to each name, and how many change it by "+=", "++" and the like.
  std::map<std::string, int, std::less<>> assigned_, changed_;
  // What names were assigned that begins with an element of an array.
  std::map<std::string, std::string, std::less<>> loaded_;
  std::set<std::string, std::less<>> counters_;  // Of loops that start at a number.
  mutable std::map<std::string, LaneStride, std::less<>> known_;
};

}  // namespace kernelmill
