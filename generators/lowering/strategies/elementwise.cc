// Strategies for groups without a head, which compute each element of the result independently.
#include <algorithm>

#include "generators/lowering/element_writer.h"
#include "generators/lowering/memory_order.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

constexpr int kThreads = 256;
constexpr int kPackBytes = 16;

bool IsElementwise(const OperatorGraph&, const FusionGroup& group) { return group.head < 0; }

std::string CountOf(GroupScope* scope) {
  return scope->AddHostValue(scope->index(), "n",
                             scope->TensorName(scope->group().outputs[0]) + ".numel()");
}

CallPlan PlanOf(const GroupScope& scope, const std::string& kernel) {
  CallPlan plan;
  plan.kernels = {kernel};
  plan.threads = kThreads;
  plan.index_type = scope.index();
  plan.reasons.push_back({"blocks of 256 threads",
                          "eight warps per block hide the latency of memory, and such blocks "
                          "need neither shared memory nor many registers, so many of them fit on "
                          "a multiprocessor"});
  if (scope.group().nodes.size() > 1) {
    plan.reasons.push_back({"one kernel for " + OperatorsInWords(scope.graph(), scope.group()),
                            "intermediate values stay in registers, every input is read once, "
                            "and the result is written once"});
  }
  return plan;
}

// The input whose memory layout the result keeps, so that neighbouring threads load and store
// neighbours; kAbsent for a row-major result. As in torch, where the inputs of an elementwise
// operator decide on the layout of its result.
ValueId LayoutGiver(const OperatorGraph& graph, const FusionGroup& group) {
  const ValueId out = group.outputs[0];
  if (group.outputs.size() != 1) return kAbsent;
  // Another kernel would copy the result to row-major order.
  for (const Node& node : graph.nodes()) {
    const auto operands = graph.operands(node);
    if (std::find(operands.begin(), operands.end(), out) != operands.end()) return kAbsent;
  }
  ValueId giver = kAbsent;
  for (const ValueId id : group.inputs) {
    if (graph.value(id).type.shape != graph.value(out).type.shape) continue;
    if (!IsPermuted(graph, id)) return kAbsent;
    if (giver != kAbsent && MemoryOrder(graph, id) != MemoryOrder(graph, giver)) return kAbsent;
    if (graph.value(id).type.dtype == graph.value(out).type.dtype) giver = id;
  }
  return giver;
}

// The statements that compute and store the element that thread or step `i` has.
std::string StoreElement(GroupScope* scope) {
  const ValueId giver = LayoutGiver(scope->graph(), scope->group()),
                out = scope->group().outputs[0];
  if (giver == kAbsent) return StoreOutputs(scope, "i", "");
  scope->KeepLayout(out, giver);
  ElementWriter writer(scope);
  const std::vector<std::string> sizes = scope->Sizes(out);
  const Coordinates at = scope->At(sizes, "");
  writer.Store(out, at);
  const std::vector<int> order = MemoryOrder(scope->graph(), giver);
  std::string axes;
  std::vector<std::string> behind;
  for (std::size_t i = order.size(); i-- > 0;) {
    const int d = order[i];
    const std::string product = GroupScope::Product(behind);
    axes += "const " + scope->index() + ' ' + at.axes[d] + " = i" +
            (product == "1" ? "" : " / " + GroupScope::Parenthesized(product)) +
            (i == 0 ? "" : " % " + GroupScope::Parenthesized(sizes[d])) + ";\n";
    behind.insert(behind.begin(), sizes[d]);
  }
  return "// Neighbouring threads have neighbours in memory, in the layout of `" +
         scope->TensorName(giver) + "`.\n" + axes + writer.code();
}

// Which elements the threads of a warp access together, a clause.
std::string AccessesOf(const GroupScope& scope) {
  const OperatorGraph& graph = scope.graph();
  if (const ValueId giver = LayoutGiver(graph, scope.group()); giver != kAbsent) {
    return "the result keeps the memory layout of `" + scope.TensorName(giver) +
           "`, and neighbouring threads of a warp load and store elements that are neighbours in "
           "it";
  }
  const Shape& result = graph.value(scope.group().outputs[0]).type.shape;
  bool strided = false, whole = true;
  for (const ValueId id : scope.group().inputs) {
    const Shape& shape = graph.value(id).type.shape;
    strided = strided || scope.IsStrided(id);
    whole = whole && (shape == result || shape.Elements() == 1);
  }
  return strided
             ? "neighbouring threads of a warp store neighbouring elements, and where they load "
               "follows from the strides of the inputs"
         : whole ? "neighbouring threads of a warp load and store neighbouring elements"
                 : "neighbouring threads of a warp store neighbouring elements";
}

