// Strategies for losses of samples: one number per row, which is then reduced.
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/sample_loss.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsSampleLoss(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, kCudaBackend, names, "");
  return SampleLossOf(&scope).has_value();
}

CallPlan PlanOf(const GroupScope& scope, const SampleLoss& loss) {
  CallPlan plan;
  plan.index_type = scope.index();
  plan.threads = 128;
  plan.grid = "(rows + 127) / 128";
  plan.mapping = "thread r works out the loss of sample r from its row";
  plan.reasons.push_back({"a thread a sample",
                          "no partial results of a row have to be combined, and there are many "
                          "short rows"});
  if (!loss.why.empty()) plan.reasons.push_back({"the form of the formula", loss.why});
  return plan;
}

std::string Words(const GroupScope& scope) {
  return "Computes " + std::string(scope.head().op->name);
}

std::string Result(const GroupScope& scope, const SampleLoss& loss, const std::string& sum) {
  const ValueId out = scope.head().first_result;
  return ToStorageType(
      scope.TypeOf(out).dtype,
      loss.reduction == "mean" ? sum + " / static_cast<float>(" + loss.geometry.rows + ")" : sum);
}

// The loss of each sample is a result (reduction="none").
GroupCode WriteEach(GroupScope* scope, const SampleLoss& loss, bool in_a_loop) {
  const ValueId out = scope->head().first_result;
  const std::string name = scope->function() + "_kernel";
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"grid", scope->InIndexType("gridDim.x")},
                       {"rows", loss.geometry.rows},
                       {"base", loss.geometry.Base(*scope)},
                       {"statements", loss.statements},
                       {"out", scope->TensorName(out)},
                       {"loss", ToStorageType(scope->TypeOf(out).dtype, "loss")}};
  const std::string body = in_a_loop ? FillHoles(R"(
const @index@ step = @grid@ * blockDim.x;
@index@ row = @block@ * blockDim.x + threadIdx.x;
for (; row < @rows@; row += step) {
  @base@
  @statements@
  @out@[row] = @loss@;
}
)",
                                                 holes)
                                     : FillHoles(R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@base@
@statements@
@out@[row] = @loss@;
)",
                                                 holes);
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      Words(*scope) + (in_a_loop ? ": samples in a grid-stride loop." : ": one thread per sample."),
      body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs =
      FillHoles(
          in_a_loop
              ? "const int threads = 128;\n// Enough to fill any device; the loop takes the rest.\n"
                "const int blocks = static_cast<int>(\n    std::min<int64_t>((@rows@ + threads - "
                "1) "
                "/ threads, 1024));\n"
              : "const int threads = 128;\nconst int blocks = (@rows@ + threads - 1) / threads;\n",
          holes) +
      WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, loss);
  if (in_a_loop) code.plan.grid = "min((rows + 127) / 128, 1024)";
  code.plan.kernels = {name};
  return code;
}

GroupCode WriteInTwoKernels(GroupScope* scope) {
  const SampleLoss loss = *SampleLossOf(scope);
  if (loss.reduction == "none") return WriteEach(scope, loss, false);
  const ValueId out = scope->head().first_result;
  const std::string name = scope->function() + "_kernel", last = scope->function() + "_sum_kernel";
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"rows", loss.geometry.rows},
                       {"base", loss.geometry.Base(*scope)},
                       {"statements", loss.statements},
                       {"out", scope->TensorName(out)},
                       {"result", Result(*scope, loss, "scratch[0]")}};
  const WrittenKernel first = WriteKernel(
      *scope, name, Words(*scope) + ", first half: the loss of every sample, one thread each.",
      FillHoles(R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@base@
@statements@
losses[row] = loss;
)",
                holes),
      {{"float* __restrict__", "losses", "losses.data_ptr<float>()"}});
  const WrittenKernel second = WriteKernel(
      *scope, last,
      Words(*scope) + ", second half: one block adds the losses up, by a tree in shared memory.",
      FillHoles(R"(
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
                holes),
      {{"const float* __restrict__", "losses", "losses.data_ptr<float>()"}});
  GroupCode code;
  code.definitions = {first.definition, second.definition};
  code.after_outputs = FillHoles(R"(
auto losses = torch::empty({@rows@}, @out@.options().dtype(torch::kFloat32));
const int threads = 128;
const int blocks = (@rows@ + threads - 1) / threads;
)",
                                 holes) +
                       WriteLaunch(*scope, name, first, "blocks", "threads") +
                       WriteLaunch(*scope, last, second, "1", "256");
  code.plan = PlanOf(*scope, loss);
  code.plan.kernels = {name, last};
  code.plan.grid += ", then 1";
  code.plan.shared_bytes = 1024;
  code.plan.reasons.push_back(
      {"a second kernel for the sum",
       "blocks cannot wait for each other within a kernel, so the end of the first kernel serves "
       "as the barrier"});
  return code;
}

GroupCode WriteInOneBlock(GroupScope* scope) {
  const SampleLoss loss = *SampleLossOf(scope);
  if (loss.reduction == "none") return WriteEach(scope, loss, true);
  const ValueId out = scope->head().first_result;
  const std::string name = scope->function() + "_kernel";
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      Words(*scope) + ": one block takes the samples in turns and adds their losses up by a tree.",
      FillHoles(R"(
__shared__ float scratch[256];
float sum = 0.0f;
for (@index@ row = threadIdx.x; row < @rows@; row += 256) {
  @base@
  @statements@
  sum += loss;
}
scratch[threadIdx.x] = sum;
__syncthreads();
for (int half = 128; half > 0; half /= 2) {
  if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  __syncthreads();
}
if (threadIdx.x == 0) @out@[0] = @result@;
)",
                {{"index", scope->index()},
                 {"rows", loss.geometry.rows},
                 {"base", loss.geometry.Base(*scope)},
                 {"statements", loss.statements},
                 {"out", scope->TensorName(out)},
                 {"result", Result(*scope, loss, "scratch[0]")}}));
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = WriteLaunch(*scope, name, kernel, "1", "256");
  code.plan = PlanOf(*scope, loss);
  code.plan.kernels = {name};
  code.plan.threads = 256;
  code.plan.grid = "1";
  code.plan.shared_bytes = 1024;
  code.plan.mapping = "thread t of the only block takes the samples t, t + 256 and so on";
  code.plan.reasons.push_back({"one block",
                               "it needs no second launch and no buffer for the losses, which is "
                               "enough for few samples"});
  return code;
}

}  // namespace

void AddSampleLossStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"thread_a_sample", "one thread per sample, then one block", IsSampleLoss,
                         WriteInTwoKernels});
  strategies->push_back({"block_of_samples", "one block for all samples and their sum",
                         IsSampleLoss, WriteInOneBlock});
}

}  // namespace kernelmill
