// The strategy that runs element programs, one thread per element.
#include <algorithm>

#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// Programs that compute in float for every dtype of their operands.
bool NeedsFloat(const Node& node) {
  using enum OperatorFamily;
  static constexpr std::string_view kNames[] = {
      "glu",           "cdist",     "pairwise_distance", "cosine_similarity",
      "embedding_bag", "lp_pool1d", "lp_pool2d",         "lp_pool3d"};
  return node.op->family == kInterpolation || node.op->family == kNorm ||
         node.op->family == kLoss ||
         std::find(std::begin(kNames), std::end(kNames), node.op->name) != std::end(kNames);
}

bool HasDoubles(const OperatorGraph& graph, const Node& node) {
  const auto operands = graph.operands(node);
  return std::any_of(operands.begin(), operands.end(), [&](ValueId id) {
    return id != kAbsent && graph.value(id).type.dtype == DType::kFloat64;
  });
}

// The code that computes and stores the element at position `i`; empty when the operator has no
// program. `helpers` gets the functions that it calls.
std::string ElementCode(GroupScope* scope, DeviceDefinitions* helpers) {
  const ProgramRow* const row = FindProgram(scope->head().op->name);
  if (row == nullptr || scope->head().result_count != 1) return "";
  if (NeedsFloat(scope->head()) && HasDoubles(scope->graph(), scope->head())) return "";
  const Coordinates at = scope->At(scope->Sizes(scope->head().first_result), "i");
  ElementProgram program(scope, at);
  if (!row->write(&program)) return "";
  *helpers = program.helpers();
  ElementWriter writer(scope);
  writer.DefineResult(scope->head().first_result, at, "result");
  for (const ValueId id : scope->group().outputs) writer.Store(id, at);
  const std::string code = program.code() + writer.code();
  return scope->AxisDeclarations(at, code) + code;
}

bool HasProgram(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0) return false;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, kCudaBackend, names, "");
  DeviceDefinitions helpers;
  return !ElementCode(&scope, &helpers).empty();
}

template <bool kLoop>
GroupCode WriteElements(GroupScope* scope) {
  scope->UseStridesOfViews();
  DeviceDefinitions helpers;
  const std::string element = ElementCode(scope, &helpers);
  scope->AddHostValue(scope->index(), "n",
                      scope->TensorName(scope->group().outputs[0]) + ".numel()");
  const std::string name = scope->function() + "_kernel";
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"grid", scope->InIndexType("gridDim.x")},
                       {"element", element}};
  const std::string body = kLoop ? FillHoles(R"(
const @index@ step = @grid@ * blockDim.x;
for (@index@ i = @block@ * blockDim.x + threadIdx.x; i < n; i += step) {
  @element@
}
)",
                                             holes)
                                 : FillHoles(R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= n) return;
@element@
)",
                                             holes);
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + OperatorsInWords(scope->graph(), scope->group()) +
                      (kLoop ? ": a grid-stride loop over the elements of the result."
                             : ": one thread per element of the result, which finds what it "
                               "needs."),
                  body);
  GroupCode code;
  code.definitions = std::move(helpers);
  code.definitions.push_back(kernel.definition);
  code.after_outputs =
      kLoop ? "const int threads = 256;\n"
              "// Enough blocks to fill any device; the loop takes the rest.\n"
              "const int blocks = static_cast<int>(std::min<int64_t>((n + threads - 1) / "
              "threads, 2048));\n"
            : "const int threads = 256;\nconst int blocks = (n + threads - 1) / threads;\n";
  code.after_outputs += WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan.kernels = {name};
  code.plan.threads = 256;
  code.plan.index_type = scope->index();
  code.plan.grid = kLoop ? "min((n + 255) / 256, 2048)" : "(n + 255) / 256";
  code.plan.mapping = std::string(kLoop ? "threads share the elements of the result in a loop; each"
                                        : "thread i computes element i of the result: it") +
                      " takes its position apart into coordinates, and " +
                      std::string(FindProgram(scope->head().op->name)->mapping);
  code.plan.reasons.push_back({"from the result to the operands",
                               "one thread writes each output element once, so no atomics are "
                               "needed and the stores are coalesced"});
  return code;
}

}  // namespace

void AddProgramStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"gather_an_element", "one thread per element", HasProgram, WriteElements<false>});
  strategies->push_back(
      {"gather_in_a_loop", "a loop over the grid", HasProgram, WriteElements<true>});
}

}  // namespace kernelmill
