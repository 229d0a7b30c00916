// What the kernels of one multi-head attention share: its operands, the names of its sizes, and the
// kernels that are written so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/kernel_sequence.h"

namespace kernelmill {

struct MultiHeadScope {
  enum Operand { kQuery, kKey, kValue, kInWeight, kOutWeight, kInBias, kOutBias };

  explicit MultiHeadScope(GroupScope* scope);
  MultiHeadScope(const MultiHeadScope&) = delete;
  MultiHeadScope& operator=(const MultiHeadScope&) = delete;

  // The value of an element as a float.
  std::string Load(const std::string& place) const { return ToComputeType(dtype, place); }
  std::string Pointer(ValueId id) const { return group.TensorParameter(id).argument; }
  // The pointer to the elements of a tensor of the host.
  std::string Buffer(const std::string& tensor) const;
  // The host's expression for the product of these sizes.
  std::string InHost(const std::vector<std::string>& sizes) const;

  GroupScope& group;
  const Node& node;
  bool bias = false;
  bool attended = false;  // Whether the attended values are a used result.
  DType dtype = DType::kFloat32;
  std::string weights;  // The pointer to the attention weights, if they are a used result.
  // At the task's sizes.
  std::int64_t heads = 1, batch_count = 1, query_count = 1, key_count = 1, width_count = 1;
  Holes holes;  // The sizes, pointers and options, by name.
  GroupCode code;
  std::optional<KernelSequence> kernels;
};

}  // namespace kernelmill
