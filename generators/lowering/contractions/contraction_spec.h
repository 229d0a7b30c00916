// ContractionSpec, the form that operators are brought into whose results are sums of products: for
// every (group, m, n) the sum over k of A(group, m, k) * B(group, k, n). product_spec.cc converts
// matrix products and einsum to it, convolution_spec.cc convolutions; the strategies in
// strategies/contractions.cc and strategies/split_sums.cc write kernels for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// The axes that one index enumerates, outermost first, with their sizes.
struct IndexAxes {
  std::vector<std::pair<std::string, std::string>> axes;
  std::int64_t count = 1;  // The product of the sizes at the task's sizes.

  void Add(const std::string& name, const std::string& size, std::int64_t number) {
    axes.emplace_back(name, size);
    count *= number;
  }

  std::string Count() const;  // The product of the sizes, as an expression.
  // Declares the axes that `code` uses, computed from the variable `index`.
  std::string Decoded(const GroupScope& scope, const std::string& index,
                      std::string_view code) const;
};

// How one factor is read. The code may use the axes of the indices that the factor depends on.
struct Factor {
  std::string statements;  // Statements that come first.
  std::string condition;   // The element is zero where this is false; empty when it is never zero.
  std::string value;       // An expression of the compute type.
  // `value` in terms of `k` itself, if the axes of k are contiguous in memory in their order;
  // otherwise empty.
  std::string value_by_k;
  // Whether neighbours along k are adjacent in memory; otherwise those along m or n are.
  bool along_k = true;
  bool adjacent = true;  // False where those neighbours lie apart, too.

  std::string Code() const { return statements + condition + value; }
};

struct ContractionSpec {
  IndexAxes group, m, n, k;
  Factor a, b;
  std::string position;  // The position of the result, in terms of the axes of group, m and n.
  // There is a result only where this is true; empty when there always is one.
  std::string has_result;
  std::string type;  // The type of the sum.
  // The head's result as an expression of the sum `acc` and the axes of m and n.
  std::string result = "acc";
  std::string matrices;  // What m, n and k stand for, in words.
};

std::optional<ContractionSpec> ContractionSpecOf(GroupScope* scope);
// The spec of a group in an anonymous scope, to examine it before names are chosen; std::nullopt
// when the group is not a contraction.
std::optional<ContractionSpec> SpecOfContraction(const OperatorGraph& graph,
                                                 const FusionGroup& group);
bool HasContractionSpec(const OperatorGraph& graph, const FusionGroup& group);

// The number of groups of a transposed convolution, which its weight's shape does not tell.
std::string GroupsOf(GroupScope& scope, const Node& node);

// The number of windows along one dimension: "(height + 2) / 2 + 1" for `size` "height".
std::string WindowCount(const std::string& size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation);
// Element i of an attribute that is one number or has one number per dimension.
std::int64_t AttributeAt(const Attribute& attribute, int i);

}  // namespace kernelmill
