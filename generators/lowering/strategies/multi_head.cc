// Multi-head attention with its projections, as several kernels that run one after the other.
#include "generators/lowering/multi_head/head_attention.h"
#include "generators/lowering/multi_head/head_projections.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsMultiHead(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  return node.op->name == "multi_head_attention_forward" &&
         graph.value(graph.operands(node)[0]).type.dtype != DType::kFloat64;
}

template <bool tiled>
GroupCode WriteMultiHead(GroupScope* scope) {
  MultiHeadScope shared(scope);
  HeadProjections projections(&shared, tiled);
  HeadAttention attention(&shared, projections, tiled);
  CallPlan& plan = shared.code.plan;
  plan.index_type = "int";
  plan.threads = 256;
  plan.mapping = std::string("queries, keys and values are projected ") +
                 (tiled ? "tile by tile, several elements per thread in registers"
                        : "by one thread per element");
  Holes holes = shared.holes;
  holes["stream"] = scope->backend().current_stream;
  holes["query_rows"] = shared.InHost({"queries", "batch"});
  holes["key_rows"] =
      projections.PartsWith(0) == 3 ? "" : ", key_rows = " + shared.InHost({"keys", "batch"});
  const std::string result = "auto attended = torch::empty({query_rows, @width@}, @options@);\n";
  holes["attended"] = shared.attended ? "" : FillHoles(result, shared.holes);
  shared.code.after_outputs = FillHoles(R"(
const auto stream = @stream@;
const int query_rows = @query_rows@@key_rows@;
auto context = torch::empty({query_rows, @width@}, @options@);
@attended@
// The input weight holds those of queries, keys and values, one below the other.
)",
                                        holes);
  projections.WriteInputs();
  attention.Write();
  projections.WriteOutput();
  if (!shared.weights.empty()) attention.WriteMeanOfHeads();
  plan.reasons.push_back({"heads are slices of the width",
                          "head h uses the elements h * depth to h * depth + depth - 1 of a row, "
                          "so nothing has to be transposed"});
  if (tiled) {
    plan.reasons.push_back({"projections through shared memory",
                            "each element that a tile loads is used for a whole row or column of "
                            "its results"});
  }
  return shared.code;
}

}  // namespace

void AddMultiHeadStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"tiled_projections", "projections through shared memory", IsMultiHead,
                         WriteMultiHead<true>});
  strategies->push_back({"thread_a_projection", "one thread per element of a projection",
                         IsMultiHead, WriteMultiHead<false>});
}

}  // namespace kernelmill
