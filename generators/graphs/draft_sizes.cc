// The sizes of a GraphDraft: variables of its two graphs, their names, and which of them may be
// symbolic.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "generators/graphs/derived_sizes.h"
#include "generators/graphs/graph_draft.h"

namespace kernelmill {
namespace {

// The name of a size that only has to fit another tensor.
constexpr std::string_view kSizeWord = "size";

// "size2". The result lives as long as the program; there are few of them.
std::string_view Numbered(std::string_view word, int number) {
  using Known = std::map<std::pair<std::string_view, int>, std::string>;
  static std::mutex mutex;
  static Known* const names = new Known;
  const std::lock_guard lock(mutex);
  std::string& name = (*names)[{word, number}];
  if (name.empty()) name.append(word).append(std::to_string(number));
  return name;
}

}  // namespace

std::int16_t GraphDraft::Find(std::int64_t large, std::int64_t small, std::string_view name) const {
  const std::span<const SizeVariable> sizes = large_.sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool same = sizes[i].value == large && sizes[i].small == small;
    if (same && sizes[i].name.starts_with(name)) return static_cast<std::int16_t>(i);
  }
  return kNoVariable;
}

std::int16_t GraphDraft::Size(std::string_view name, std::int64_t large, std::int64_t small) {
  const std::int16_t found = Find(large, small);
  return found != kNoVariable ? found : NewSize(name, large, small);
}

std::int16_t GraphDraft::SizeNamed(std::string_view name, std::int64_t large,
                                   std::int64_t small) {
  const std::int16_t found = Find(large, small, name);
  return found != kNoVariable ? found : NewSize(name, large, small);
}

std::int16_t GraphDraft::NewSize(std::string_view name, std::int64_t large, std::int64_t small) {
  std::string_view free = name;
  const auto is_taken = [&] {
    const std::span<const SizeVariable> sizes = large_.sizes();
    return std::any_of(sizes.begin(), sizes.end(),
                       [&](const SizeVariable& size) { return size.name == free; });
  };
  int same = 0;
  for (const SizeVariable& size : large_.sizes()) same += size.name.starts_with(name);
  for (int number = std::max(2, same + 1); same > 0 && is_taken(); ++number) {
    free = Numbered(name, number);
  }
  small_.AddSize({free, small, small});
  return large_.AddSize({free, large, small});
}

std::int16_t GraphDraft::SizeAt(std::string_view name, ValueId id, int dimension) {
  if (id == kAbsent || dimension < 0 || dimension >= rank(id)) return kNoVariable;
  const std::int16_t variable = VariableAt(id, dimension);
  if (variable != kNoVariable) return variable;
  return Size(name, large_.value(id).type.shape[dimension], small_.value(id).type.shape[dimension]);
}

std::int16_t GraphDraft::VariableAt(ValueId id, int dimension) const {
  if (id == kAbsent || dimension < 0 || dimension >= rank(id)) return kNoVariable;
  const std::int16_t bound = large_.value(id).variables[dimension];
  if (bound != kNoVariable) return bound;
  return Find(large_.value(id).type.shape[dimension], small_.value(id).type.shape[dimension]);
}

std::int16_t GraphDraft::SizeLike(ValueId first, const Shape& large, const Shape& small,
                                  int dimension) {
  const std::int64_t at_large = large[dimension], at_small = small[dimension];
  const Value &wide = large_.value(first), &narrow = small_.value(first);
  const int rank = wide.type.shape.rank();
  const auto fits = [&](int d) {
    return d >= 0 && d < rank && wide.type.shape[d] == at_large && narrow.type.shape[d] == at_small;
  };
  // The matching dimension is counted from the end, as in broadcasting; otherwise from the
  // beginning; otherwise any dimension of that size.
  int like = dimension + rank - large.rank();
  if (!fits(like)) like = dimension;
  for (int d = rank; !fits(like) && d > 0;) like = --d;
  if (fits(like)) {
    if (wide.variables[like] != kNoVariable) return wide.variables[like];
    if (wide.is_computed()) {
      for (const SizeLink& link : links_) {
        if (link.source == first && link.dimension == like) return link.variable;
      }
      links_.push_back({NewSize(kSizeWord, at_large, at_small), first, like});
      return links_.back().variable;
    }
  }
  return at_large == at_small ? kNoVariable : Size(kSizeWord, at_large, at_small);
}

