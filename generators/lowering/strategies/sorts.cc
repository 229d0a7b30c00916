// Sorts rows by a bitonic network: in shared memory, or for longer rows tile by tile and then
// across tiles. Each element is a key followed by its index, so that the sort is stable.
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/order_key.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// Shorter rows are sorted faster by counting, without barriers.
constexpr std::int64_t kShortest = 33;
constexpr std::int64_t kLongestShared = 6144;  // Pairs that fit into 48 KB of shared memory.
// For a task's own length, because other sizes may be longer.
constexpr std::int64_t kLongestHere = kLongestShared / 2;
constexpr std::int64_t kLongest = std::int64_t{1} << 31;  // The index takes 32 bits of a pair.

bool SelectsOne(std::string_view op) {
  return op == "kthvalue" || op == "median" || op == "median_dim";
}

RowGeometry GeometryOfSort(GroupScope* scope) {
  const Node& node = scope->head();
  const ValueId input = scope->graph().operands(node)[0];
  const int rank = scope->TypeOf(input).shape.rank();
  return GeometryOf(scope, input,
                    node.op->name == "median"
                        ? DimensionsOf(Attribute(), rank)
                        : std::vector<int>{DimensionOf(scope->graph(), node, "dim", rank)});
}

// The length of the group's rows; 0 when a network is not suitable.
std::int64_t LengthOf(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return 0;
  const Node& node = graph.nodes()[group.head];
  const std::string_view name = node.op->name;
  const bool sorts = name == "sort" || name == "argsort" || name == "topk";
  if (!sorts && !SelectsOne(name)) return 0;
  // Without sorting, torch leaves the order of topk undefined.
  if (name == "topk" && !AttributeOf(graph, node, "sorted").flag()) return 0;
  const TensorType& type = graph.value(graph.operands(node)[0]).type;
  if (type.shape.rank() == 0 || !HasNarrowKey(type.dtype)) return 0;
  const std::int64_t length = name == "median"
                                  ? type.shape.Elements()
                                  : type.shape[DimensionOf(graph, node, "dim", type.shape.rank())];
  const std::int64_t rows = length == 0 ? 0 : type.shape.Elements() / length;
  // In many long rows, a single element is found faster digit by digit, with one block per row.
  constexpr std::int64_t kFew = 64;
  if (SelectsOne(name) && length > kLongestShared && rows > kFew) return 0;
  return length >= kShortest && length < kLongest ? length : 0;
}

constexpr std::string_view kOrder = R"(
// Puts two pairs of key and place in their order. What would lie behind the last one counts as
// larger than all, and stays there: the length need not be a power of two.
__device__ void @order@(unsigned long long* pairs, @index@ first, @index@ second, @index@ count) {
  if (second >= count) return;
  const unsigned long long low = pairs[first], high = pairs[second];
  if (low <= high) return;
  pairs[first] = high;
  pairs[second] = low;
}
)";

constexpr std::string_view kMerge = R"(
// Of pairs in two sorted halves, the second of them read backwards, and of halves of those halves
// and so on, makes one sorted piece: in strides from `stride` down to 1.
__device__ void @merge@(unsigned long long* pairs, int count, int span, int stride) {
  for (; stride > 0; stride /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < span / 2; i += blockDim.x) {
      const int first = 2 * i - (i & (stride - 1));
      @order@(pairs, first, first + stride, count);
    }
  }
  __syncthreads();
}
)";

constexpr std::string_view kSort = R"(
// Sorts `count` pairs in shared memory, `span` the power of two that they fit into: pieces of two
// become sorted, of four, of eight.
__device__ void @sort@(unsigned long long* pairs, int count, int span) {
  for (int half = 1; half < span; half *= 2) {
    __syncthreads();
    // Each with its mirror image in the other half: all pieces are sorted upwards.
    for (int i = threadIdx.x; i < span / 2; i += blockDim.x) {
      const int offset = i & (half - 1);
      const int first = 2 * i - offset;
      @order@(pairs, first, first + 2 * (half - offset) - 1, count);
    }
    @merge@(pairs, count, span, half / 2);
  }
}
)";

