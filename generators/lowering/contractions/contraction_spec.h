// A sum of products: for every (group, m, n) the sum over k of A(group, m, k) * B(group, k, n).
// Matrix products, einsum and convolutions are converted to this form by product_spec.cc and
// convolution_spec.cc; the strategies in strategies/contractions.cc and split_sums.cc write kernels
// for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// Names that one index stands for, outermost first, with their sizes.
struct IndexAxes {
  std::vector<std::pair<std::string, std::string>> axes;
  std::int64_t count = 1;  // Of all of them, at the task's sizes.

  void Add(const std::string& name, const std::string& size, std::int64_t number) {
    axes.emplace_back(name, size);
    count *= number;
  }

  std::string Count() const;  // The product of the sizes.
  // Declarations of those axes that `code` uses, from the variable `index`.
  std::string Decoded(const GroupScope& scope, const std::string& index,
                      std::string_view code) const;
};

// How one of the factors is read. Code may use the axes of the indices that it depends on.
struct Factor {
  std::string statements;  // In front.
  std::string condition;   // Outside of which the element is zero; empty where there is none.
  std::string value;       // In the compute type.
  // The same in terms of `k` itself, where memory holds the axes of k in their order; else empty.
  std::string value_by_k;
  // Whether neighbours along k lie side by side in memory; else those along m or n do.
  bool along_k = true;

  std::string Code() const { return statements + condition + value; }
};

struct ContractionSpec {
  IndexAxes group, m, n, k;
  Factor a, b;
  std::string position;  // Of the result, in terms of the axes of group, m and n.
  // Outside of which there is no result at the axes; empty where there is one at all of them.
  std::string exists;
  std::string type;  // Of the sum.
  // The head's result from the sum `acc`, by a statement that may use axes of m and n.
  std::string result = "acc";
  std::string matrices;  // What m, n and k are, for readers.
};

std::optional<ContractionSpec> ContractionSpecOf(GroupScope* scope);
// The same of a group in names that do not matter.
std::optional<ContractionSpec> SpecOfContraction(const OperatorGraph& graph,
                                                 const FusionGroup& group);
bool HasContractionSpec(const OperatorGraph& graph, const FusionGroup& group);

// How many groups a transposed convolution has, which its weight does not tell.
std::string GroupsOf(GroupScope& scope, const Node& node);

// Along one dimension: "(height + 2) / 2 + 1" of a window that moves over `size`.
std::string WindowCount(const std::string& size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation);
// Element i of an attribute that is one number or one a dimension.
std::int64_t AttributeAt(const Attribute& attribute, int i);

}  // namespace kernelmill
