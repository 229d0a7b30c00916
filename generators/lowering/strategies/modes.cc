// The mode (most frequent value) of a row: for each element, count those equal to it.
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsMode(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  return node.op->name == "mode" && graph.value(graph.operands(node)[0]).type.shape.rank() > 0;
}

Holes HolesOf(GroupScope* scope) {
  const Node& node = scope->head();
  const ValueId input = scope->graph().operands(node)[0];
  const TensorType& type = scope->TypeOf(input);
  const RowGeometry geometry =
      GeometryOf(scope, input, {DimensionOf(scope->graph(), node, "dim", type.shape.rank())});
  const auto read = [&](const std::string& k) {
    return ToComputeType(type.dtype, scope->TensorName(input) + "[position(" + k + ")]");
  };
  std::string store;
  for (int r = 0; r < 2; ++r) {
    const ValueId id = node.first_result + r;
    if (!scope->IsOutput(id)) continue;
    store += scope->TensorName(id) +
             "[row] = " + (r == 0 ? ToStorageType(type.dtype, "best") : std::string("index")) +
             ";\n";
  }
  return {{"index", scope->index()},
          {"block", scope->InIndexType("blockIdx.x")},
          {"rows", geometry.rows},
          {"length", geometry.length},
          {"base", geometry.Base(*scope)},
          {"position", geometry.Position()},
          {"type", scope->Scalar(input).compute},
          {"value", read("k")},
          {"other", read("j")},
          {"store", store}};
}

// Counts for element k, and keeps the better of it and the best so far.
constexpr std::string_view kCount = R"(
const @type@ value = @value@;
@index@ count = 0;
for (@index@ j = 0; j < @length@; ++j) count += @other@ == value ? 1 : 0;
// Of equally frequent values the least; of its places the last.
if (count > most || (count == most && (value < best || (value == best && k > index)))) {
  most = count;
  best = value;
  index = k;
}
)";

CallPlan PlanOf(const GroupScope& scope, const std::string& kernel, int threads) {
  CallPlan plan;
  plan.kernels = {kernel};
  plan.threads = threads;
  plan.index_type = scope.index();
  plan.reasons.push_back({"counting instead of sorting",
                          "only the number of equal elements matters, not their order; the work "
                          "grows with the square of the row length, so this suits short rows"});
  return plan;
}

GroupCode WriteThread(GroupScope* scope) {
  Holes holes = HolesOf(scope);
  holes["count"] = FillHoles(kCount, holes);
  const std::string name = scope->function() + "_kernel";
  const WrittenKernel kernel =
      WriteKernel(*scope, name, "Finds the most frequent value of each row: one thread per row.",
                  FillHoles(R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@base@
const auto position = [&](@index@ k) { return @position@; };
@index@ most = 0, index = 0;
@type@ best = 0;
for (@index@ k = 0; k < @length@; ++k) {
  @count@
}
@store@
)",
                            holes));
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs =
      FillHoles("const int threads = 128;\nconst int blocks = (@rows@ + threads - 1) / threads;\n",
                holes) +
      WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, name, 128);
  code.plan.grid = "(rows + 127) / 128";
  code.plan.mapping = "thread r compares every element of row r with every other";
  return code;
}

GroupCode WriteBlock(GroupScope* scope) {
  Holes holes = HolesOf(scope);
  holes["count"] = FillHoles(kCount, holes);
  const std::string name = scope->function() + "_kernel";
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Finds the most frequent value of each row: one block per "
                  "row, whose threads share the elements.",
                  FillHoles(R"(
__shared__ @type@ values[128];
__shared__ @index@ counts[128], places[128];
const @index@ row = blockIdx.x;
@base@
const auto position = [&](@index@ k) { return @position@; };
@index@ most = 0, index = 0;
@type@ best = 0;
for (@index@ k = threadIdx.x; k < @length@; k += 128) {
  @count@
}
values[threadIdx.x] = best;
counts[threadIdx.x] = most;
places[threadIdx.x] = index;
__syncthreads();
for (int half = 64; half > 0; half /= 2) {
  if (threadIdx.x < half) {
    const int other = threadIdx.x + half;
    const bool same = counts[other] == most && values[other] == best;
    if (counts[other] > most || (counts[other] == most && values[other] < best) ||
        (same && places[other] > index)) {
      values[threadIdx.x] = best = values[other];
      counts[threadIdx.x] = most = counts[other];
      places[threadIdx.x] = index = places[other];
    }
  }
  __syncthreads();
}
if (threadIdx.x == 0) {
  @store@
}
)",
                            holes));
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = WriteLaunch(*scope, name, kernel, holes["rows"], "128");
  code.plan = PlanOf(*scope, name, 128);
  code.plan.grid = "rows";
  code.plan.shared_bytes = 128 * 12;
  code.plan.mapping =
      "block r takes row r; thread t counts for the elements t, t + 128 and so on, and a tree in "
      "shared memory finds the best of all";
  return code;
}

}  // namespace

void AddModeStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"block_counts_a_row", "one block per row, then a tree", IsMode, WriteBlock});
  strategies->push_back({"thread_counts_a_row", "one thread per row", IsMode, WriteThread});
}

}  // namespace kernelmill
