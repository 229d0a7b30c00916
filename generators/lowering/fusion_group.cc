#include "generators/lowering/fusion_group.h"

#include <algorithm>
#include <set>

#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

class Fusion {
 public:
  Fusion(const OperatorGraph& graph, const FusionOptions& options)
      : graph_(graph), options_(options), draft_of_(graph.nodes().size(), -1) {
    users_.resize(graph.values().size());
    for (int i = 0; i < NodeCount(); ++i) {
      for (const ValueId id : graph.operands(graph.nodes()[i])) {
        if (id != kAbsent) users_[id].push_back(i);
      }
    }
  }

  FusionPlan Make() {
    for (int i = 0; i < NodeCount(); ++i) Place(i);
    if (options_.fuse) {
      for (int i = 0; i < NodeCount(); ++i) TakeProducer(i);
    }
    return Written();
  }

 private:
  // A group while it is formed; views and constants are drafts of their own.
  struct DraftGroup {
    std::vector<int> nodes;
    int head = -1;
    bool view = false, constant = false;
    ValueId domain = kAbsent;  // A value that has the shape of the draft's domain.
  };

  int NodeCount() const { return static_cast<int>(graph_.nodes().size()); }
  const Node& node(int i) const { return graph_.nodes()[i]; }
  const Shape& ShapeOf(ValueId id) const { return graph_.value(id).type.shape; }
  int DraftOf(ValueId id) const {
    const Value& value = graph_.value(id);
    return value.role == ValueRole::kResult ? draft_of_[value.node] : -1;
  }

  void Place(int i) {
    const OperatorClass is = ClassOf(graph_, node(i));
    if (is == OperatorClass::kElementwise && options_.fuse) {
      for (const ValueId id : graph_.operands(node(i))) {
        if (id == kAbsent || !CanJoin(i, DraftOf(id))) continue;
        drafts_[DraftOf(id)].nodes.push_back(i);
        draft_of_[i] = DraftOf(id);
        return;
      }
    }
    DraftGroup draft;
    draft.nodes = {i};
    const bool copied = is == OperatorClass::kView && options_.copy_views;
    draft.head = is == OperatorClass::kHead || copied ? i : -1;
    draft.view = is == OperatorClass::kView && !copied;
    draft.constant = is == OperatorClass::kConstant;
    draft.domain = node(i).first_result;
    draft_of_[i] = static_cast<int>(drafts_.size());
    drafts_.push_back(std::move(draft));
  }

  // Whether elementwise node `i` can be appended to `draft`, which computes one of its operands:
  // none of its other operands may depend on the draft.
  bool CanJoin(int i, int draft) const {
    if (draft < 0 || drafts_[draft].view || drafts_[draft].constant) return false;
    const DraftGroup& into = drafts_[draft];
    if (into.head >= 0 && node(into.head).result_count > 1) return false;
    if (static_cast<int>(into.nodes.size()) >= options_.max_nodes) return false;
    if (!(ShapeOf(node(i).first_result) == ShapeOf(into.domain))) return false;
    for (const ValueId id : graph_.operands(node(i))) {
      if (id == kAbsent || DraftOf(id) == draft) continue;
      if (DraftOf(id) >= 0 && Reaches(draft, DraftOf(id))) return false;
    }
    return true;
  }

  // Whether `to` depends on a result of `from`.
  bool Reaches(int from, int to) const {
    std::set<int> seen;
    std::vector<int> stack = {to};
    while (!stack.empty()) {
      const int draft = stack.back();
      stack.pop_back();
      if (draft == from) return true;
      if (!seen.insert(draft).second) continue;
      for (const int i : drafts_[draft].nodes) {
        for (const ValueId id : graph_.operands(node(i))) {
          if (id != kAbsent && DraftOf(id) >= 0 && DraftOf(id) != draft)
            stack.push_back(DraftOf(id));
        }
      }
    }
    return false;
  }

  bool IsOutput(ValueId id) const {
    return std::find(graph_.outputs().begin(), graph_.outputs().end(), id) !=
           graph_.outputs().end();
  }

  // Moves elementwise drafts into a reduction that is the only reader of their results.
  void TakeProducer(int i) {
    const int draft = draft_of_[i];
    if (drafts_[draft].head != i || !CanTakeProducers(graph_, node(i))) return;
    for (const ValueId id : graph_.operands(node(i))) {
      const int producer = id == kAbsent ? -1 : DraftOf(id);
      if (producer < 0 || producer == draft || drafts_[producer].head >= 0 ||
          drafts_[producer].view || drafts_[producer].constant) {
        continue;
      }
      bool alone = true;
      for (const int k : drafts_[producer].nodes) {
        const ValueId result = node(k).first_result;
        alone &= !IsOutput(result);
        for (const int user : users_[result]) alone &= draft_of_[user] == producer || user == i;
      }
      // The operands of the producer must not depend on this draft.
      if (!alone || ReadsFrom(producer, draft)) continue;
      DraftGroup& into = drafts_[draft];
      for (const int k : drafts_[producer].nodes) {
        into.nodes.push_back(k);
        draft_of_[k] = draft;
      }
      std::sort(into.nodes.begin(), into.nodes.end());
      drafts_[producer].nodes.clear();
    }
  }

  bool ReadsFrom(int draft, int other) const { return Reaches(other, draft); }

