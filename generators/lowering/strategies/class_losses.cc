// Losses of classes: one number a sample, then their sum.
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

std::string_view ReductionOf(const OperatorGraph& graph, const Node& node) {
  const int index = FindAttribute(*node.op, "reduction");
  return node.op->attributes[index].choices[graph.attributes(node)[index].choice()];
}

bool IsClassLoss(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  if (node.op->name != "cross_entropy" && node.op->name != "nll_loss") return false;
  const auto operands = graph.operands(node);
  return graph.value(operands[0]).type.shape.rank() >= 1 &&
         !IsFloating(graph.value(operands[1]).type.dtype);
}

GroupCode WriteLoss(GroupScope* scope) {
  const Node& node = scope->head();
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  const int rank = scope->TypeOf(operands[0]).shape.rank();
  const RowGeometry geometry = *GeometryOf(scope, operands[0], {rank == 1 ? 0 : 1});
  const std::string_view reduction = ReductionOf(graph, node);
  const bool entropy = node.op->name == "cross_entropy";
  const DType dtype = scope->TypeOf(operands[0]).dtype;
  const std::string x = Loaded(dtype, scope->dialect(),
                               scope->TensorName(operands[0]) + "[" + geometry.Position() + "]");
  const double smoothing = entropy ? AttributeOf(graph, node, "label_smoothing").number() : 0;
  const std::string of_class =
      "const " + scope->index() + " k = " + scope->TensorName(operands[1]) + "[row];\n";
  std::string body =
      Fill(R"(
const @index@ row = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@base@
)",
           {{"index", scope->index()}, {"rows", geometry.rows}, {"base", geometry.Base(*scope)}});
  const Holes holes = {
      {"index", scope->index()}, {"length", geometry.length}, {"x", x}, {"class", of_class}};
  if (entropy) {
    body += Fill(R"(
float largest = -INFINITY;
for (@index@ k = 0; k < @length@; ++k) largest = fmaxf(largest, @x@);
float total = 0.0f, sum = 0.0f;
for (@index@ k = 0; k < @length@; ++k) {
  const float value = @x@;
  total += expf(value - largest);
  sum += value;
}
const float log_total = largest + logf(total);
@class@
)",
                 holes);
    const std::string keep = Literal(1 - smoothing, DType::kFloat32),
                      spread = Literal(smoothing, DType::kFloat32);
    body += smoothing == 0
                ? "const float loss = log_total - " + x + ";\n"
                : "// The smoothed target gives every class its share.\nconst float loss = "
                  "log_total - " +
                      keep + " * " + x + " - " + spread + " * sum / " + geometry.length + ";\n";
    if (smoothing == 0) {
      for (const std::string line : {", sum = 0.0f", "  sum += value;\n"})
        body.erase(body.find(line), line.size());
    }
  } else {
    body += of_class + "const float loss = -" + x + ";\n";
  }
  const ValueId out = node.first_result;
  const std::string name = scope->function() + "_kernel", last = scope->function() + "_sum_kernel";
  GroupCode code;
  code.plan.threads = 128;
  code.plan.index_type = scope->index();
  code.plan.grid = "(rows + 127) / 128";
  code.plan.kernels = {name};
  code.plan.mapping = "thread r works out the loss of sample r from its row of classes";
  code.plan.reasons.push_back(
      {"the largest value first", "exp of a difference of at most zero cannot overflow"});
  const std::string blocks = "const int threads = 128;\nconst int blocks = (" + geometry.rows +
                             " + threads - 1) / threads;\n";
  const std::string words = "Computes " + std::string(node.op->name);
  if (reduction == "none") {
    body += scope->TensorName(out) + "[row] = " + Stored(dtype, scope->dialect(), "loss") + ";\n";
    const WrittenKernel kernel = WriteKernel(*scope, name, words + ": one thread a sample.", body);
    code.device = kernel.text;
    code.launch = blocks + WriteLaunch(*scope, name, kernel, "blocks", "threads");
    return code;
  }
  body += "losses[row] = loss;\n";
  const WrittenKernel first =
      WriteKernel(*scope, name, words + ", first half: the loss of every sample, one thread each.",
                  body, {{"float* __restrict__", "losses", "losses.data_ptr<float>()"}});
  const std::string result =
      reduction == "mean" ? "scratch[0] / static_cast<float>(" + geometry.rows + ")" : "scratch[0]";
  const std::string end = Fill(R"(
__shared__ float scratch[256];
float sum = 0.0f;
for (@index@ row = threadIdx.x; row < @rows@; row += 256) sum += losses[row];
scratch[threadIdx.x] = sum;
__syncthreads();
for (int half = 128; half > 0; half /= 2) {
  if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  __syncthreads();
}
if (threadIdx.x == 0) @out@[0] = @result@;
)",
                               {{"index", scope->index()},
                                {"rows", geometry.rows},
                                {"out", scope->TensorName(out)},
                                {"result", Stored(dtype, scope->dialect(), result)}});
  const WrittenKernel second = WriteKernel(
      *scope, last,
      words + ", second half: one block adds the losses up, by a tree in shared memory.", end,
      {{"const float* __restrict__", "losses", "losses.data_ptr<float>()"}});
  code.device = first.text + "\n" + second.text;
  code.launch = "auto losses = torch::empty({" + geometry.rows + "}, " + scope->TensorName(out) +
                ".options().dtype(torch::kFloat32));\n" + blocks +
                WriteLaunch(*scope, name, first, "blocks", "threads") +
                WriteLaunch(*scope, last, second, "1", "256");
  code.plan.kernels = {name, last};
  code.plan.grid = "(rows + 127) / 128, then 1";
  code.plan.shared_bytes = 1024;
  code.plan.reasons.push_back(
      {"a second kernel for the sum",
       "blocks cannot wait for each other; the end of the first kernel is the barrier"});
  return code;
}

}  // namespace

void AddClassLossStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"thread_a_sample", "one thread a sample, then one block", IsClassLoss, WriteLoss});
}

}  // namespace kernelmill