class NetworkSort {
 public:
  explicit NetworkSort(GroupScope* scope)
      : scope_(*scope),
        node_(scope->head()),
        op_(node_.op->name),
        input_(scope->graph().operands(node_)[0]),
        geometry_(GeometryOfSort(scope)),
        one_(SelectsOne(op_)) {
    const bool descending =
        (op_ == "topk" && AttributeOf(scope->graph(), node_, "largest").flag()) ||
        ((op_ == "sort" || op_ == "argsort") &&
         AttributeOf(scope->graph(), node_, "descending").flag());
    const std::string& name = scope->function();
    holes_ = {
        {"index", scope->index()},
        {"block", scope->InIndexType("blockIdx.x")},
        {"rows", geometry_.rows},
        {"length", geometry_.length},
        {"base", geometry_.Base(*scope)},
        {"position", geometry_.Position()},
        {"key", name + "_key"},
        {"order", name + "_order"},
        {"merge", name + "_merge"},
        {"sort", name + "_sort"},
        {"out", scope->TensorName(scope->group().outputs[0])},
        {"load", ToComputeType(scope->TypeOf(input_).dtype, scope->TensorName(input_) + "[at]")}};
    definitions_ = {OrderKey(name + "_key", scope->TypeOf(input_).dtype,
                             scope->Scalar(input_).compute, descending),
                    {name + "_order", FillHoles(kOrder, holes_)},
                    {name + "_merge", FillHoles(kMerge, holes_)},
                    {name + "_sort", FillHoles(kSort, holes_)}};
  }

  GroupCode WriteRow();
  GroupCode WriteTiles();

 private:
  // Stores the results of a sorted row, whose pair number `i` is "pairs[i]".
  std::string Store(const std::string& pairs) const;
  std::string Filled(std::string_view text, Holes more) const {
    more.insert(holes_.begin(), holes_.end());
    return FillHoles(text, more);
  }
  CallPlan Plan(std::vector<std::string> kernels, std::string grid, std::int64_t elements) const {
    CallPlan plan;
    plan.kernels = std::move(kernels);
    plan.index_type = scope_.index();
    plan.grid = std::move(grid);
    plan.shared_bytes = elements * 8;
    plan.reasons.push_back({"key and place in one number",
                            "equal keys keep their order, one comparison is enough, and key and "
                            "position are exchanged together"});
    plan.reasons.push_back({"a network",
                            "which elements are compared does not depend on their values, so "
                            "threads only wait for each other at barriers"});
    return plan;
  }

  GroupScope& scope_;
  const Node& node_;
  const std::string op_;
  const ValueId input_;
  const RowGeometry geometry_;
  const bool one_;
  Holes holes_;
  DeviceDefinitions definitions_;
};

std::string NetworkSort::Store(const std::string& pairs) const {
  std::string count = geometry_.length, place = "row", chosen;
  if (op_ == "topk") count = scope_.IntegerAttribute(node_, "k");
  if (!one_) {
    place = geometry_.inner == "1" ? "row * " + count + " + i"
                                   : "(row / " + geometry_.inner + " * " + count + " + i) * " +
                                         geometry_.inner + " + row % " + geometry_.inner;
  }
  std::string stores;
  for (int r = 0; r < node_.result_count; ++r) {
    const ValueId id = node_.first_result + r;
    if (!scope_.IsOutput(id)) continue;
    const bool index = r == 1 || op_ == "argsort";
    stores += scope_.TensorName(id) + '[' + place +
              "] = " + (index ? std::string("k") : scope_.TensorName(input_) + "[at]") + ";\n";
  }
  std::string element = "const " + scope_.index() + " k = static_cast<" + scope_.index() + ">(" +
                        pairs + "[i] & 0xffffffffu);\n";
  if (UsesName(stores, "at")) {
    element += "const " + scope_.index() + " at = " + geometry_.Position() + ";\n";
  }
  element += stores;
  if (!one_) return element;
  if (op_ == "kthvalue") {
    return "const " + scope_.index() + " i = " + scope_.IntegerAttribute(node_, "k") + " - 1;\n" +
           element;
  }
  const std::string middle = "(" + count + " - 1) / 2";
  if (!IsFloating(scope_.TypeOf(input_).dtype)) {
    return "const " + scope_.index() + " i = " + middle + ";\n" + element;
  }
  return "// A median of numbers with a NaN among them is NaN, which is what comes last.\n"
         "const bool nan = " +
         pairs + "[" + count + " - 1] >> 32 == 0xffffffffu;\nconst " + scope_.index() +
         " i = nan ? " + count + " - 1 : " + middle + ";\n" + element;
}