GroupCode WriteNaive(GroupScope* scope) {
  scope->UseStridesOfViews();
  CountOf(scope);
  const std::string name = scope->function() + "_kernel";
  const std::string body = FillHoles(R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= n) return;
@store@
)",
                                     {{"index", scope->index()},
                                      {"block", scope->InIndexType("blockIdx.x")},
                                      {"store", StoreElement(scope)}});
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      "Computes " + OperatorsInWords(scope->graph(), scope->group()) + ": one thread per element.",
      body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs =
      "const int threads = 256;\nconst int blocks = (n + threads - 1) / threads;\n" +
      WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, name);
  code.plan.grid = "(n + 255) / 256";
  code.plan.mapping =
      "thread i = blockIdx.x * blockDim.x + threadIdx.x computes element i of the result, in " +
      std::string(LayoutGiver(scope->graph(), scope->group()) == kAbsent
                      ? "row-major order; "
                      : "the order of memory; ") +
      AccessesOf(*scope);
  return code;
}

GroupCode WriteGridStride(GroupScope* scope) {
  scope->UseStridesOfViews();
  CountOf(scope);
  const std::string name = scope->function() + "_kernel";
  const std::string body = FillHoles(R"(
const @index@ step = @grid@ * blockDim.x;
for (@index@ i = @block@ * blockDim.x + threadIdx.x; i < n; i += step) {
  @store@
}
)",
                                     {{"index", scope->index()},
                                      {"block", scope->InIndexType("blockIdx.x")},
                                      {"grid", scope->InIndexType("gridDim.x")},
                                      {"store", StoreElement(scope)}});
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + OperatorsInWords(scope->graph(), scope->group()) +
                      ": a grid-stride loop, so that any grid covers any size.",
                  body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = FillHoles(R"(
const int threads = 256;
// Enough blocks to fill any device; beyond that, each thread takes several elements.
const int blocks = static_cast<int>(std::min<int64_t>((n + threads - 1) / threads, 4096));
)",
                                 {}) +
                       WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, name);
  code.plan.grid = "min((n + 255) / 256, 4096)";
  code.plan.mapping =
      "thread i takes the elements i, i + gridDim.x * blockDim.x and so on; in every round " +
      AccessesOf(*scope);
  code.plan.reasons.push_back({"at most 4096 blocks",
                               "this is more than any device runs at once, and the loop "
                               "processes the remaining elements without starting more blocks"});
  return code;
}

// Whether every input has the result's shape or is one number, and no element depends on its
// coordinates.
bool IsFlat(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head >= 0 || group.outputs.size() != 1) return false;
  const TensorType& out = graph.value(group.outputs[0]).type;
  const std::int64_t bytes = BytesOf(out.dtype);
  bool any = false;
  if (bytes > 4) return false;
  // A copy of an input to row-major order would cost as much as the kernel.
  if (LayoutGiver(graph, group) != kAbsent) return false;
  const bool moves = OnlyMovesData(graph);
  for (const ValueId id : group.inputs) {
    const TensorType& type = graph.value(id).type;
    // Vectorized access needs contiguous inputs, and making a view contiguous would double the
    // work.
    if (moves && IsView(graph, id)) return false;
    if (type.shape == out.shape) {
      any = true;
      if (BytesOf(type.dtype) != bytes) return false;
    } else if (type.shape.Elements() != 1) {
      return false;
    }
  }
  for (const int i : group.nodes) {
    for (const ValueId id : graph.operands(graph.nodes()[i])) {
      if (id == kAbsent) return false;
      const Value& value = graph.value(id);
      if (value.role == ValueRole::kResult &&
          graph.nodes()[value.node].op->family == OperatorFamily::kCreation) {
        return false;
      }
    }
  }
  return any;
}