  FusionPlan Written() {
    FusionPlan plan;
    std::vector<bool> done(drafts_.size());
    // Writes drafts in dependency order. The order of their last nodes does not suffice, because
    // producers were moved.
    for (std::size_t round = 0; round < drafts_.size(); ++round) {
      for (std::size_t u = 0; u < drafts_.size(); ++u) {
        if (done[u] || drafts_[u].nodes.empty() || !Ready(static_cast<int>(u), done)) continue;
        done[u] = true;
        if (drafts_[u].constant && OnlyInlined(static_cast<int>(u))) continue;
        if (drafts_[u].view) {
          plan.lines.push_back({.view = drafts_[u].nodes[0]});
        } else {
          plan.lines.push_back({.group = static_cast<int>(plan.groups.size())});
          plan.groups.push_back(GroupOf(static_cast<int>(u)));
        }
      }
    }
    return plan;
  }

  bool IsConstant(ValueId id) const {
    const Value& value = graph_.value(id);
    return value.role == ValueRole::kResult &&
           ClassOf(graph_, node(value.node)) == OperatorClass::kConstant;
  }

  // Whether the constant is inlined by all its readers. That needs elementwise readers whose other
  // operands determine the size of the result.
  bool OnlyInlined(int draft) const {
    const ValueId result = node(drafts_[draft].nodes[0]).first_result;
    if (IsOutput(result)) return false;
    return std::all_of(users_[result].begin(), users_[result].end(), [&](int user) {
      return ClassOf(graph_, node(user)) == OperatorClass::kElementwise && HasSizes(node(user));
    });
  }

  // Whether the operands that are not constants determine all sizes of the result.
  bool HasSizes(const Node& user) const {
    const Shape& shape = ShapeOf(user.first_result);
    std::vector<bool> known(shape.rank());
    for (const ValueId id : graph_.operands(user)) {
      if (id == kAbsent || IsConstant(id)) continue;
      const Shape& from = ShapeOf(id);
      const int missing = shape.rank() - from.rank();
      for (int d = 0; d < from.rank() && missing >= 0; ++d) {
        if (from[d] == shape[d + missing]) known[d + missing] = true;
      }
    }
    for (int d = 0; d < shape.rank(); ++d) {
      if (!known[d] && shape[d] != 1) return false;
    }
    return true;
  }

  bool Ready(int draft, const std::vector<bool>& done) const {
    for (const int i : drafts_[draft].nodes) {
      for (const ValueId id : graph_.operands(node(i))) {
        const int from = id == kAbsent ? -1 : DraftOf(id);
        if (from >= 0 && from != draft && !done[from]) return false;
      }
    }
    return true;
  }

  FusionGroup GroupOf(int draft) const {
    FusionGroup group;
    group.nodes = drafts_[draft].nodes;
    group.head = drafts_[draft].head;
    group.head_is_module = group.head >= 0 &&
                           group.head < static_cast<int>(options_.modules.size()) &&
                           options_.modules[group.head];
    const auto inside = [&](ValueId id) { return DraftOf(id) == draft; };
    for (const int i : group.nodes) {
      for (const ValueId id : graph_.operands(node(i))) {
        if (id == kAbsent || inside(id)) continue;
        const int from = DraftOf(id);
        if (from >= 0 && drafts_[from].constant && OnlyInlined(from)) continue;
        if (std::find(group.inputs.begin(), group.inputs.end(), id) == group.inputs.end()) {
          group.inputs.push_back(id);
        }
      }
    }
    if (group.inputs.empty()) TakeAnyInput(&group);
    for (const int i : group.nodes) {
      for (int r = 0; r < node(i).result_count; ++r) {
        const ValueId id = node(i).first_result + r;
        const bool read = std::any_of(users_[id].begin(), users_[id].end(),
                                      [&](int user) { return draft_of_[user] != draft; });
        if (read || IsOutput(id)) group.outputs.push_back(id);
      }
    }
    return group;
  }

  // A group without inputs gets one, because its results must be on the device of some tensor.
  void TakeAnyInput(FusionGroup* group) const {
    for (std::size_t id = 0; id < graph_.values().size() && group->inputs.empty(); ++id) {
      if (graph_.values()[id].role != ValueRole::kResult) {
        group->inputs.push_back(static_cast<ValueId>(id));
      }
    }
  }

  const OperatorGraph& graph_;
  const FusionOptions& options_;
  std::vector<int> draft_of_;  // By node.
  std::vector<DraftGroup> drafts_;
  std::vector<std::vector<int>> users_;
};

}  // namespace

bool CanTakeProducers(const OperatorGraph& graph, const Node& node) {
  // Operators with an element program (distances) read their operands from memory.
  if (node.op->family == OperatorFamily::kReduction) return FindProgram(node.op->name) == nullptr;
  if (node.op->family != OperatorFamily::kLoss) return false;
  const int reduction = FindAttribute(*node.op, "reduction");
  if (reduction < 0) return true;
  const int choice = graph.attributes(node)[reduction].choice();
  return node.op->attributes[reduction].choices[choice] != "none";
}

FusionPlan FuseGraph(const OperatorGraph& graph, const FusionOptions& options) {
  return Fusion(graph, options).Make();
}

}  // namespace kernelmill
