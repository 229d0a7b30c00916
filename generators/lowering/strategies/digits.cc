// Selects the k-th smallest element of a row digit by digit (radix select), without sorting.
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/order_key.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool SelectsOne(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  const std::string_view name = node.op->name;
  const TensorType& type = graph.value(graph.operands(node)[0]).type;
  if ((name != "kthvalue" && name != "median" && name != "median_dim") || type.shape.rank() == 0 ||
      type.dtype == DType::kFloat64) {
    return false;
  }
  // Short rows are selected by counting: a block would need longer for a single digit.
  constexpr std::int64_t kShortest = 33;
  return (name == "median"
              ? type.shape.Elements()
              : type.shape[DimensionOf(graph, node, "dim", type.shape.rank())]) >= kShortest;
}

GroupCode WriteDigits(GroupScope* scope) {
  const Node& node = scope->head();
  const OperatorGraph& graph = scope->graph();
  const std::string op(node.op->name);
  const ValueId input = graph.operands(node)[0];
  const TensorType& type = scope->TypeOf(input);
  const int rank = type.shape.rank();
  const RowGeometry geometry =
      GeometryOf(scope, input,
                 op == "median" ? DimensionsOf(Attribute(), rank)
                                : std::vector<int>{DimensionOf(graph, node, "dim", rank)});
  const bool wide = type.dtype == DType::kInt64;
  const std::string name = scope->function() + "_kernel", key = scope->function() + "_key";
  // The median of numbers with a NaN is NaN, which is ordered last.
  const bool may_be_nan = op != "kthvalue" && IsFloating(type.dtype);
  std::string store;
  for (int r = 0; r < node.result_count; ++r) {
    const ValueId id = node.first_result + r;
    if (!scope->IsOutput(id)) continue;
    store += scope->TensorName(id) +
             "[row] = " + (r == 1 ? std::string("k") : scope->TensorName(input) + "[at]") + ";\n";
  }
  const Holes holes = {{"index", scope->index()},
                       {"length", geometry.length},
                       {"base", geometry.Base(*scope)},
                       {"position", geometry.Position()},
                       {"key", key},
                       {"number", wide ? "unsigned long long" : "unsigned int"},
                       {"load", ToComputeType(type.dtype, scope->TensorName(input) + "[at]")},
                       {"first", wide ? "56" : "24"},
                       {"rank", op == "kthvalue" ? scope->IntegerAttribute(node, "k") + " - 1"
                                                 : "(" + geometry.length + " - 1) / 2"},
                       {"store", store}};
  const std::string look_for_nan = FillHoles(R"(
int nan = 0;
for (@index@ k = threadIdx.x; k < @length@; k += blockDim.x) {
  const @index@ at = @position@;
  nan |= @key@(@load@) == 0xffffffffu;
}
if (__syncthreads_or(nan)) before = @length@ - 1;
)",
                                             holes);
  const std::string body = FillHoles(R"(
__shared__ unsigned int counts[256];
__shared__ int chosen;
__shared__ @index@ left;
__shared__ unsigned long long place;
const @index@ row = blockIdx.x;
@base@
@index@ before = @rank@;  // So many come before the one that is looked for.
@nan@
@number@ known = 0;  // Its digits so far.
for (int shift = @first@; shift >= 0; shift -= 8) {
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (@index@ k = threadIdx.x; k < @length@; k += blockDim.x) {
    const @index@ at = @position@;
    const @number@ number = @key@(@load@);
    // In two steps: by all its bits at once a number cannot be shifted.
    if (number >> shift >> 8 == known >> shift >> 8) atomicAdd(&counts[number >> shift & 255], 1u);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int digit = 0;
    while (before >= static_cast<@index@>(counts[digit])) before -= counts[digit++];
    chosen = digit;
    left = before;
  }
  __syncthreads();
  known |= static_cast<@number@>(chosen) << shift;
  before = left;
}
// The first of those that are equal to it.
if (threadIdx.x == 0) place = @length@;
__syncthreads();
for (@index@ k = threadIdx.x; k < @length@; k += blockDim.x) {
  const @index@ at = @position@;
  if (@key@(@load@) == known) atomicMin(&place, static_cast<unsigned long long>(k));
}
__syncthreads();
if (threadIdx.x == 0) {
  const @index@ k = static_cast<@index@>(place);
  const @index@ at = @position@;
  @store@
}
)",
                                     [&] {
                                       Holes with = holes;
                                       with["nan"] = may_be_nan ? look_for_nan : "";
                                       return with;
                                     }());
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + op +
                      ": one block per row, which counts how many elements have which digit, from "
                      "the highest digit down, and keeps those that have the right one.",
                  body);
  GroupCode code;
  code.definitions = {OrderKey(key, type.dtype, scope->Scalar(input).compute), kernel.definition};
  code.after_outputs =
      "const int threads = 256;\n" + WriteLaunch(*scope, name, kernel, geometry.rows, "threads");
  code.plan.kernels = {name};
  code.plan.threads = 256;
  code.plan.index_type = scope->index();
  code.plan.grid = "rows";
  code.plan.shared_bytes = 256 * 4 + 24;
  code.plan.mapping =
      "block r reads row r once for each digit of 8 bits, thread t its elements t, t + 256 and so "
      "on; the counts of the 256 digits lie in shared memory";
  code.plan.reasons.push_back({"selection by digits",
                               "it reads the row a few times, however long it is, and does not "
                               "sort all its elements"});
  return code;
}

}  // namespace

void AddDigitStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"select_by_digits", "the digits of one element, from the highest down",
                         SelectsOne, WriteDigits});
}

}  // namespace kernelmill