GroupCode NetworkSort::WriteRow() {
  const std::string name = scope_.function() + "_kernel";
  const std::string stored = Store("pairs"),
                    most = op_ == "topk" ? scope_.IntegerAttribute(node_, "k") : geometry_.length;
  const std::string body = Filled(R"(
extern __shared__ unsigned long long pairs[];
const @index@ row = blockIdx.x;
@base@
for (int k = threadIdx.x; k < @length@; k += blockDim.x) {
  const @index@ at = @position@;
  pairs[k] = static_cast<unsigned long long>(@key@(@load@)) << 32 | static_cast<unsigned int>(k);
}
@sort@(pairs, @length@, span);
@ending@
)",
                                  {{"ending", FillHoles(one_ ? R"(
if (threadIdx.x == 0) {
  @stored@
}
)"
                                                             : R"(
for (int i = threadIdx.x; i < @most@; i += blockDim.x) {
  @stored@
}
)",
                                                        {{"stored", stored}, {"most", most}})}});
  const WrittenKernel kernel =
      WriteKernel(scope_, name,
                  "Computes " + op_ +
                      ": one block per row, which is sorted in shared memory by a bitonic network.",
                  body, {{"int", "span", "span"}});
  GroupCode code;
  code.definitions = definitions_;
  code.definitions.push_back(kernel.definition);
  code.after_outputs =
      Filled(R"(
constexpr int most = @most@;  // Pairs of 8 bytes that shared memory holds.
TORCH_CHECK(@length@ <= most, "@function@: a row has more than ", most, " elements");
// A thread for every two elements, up to 512; the network works on a power of two.
int span = 2, threads = 32;
while (span < @length@) span *= 2;
while (threads < 512 && 2 * threads < span) threads *= 2;
const size_t bytes = @length@ * sizeof(unsigned long long);
)",
             {{"most", std::to_string(kLongestShared)}, {"function", scope_.function()}}) +
      WriteLaunch(scope_, name, kernel, geometry_.rows, "threads", "bytes");
  int threads = 32;
  while (threads < 512 && 2 * threads < geometry_.row_length) threads *= 2;
  code.plan = Plan({name}, "rows", geometry_.row_length);
  code.plan.threads = threads;
  code.plan.mapping =
      "block r loads row r into shared memory, each element as its key and its place; in every "
      "step of the network each thread puts two elements in their order, with a barrier behind it";
  code.plan.reasons.push_back({"shared memory for a whole row",
                               "the row is read once and written once, and all exchanges happen "
                               "in shared memory"});
  return code;
}