GroupCode WriteVectorised(GroupScope* scope) {
  CountOf(scope);
  const ValueId out = scope->group().outputs[0];
  const TensorType& type = scope->TypeOf(out);
  const std::string lanes = std::to_string(kPackBytes / BytesOf(type.dtype));
  const std::string name = scope->function() + "_kernel", element = scope->function() + "_element";
  // The parameters of the element function are the values that ElementWriter would load.
  ElementWriter writer(scope);
  Coordinates at = scope->At(scope->Sizes(out), "i");
  std::vector<LaunchParameter> values;
  std::string packs, pointers, lane_call, tail_call, scalars;
  std::set<std::string> storages = {scope->Scalar(out).storage};
  std::string aligned = scope->TensorName(out) + ".data_ptr()";
  const auto add_call = [](const std::string& value, std::string* call) {
    *call += (call->empty() ? "" : ", ") + value;
  };
  std::string aligned_sum = "reinterpret_cast<uintptr_t>(" + aligned + ')';
  for (const ValueId id : scope->group().inputs) {
    const std::string& tensor = scope->TensorName(id);
    const ScalarName scalar = scope->Scalar(id);
    const std::string value = scope->Unique(tensor + "_value");
    const Coordinates from = writer.Broadcast(scope->TypeOf(id).shape, type.shape, at);
    writer.Define(id, from, value);
    values.push_back({scalar.compute, value, ""});
    const DType dtype = scope->TypeOf(id).dtype;
    if (scope->TypeOf(id).shape == type.shape) {
      storages.insert(scalar.storage);
      packs += "const Pack<" + scalar.storage + "> " + tensor +
               "_pack = *reinterpret_cast<const Pack<" + scalar.storage + ">*>(" + tensor +
               " + first);\n";
      add_call(ToComputeType(dtype, tensor + "_pack.lane[k]"), &lane_call);
      add_call(ToComputeType(dtype, tensor + "[i]"), &tail_call);
      aligned_sum +=
          " |\n                      reinterpret_cast<uintptr_t>(" + tensor + ".data_ptr())";
    } else {
      scalars += "const " + scalar.compute + ' ' + value + " = " +
                 ToComputeType(dtype, tensor + "[0]") + ";\n";
      add_call(value, &lane_call);
      add_call(value, &tail_call);
    }
  }
  const std::string result = writer.Element(out, at);
  const auto stored = [&](const std::string& call) {
    return ToStorageType(type.dtype, element + '(' + call + ')');
  };
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"lanes", lanes},
                       {"packs", packs},
                       {"scalars", scalars},
                       {"storage", scope->Scalar(out).storage},
                       {"lane", stored(lane_call)},
                       {"tail", stored(tail_call)},
                       {"bytes", std::to_string(kPackBytes)}};
  const std::string body = FillHoles(R"(
const @index@ first = (@block@ * blockDim.x + threadIdx.x) * @lanes@;
if (first >= n) return;
@scalars@
if (aligned && first + @lanes@ <= n) {
  @packs@
  Pack<@storage@> out_pack;
  #pragma unroll
  for (int k = 0; k < @lanes@; ++k) {
    out_pack.lane[k] = @lane@;
  }
  *reinterpret_cast<Pack<@storage@>*>(out + first) = out_pack;
  return;
}
// The tail, and tensors that are not aligned to @bytes@ bytes.
const @index@ end = first + @lanes@ < n ? first + @lanes@ : n;
for (@index@ i = first; i < end; ++i) out[i] = @tail@;
)",
                                     holes);
  GroupCode code;
  code.definitions = {{"Pack", FillHoles(R"(
// @bytes@ bytes that one instruction loads or stores.
template <typename T>
struct alignas(@bytes@) Pack {
  T lane[@bytes@ / sizeof(T)];
};
)",
                                         holes)},
                      {element, SignatureText("__device__ __forceinline__ " +
                                                  scope->Scalar(out).compute + ' ' + element + '(',
                                              values, ") {") +
                                    FillHoles("\n\n  @code@\n  return @result@;\n}\n",
                                              {{"code", writer.code()}, {"result", result}})}};
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + OperatorsInWords(scope->graph(), scope->group()) + ": " + lanes +
                      " neighbouring elements per thread, moved " + std::to_string(kPackBytes) +
                      " bytes at a time.",
                  body, {{"bool", "aligned", "aligned"}});
  code.definitions.push_back(kernel.definition);
  code.after_outputs = FillHoles(R"(
const int threads = 256;
const int packs = (n + @before@) / @lanes@;
const int blocks = (packs + threads - 1) / threads;
const bool aligned = (@sum@) % @bytes@ == 0;
)",
                                 {{"lanes", lanes},
                                  {"before", std::to_string(kPackBytes / BytesOf(type.dtype) - 1)},
                                  {"sum", aligned_sum},
                                  {"bytes", std::to_string(kPackBytes)}}) +
                       WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, name);
  code.plan.grid = "((n + " + std::to_string(kPackBytes / BytesOf(type.dtype) - 1) + ") / " +
                   lanes + " + 255) / 256";
  code.plan.mapping = "thread i computes the elements " + lanes + "i to " + lanes + "i + " +
                      std::to_string(kPackBytes / BytesOf(type.dtype) - 1) +
                      "; a warp moves 512 bytes with one instruction";
  code.plan.reasons.push_back(
      {"16 bytes a load",
       "the same bytes need fewer load instructions, and wide accesses keep more bytes in "
       "flight, which helps a kernel that is bound by memory"});
  code.plan.reasons.push_back({"a check of the alignment when it runs",
                               "a view can begin at an address that is no multiple of 16 bytes; "
                               "then the same threads load their elements one by one"});
  return code;
}

}  // namespace

void AddElementwiseStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"vectorised", "16 bytes per thread, with a tail", IsFlat, WriteVectorised});
  strategies->push_back({"grid_stride", "a loop over the grid", IsElementwise, WriteGridStride});
  strategies->push_back({"one_thread_an_element", "naive", IsElementwise, WriteNaive});
}

}  // namespace kernelmill
