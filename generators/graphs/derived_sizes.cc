#include "generators/graphs/derived_sizes.h"

#include <algorithm>

namespace kernelmill {
namespace {

constexpr int kProbes = 7;
constexpr std::size_t kLeastProbes = 5;  // In addition to the graph's own two sizes.
constexpr std::int64_t kMostScale = 8;

// The values of every variable at several sizes of the graph, called probes.
class Probes {
 public:
  Probes(const OperatorGraph& graph, std::span<const SizeLink> links, OperatorGraph* scratch)
      : graph_(graph), links_(links), scratch_(scratch), moves_(graph.sizes().size(), Move::kStep) {
    for (const SizeLink& link : links) moves_[link.variable] = Move::kFollow;
    columns_.resize(moves_.size());
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      columns_[i] = {graph.sizes()[i].value, graph.sizes()[i].small};
    }
  }

  void Run() {
    if (!Try(1)) {
      FindMoves();
      Try(1);
    }
    for (int i = 2; i <= kProbes; ++i) Try(i);
  }

  // The first two are the graph's own large and small sizes.
  std::span<const std::int64_t> Of(std::int16_t variable) const { return columns_[variable]; }
  bool IsFree(std::int16_t variable) const { return moves_[variable] != Move::kFollow; }
  bool Moves(std::int16_t variable) const {
    return moves_[variable] == Move::kStep || moves_[variable] == Move::kMultiply;
  }

 private:
  // How a variable varies between probes. Some sizes must stay multiples of their value (kMultiply)
  // or constant (kStay); kFollow marks derived ones.
  enum class Move { kStep, kMultiply, kStay, kFollow };

  std::int64_t At(std::size_t variable, int probe) const {
    const std::int64_t value = graph_.sizes()[variable].value;
    if (moves_[variable] == Move::kMultiply) return value * (1 + probe);
    if (moves_[variable] != Move::kStep) return value;
    // The first half of the probes changes all variables by the same step, so that every remainder
    // occurs. The second half changes each by another step, because variables that are equal in all
    // probes cannot be told apart.
    return value + probe + (probe > kProbes / 2 ? 3 * static_cast<std::int64_t>(variable) : 0);
  }

  bool Holds(int probe) {
    values_.clear();
    for (std::size_t i = 0; i < moves_.size(); ++i) values_.push_back(At(i, probe));
    return AtSizes(graph_, values_, scratch_, links_);
  }

  bool Try(int probe) {
    if (!Holds(probe)) return false;
    for (const SizeLink& link : links_) {
      values_[link.variable] = scratch_->value(link.source).type.shape[link.dimension];
    }
    for (std::size_t i = 0; i < moves_.size(); ++i) columns_[i].push_back(values_[i]);
    return true;
  }

  // Finds how each variable can vary, one after the other, while those already found vary too.
  void FindMoves() {
    const std::vector<Move> all = moves_;
    for (Move& move : moves_) {
      if (move == Move::kStep) move = Move::kStay;
    }
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (all[i] != Move::kStep) continue;
      for (const Move move : {Move::kStep, Move::kMultiply, Move::kStay}) {
        moves_[i] = move;
        if (move == Move::kStay || (Holds(1) && Holds(2))) break;
      }
    }
  }

  const OperatorGraph& graph_;
  std::span<const SizeLink> links_;
  OperatorGraph* scratch_;
  std::vector<Move> moves_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::vector<std::int64_t> values_;
};

class FormulaSearch {
 public:
  FormulaSearch(const Probes& probes, std::int16_t variable)
      : probes_(probes), column_(probes.Of(variable)) {
    for (std::int16_t v = 0; v < variable; ++v) {
      if (probes.IsFree(v)) free_.push_back(v);
    }
  }

  bool IsConstant() const {
    return std::all_of(column_.begin(), column_.end(),
                       [&](std::int64_t value) { return value == column_[0]; });
  }

  SizeFormula Find() const {
    for (const std::int16_t v : free_) {
      if (Holds({.factors = One(v)})) return {.factors = One(v)};
    }
    for (const std::int16_t v : free_) {
      const SizeFormula formula{.factors = One(v), .offset = column_[0] - probes_.Of(v)[0]};
      if (Holds(formula)) return formula;
    }
    for (const std::int16_t v : free_) {
      for (std::int64_t scale = 2; scale <= kMostScale; ++scale) {
        const SizeFormula formula{
            .factors = One(v), .scale = scale, .offset = column_[0] - scale * probes_.Of(v)[0]};
        if (Holds(formula)) return formula;
        const SizeFormula part = Part(v, scale);
        if (part.is_given()) return part;
      }
    }
    for (const std::int16_t v : free_) {
      for (const std::int16_t w : free_) {
        if (w < v) continue;
        const SizeFormula sum{.factors = One(v), .addend = w}, product{.factors = {v, w, -1}};
        if (Holds(sum)) return sum;
        if (Holds(product)) return product;
        for (const std::int16_t u : free_) {
          if (u >= w && Holds({.factors = {v, w, u}})) return {.factors = {v, w, u}};
        }
      }
    }
    return {};
  }

 private:
  static std::array<std::int16_t, 3> One(std::int16_t v) { return {v, kNoVariable, kNoVariable}; }

  bool Holds(const SizeFormula& formula) const {
    std::array<std::int64_t, 4> values;
    for (std::size_t p = 0; p < column_.size(); ++p) {
      SizeFormula here = formula;
      std::int16_t next = 0;
      const auto place = [&](std::int16_t* variable) {
        if (*variable == kNoVariable) return;
        values[next] = probes_.Of(*variable)[p];
        *variable = next++;
      };
      for (std::int16_t& factor : here.factors) place(&factor);
      place(&here.addend);
      if (here.Value(values) != column_[p]) return false;
    }
    return true;
  }

  // (v + offset) // divisor, if the probes determine the offset.
  SizeFormula Part(std::int16_t v, std::int64_t divisor) const {
    if (!probes_.Moves(v)) return {};
    std::int64_t least = column_[0] * divisor - probes_.Of(v)[0], most = least + divisor - 1;
    for (std::size_t p = 1; p < column_.size(); ++p) {
      const std::int64_t here = column_[p] * divisor - probes_.Of(v)[p];
      least = std::max(least, here);
      most = std::min(most, here + divisor - 1);
    }
    if (least != most) return {};
    return {.factors = One(v), .offset = least, .divisor = divisor};
  }

  const Probes& probes_;
  std::span<const std::int64_t> column_;
  std::vector<std::int16_t> free_;
};

}  // namespace

std::vector<DerivedSize> DerivedSizes(const OperatorGraph& graph, std::span<const SizeLink> links,
                                      OperatorGraph* scratch) {
  Probes probes(graph, links, scratch);
  probes.Run();
  std::vector<DerivedSize> sizes;
  for (const SizeLink& link : links) {
    DerivedSize size{.variable = link.variable};
    if (probes.Of(link.variable).size() >= kLeastProbes + 2) {
      const FormulaSearch search(probes, link.variable);
      size.is_constant = search.IsConstant();
      if (!size.is_constant) size.formula = search.Find();
    }
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace kernelmill