GroupCode NetworkSort::WriteTiles() {
  const std::string& function = scope_.function();
  const std::string tiles_name = function + "_tiles_kernel", step_name = function + "_step_kernel",
                    merge_name = function + "_merge_kernel", name = function + "_kernel";
  const std::string memory = "reinterpret_cast<unsigned long long*>(pairs.data_ptr<int64_t>())";
  const LaunchParameter sorted = {"unsigned long long* __restrict__", "pairs", memory};
  const LaunchParameter read = {"const unsigned long long* __restrict__", "pairs", memory};
  std::string stored = Store("sorted");
  const std::string base = UsesName(stored, "base") ? geometry_.Base(scope_) : "";
  const Holes part = {{"part", Filled(R"(
__shared__ unsigned long long tile[4096];
const @index@ tiles = (@length@ + 4095) / 4096;
const @index@ row = blockIdx.x / tiles, first = blockIdx.x % tiles * 4096;
const int count = @length@ - first < 4096 ? @length@ - first : 4096;
)",
                                      {})}};
  const WrittenKernel tiles = WriteKernel(
      scope_, tiles_name,
      "First part of " + op_ + ": every block sorts 4096 elements of a row in shared memory.",
      Filled(R"(
@part@
@base@
for (int i = threadIdx.x; i < count; i += blockDim.x) {
  const @index@ k = first + i;
  const @index@ at = @position@;
  tile[i] = static_cast<unsigned long long>(@key@(@load@)) << 32 | static_cast<unsigned int>(k);
}
@sort@(tile, count, 4096);
for (int i = threadIdx.x; i < count; i += blockDim.x) pairs[row * @length@ + first + i] = tile[i];
)",
             part),
      {sorted});
  const WrittenKernel step = WriteKernel(
      scope_, step_name,
      "Step of a merge across tiles of " + op_ +
          ": one thread puts two elements in their order that are further apart than a tile.",
      Filled(R"(
const @index@ blocks = span / 2 / 256;
const @index@ row = blockIdx.x / blocks, i = blockIdx.x % blocks * 256 + threadIdx.x;
const @index@ offset = i & (stride - 1);
const @index@ first = 2 * i - offset;
// The first step compares with the mirror image in the other half, those after it with a neighbour.
const @index@ second = mirrored ? first + 2 * (stride - offset) - 1 : first + stride;
@order@(pairs + row * @length@, first, second, @length@);
)",
             {}),
      {sorted,
       {scope_.index(), "span", "span"},
       {scope_.index(), "stride", "stride"},
       {"bool", "mirrored", "stride == half"}});
  const WrittenKernel merge =
      WriteKernel(scope_, merge_name,
                  "Rest of a merge of " + op_ + ": the steps within a tile, in shared memory.",
                  Filled(R"(
@part@
for (int i = threadIdx.x; i < count; i += blockDim.x) tile[i] = pairs[row * @length@ + first + i];
@merge@(tile, count, 4096, 2048);
for (int i = threadIdx.x; i < count; i += blockDim.x) pairs[row * @length@ + first + i] = tile[i];
)",
                         part),
                  {sorted});
  const std::string most = op_ == "topk" ? scope_.IntegerAttribute(node_, "k") : geometry_.length;
  const WrittenKernel kernel = WriteKernel(
      scope_, name, "Last part of " + op_ + ": results from the sorted pairs, one thread each.",
      Filled(one_ ? R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@place@
const unsigned long long* const sorted = pairs + row * @length@;
@stored@
)"
                  : R"(
const @index@ number = @block@ * blockDim.x + threadIdx.x;
if (number >= @rows@ * @most@) return;
const @index@ row = number / @most@, i = number % @most@;
@place@
const unsigned long long* const sorted = pairs + row * @length@;
@stored@
)",
             {{"place", base}, {"stored", stored}, {"most", GroupScope::Parenthesized(most)}}),
      {read});
  GroupCode code;
  code.definitions = definitions_;
  for (const WrittenKernel* part : {&tiles, &step, &merge, &kernel}) {
    code.definitions.push_back(part->definition);
  }
  const std::string results =
      one_ ? geometry_.rows
           : GroupScope::Parenthesized(geometry_.rows) + " * " + GroupScope::Parenthesized(most);
  const std::string rows = GroupScope::Parenthesized(geometry_.rows);
  code.after_outputs =
      Filled(R"(
const int threads = 512;
const @index@ tiles = (@length@ + 4095) / 4096;
@index@ span = 4096;  // The power of two that a row fits into.
while (span < @length@) span *= 2;
auto pairs = torch::empty({static_cast<int64_t>(@rows@) * @length@},
                          @out@.options().dtype(torch::kInt64));
@tiles@
// Sorted pieces of a tile become pieces of two, four and so on.
for (@index@ half = 4096; half < span; half *= 2) {
  for (@index@ stride = half; stride >= 4096; stride /= 2) {
    @step@
  }
  @merge_tiles@
}
@last@
)",
             {{"tiles", WriteLaunch(scope_, tiles_name, tiles, rows + " * tiles", "threads")},
              {"step", WriteLaunch(scope_, step_name, step, rows + " * (span / 2 / 256)", "256")},
              {"merge_tiles", WriteLaunch(scope_, merge_name, merge, rows + " * tiles", "threads")},
              {"last", WriteLaunch(scope_, name, kernel, "(" + results + " + 255) / 256", "256")}});
  code.plan = Plan({tiles_name, step_name, merge_name, name}, "rows * tiles", 4096);
  code.plan.threads = 512;
  code.plan.mapping =
      "a block sorts a tile of 4096 elements in shared memory; then pieces are merged pairwise: "
      "elements further apart than a tile by a launch a step, those within a tile in shared memory";
  code.plan.reasons.push_back({"tiles first",
                               "most steps of the network lie within a tile; only the steps "
                               "between tiles read all elements from global memory"});
  return code;
}

bool HasShortRows(const OperatorGraph& graph, const FusionGroup& group) {
  const std::int64_t length = LengthOf(graph, group);
  return length > 0 && length <= kLongestHere;
}

bool HasLongRows(const OperatorGraph& graph, const FusionGroup& group) {
  return LengthOf(graph, group) > kLongestHere;
}

template <GroupCode (NetworkSort::*kWrite)()>
GroupCode Write(GroupScope* scope) {
  return (NetworkSort(scope).*kWrite)();
}

}  // namespace

void AddSortStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"network_in_shared_memory", "a bitonic network, one block per row",
                         HasShortRows, Write<&NetworkSort::WriteRow>});
  strategies->push_back({"network_of_tiles", "a bitonic network across tiles", HasLongRows,
                         Write<&NetworkSort::WriteTiles>});
}

}  // namespace kernelmill