void GraphDraft::PassSizes(const Node& node) {
  const std::span<const ValueId> operands = large_.operands(node);
  if (operands.empty() || operands[0] == kAbsent) return;
  // Only for families whose results are laid out like the first operand, and only for sizes that
  // agree.
  switch (node.op->family) {
    case OperatorFamily::kActivation:
    case OperatorFamily::kElementwise:
    case OperatorFamily::kComparison:
    case OperatorFamily::kSelection:
    case OperatorFamily::kCast:
    case OperatorFamily::kScan:
    case OperatorFamily::kSoftmax:
    case OperatorFamily::kNorm:
      break;
    default:
      return;
  }
  const Value &from = large_.value(operands[0]), &to = large_.value(node.first_result);
  if (from.type.shape != to.type.shape) return;
  for (int i = 0; i < to.type.shape.rank(); ++i) {
    large_.BindSize(node.first_result, i, from.variables[i]);
  }
}

void GraphDraft::DeriveSizes() {
  if (links_.empty()) return;
  std::vector<char> written(large_.sizes().size(), true);
  for (const DerivedSize& size : DerivedSizes(large_, links_, &tried_)) {
    const bool replaced = size.is_constant || (size.formula.is_given() && size.formula.is_copy());
    for (OperatorGraph* graph : {&large_, &small_}) {
      if (replaced) graph->RebindSizes(size.variable, size.formula.factors[0]);
      graph->SetFormula(size.variable, size.formula);
    }
    written[size.variable] = !replaced;
  }
  for (const Node& node : large_.nodes()) {
    for (const std::int16_t variable : large_.size_variables(node)) {
      if (variable != kNoVariable) written[variable] = true;
    }
  }
  // Number the sizes that are written without gaps.
  int number = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!large_.sizes()[i].name.starts_with(kSizeWord)) continue;
    const std::string_view name = !written[i]     ? std::string_view()
                                  : ++number == 1 ? kSizeWord
                                                  : Numbered(kSizeWord, number);
    for (OperatorGraph* graph : {&large_, &small_}) {
      graph->SetSizeName(static_cast<std::int16_t>(i), name);
    }
  }
}

bool GraphDraft::HoldsAtOthers() {
  if (std::find(symbolic_.begin(), symbolic_.end(), true) == symbolic_.end()) return false;
  // Tries two other values: one that differs so little that strides hide the change, and one that
  // does not. The differences are odd and differ between variables, so that a square does not stay
  // one.
  for (const std::int64_t factor : {1, 2}) {
    values_.clear();
    std::int64_t more = 2 * factor - 3;
    for (std::size_t i = 0; i < symbolic_.size(); ++i) {
      const std::int64_t value = large_.sizes()[i].value;
      values_.push_back(symbolic_[i] ? factor * value + (more += 2) : value);
    }
    FollowFormulas(large_, values_);
    if (!AtSizes(large_, values_, &tried_)) return false;
    for (std::size_t id = 0; id < large_.values().size(); ++id) {
      const Value &here = large_.values()[id], &there = tried_.values()[id];
      const bool made = here.role == ValueRole::kParameter || here.role == ValueRole::kBuffer;
      if (!made) continue;
      if (here.type.shape != there.type.shape) return false;
      for (int d = 0; d < here.type.shape.rank(); ++d) {
        const std::int16_t written = VariableAt(static_cast<ValueId>(id), d);
        if (written != kNoVariable && symbolic_[written]) return false;
      }
    }
  }
  return true;
}

bool GraphDraft::MakeSymbolic() {
  const std::size_t count = large_.sizes().size();
  symbolic_.assign(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = large_.sizes()[i].name;
    symbolic_[i] = name == "batch_size" || (UsuallyVaries(name) && draw_.Chance(0.6));
  }
  if (!HoldsAtOthers()) {
    // Without the sizes that parameters depend on, such as an image's sides before a flatten() and
    // a linear layer.
    for (std::size_t i = 0; i < count; ++i) symbolic_[i] = large_.sizes()[i].name == "batch_size";
    if (!HoldsAtOthers()) return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    // A size that is derived from a symbolic one is symbolic too.
    const SizeFormula& formula = large_.sizes()[i].formula;
    const auto is_symbol = [&](std::int16_t other) {
      return other != kNoVariable && symbolic_[other];
    };
    symbolic_[i] = symbolic_[i] || is_symbol(formula.addend) ||
                   std::any_of(formula.factors.begin(), formula.factors.end(), is_symbol);
    large_.SetSymbolic(static_cast<std::int16_t>(i), symbolic_[i]);
    small_.SetSymbolic(static_cast<std::int16_t>(i), symbolic_[i]);
  }
  return true;
}

}  // namespace kernelmill
