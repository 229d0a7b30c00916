#include "generators/lowering/strategy.h"

#include "generators/lowering/strategies/families.h"

namespace kernelmill {

std::span<const Strategy> AllStrategies() {
  static const std::vector<Strategy> kStrategies = [] {
    std::vector<Strategy> all;
    for (const auto add : kStrategyFamilies) add(&all);
    return all;
  }();
  return kStrategies;
}

WrittenKernel WriteKernel(const GroupScope& scope, const std::string& name,
                          const std::string& comment, const std::string& body,
                          const std::vector<LaunchParameter>& extra, std::string_view attributes) {
  std::vector<LaunchParameter> parameters = scope.Parameters();
  parameters.insert(parameters.end(), extra.begin(), extra.end());
  parameters = UsedParameters(parameters, body);
  std::string text = CommentText(comment);
  text += SignatureText("__global__ void" + std::string(attributes) + ' ' + name + '(', parameters,
                        ") {");
  text += FillHoles("\n\n  @body@\n}\n", {{"body", body}});
  return {{name, text}, parameters};
}

std::string WriteLaunch(const GroupScope& scope, const std::string& name,
                        const WrittenKernel& kernel, std::string_view grid, std::string_view block,
                        std::string_view shared) {
  return LaunchText(name + "<<<" + std::string(grid) + ", " + std::string(block) + ", " +
                        std::string(shared) + ", " + std::string(scope.backend().current_stream) +
                        ">>>(",
                    kernel.parameters) +
         '\n' + std::string(scope.backend().launch_check) + '\n';
}

std::string OperatorsInWords(const OperatorGraph& graph, const FusionGroup& group) {
  std::string text;
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    if (i > 0) text += i + 1 == group.nodes.size() ? " and " : ", ";
    text += graph.nodes()[group.nodes[i]].op->name;
  }
  return text;
}

}  // namespace kernelmill
