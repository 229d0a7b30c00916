#include "generators/lowering/lower_graph.h"

#include <set>

#include "generators/lowering/answer_text.h"

namespace kernelmill {

std::string LoweredAnswer::Structure() const {
  std::string text;
  for (const CallPlan& plan : calls) {
    text += std::string(plan.strategy) + '(';
    for (const int node : plan.nodes) text += std::to_string(node) + ' ';
    text += ')';
  }
  return text;
}

Lowering LowerGraph(const OperatorGraph& graph, const ModuleText& module,
                    const LoweringOptions& options) {
  LoweringPlanning planning = PlanLowering(graph, module, options);
  if (!planning.plan) return {std::nullopt, std::move(planning.obstacle)};
  LoweringPlan& plan = *planning.plan;
  LoweredAnswer answer;
  answer.text = AnswerText(plan, module);
  answer.backend = plan.backend;
  answer.calls = std::move(plan.calls);
  answer.views = std::move(plan.views);
  answer.speed = EstimateSpeed(graph, answer.calls);
  return {std::move(answer), ""};
}

std::vector<LoweredAnswer> LowerInVariants(const OperatorGraph& graph, const ModuleText& module,
                                           const KernelBackend& backend, int count,
                                           std::string* obstacle) {
  std::vector<LoweredAnswer> answers;
  std::set<std::string> structures;
  std::string why;
  constexpr int kVariants = 8;
  for (const bool fuse : {true, false}) {
    for (int variant = 0; variant < kVariants; ++variant) {
      if (static_cast<int>(answers.size()) == count) return answers;
      Lowering lowering =
          LowerGraph(graph, module, {.backend = &backend, .fuse = fuse, .variant = variant});
      if (why.empty()) why = lowering.obstacle;
      if (!lowering.answer || !structures.insert(lowering.answer->Structure()).second) continue;
      answers.push_back(*std::move(lowering.answer));
    }
  }
  if (answers.empty() && obstacle != nullptr) *obstacle = why;
  return answers;
}

}  // namespace kernelmill
