// Sorts by counting: the position of an element is the number of elements that precede it.
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kLongestCounted = 1 << 13;

bool IsSort(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  const Shape& shape = graph.value(graph.operands(node)[0]).type.shape;
  const std::string_view name = node.op->name;
  // Without sorting, torch leaves the order of topk undefined.
  if (name == "topk" && !AttributeOf(graph, node, "sorted").flag()) return false;
  if (shape.rank() == 0) return false;
  if (name == "sort" || name == "argsort" || name == "topk") return true;
  // In a long row a single element is found faster digit by digit.
  const std::int64_t length =
      name == "median" ? shape.Elements() : shape[DimensionOf(graph, node, "dim", shape.rank())];
  return (name == "kthvalue" || name == "median" || name == "median_dim") &&
         length <= kLongestCounted;
}

template <bool kTiled>
GroupCode WriteRanks(GroupScope* scope) {
  const Node& node = scope->head();
  const OperatorGraph& graph = scope->graph();
  const std::string_view op = node.op->name;
  const ValueId input = graph.operands(node)[0];
  const TensorType& type = scope->TypeOf(input);
  const int rank = type.shape.rank();
  const bool all = op == "median";
  const RowGeometry geometry =
      GeometryOf(scope, input,
                 all ? DimensionsOf(Attribute(), rank)
                     : std::vector<int>{DimensionOf(graph, node, "dim", rank)});
  const bool descending =
      (op == "topk" && AttributeOf(graph, node, "largest").flag()) ||
      ((op == "sort" || op == "argsort") && AttributeOf(graph, node, "descending").flag());
  const bool floating = IsFloating(type.dtype);
  // NaN is ordered after all numbers.
  const std::string u = descending ? "value" : "other", v = descending ? "other" : "value";
  const std::string before =
      floating ? u + " < " + v + " || (" + v + " != " + v + " && " + u + " == " + u + ")"
               : u + " < " + v;
  const std::string equal =
      floating ? "(other == value || (other != other && value != value))" : "other == value";
  const bool one = op == "kthvalue" || op == "median" || op == "median_dim";
  // The median of numbers with a NaN is NaN, which is ordered last.
  const bool may_be_nan = one && op != "kthvalue" && floating;
  std::string test, place = "row";
  if (op == "topk") {
    const std::string k = scope->IntegerAttribute(node, "k");
    test = "place < " + k;
    place = geometry.inner == "1" ? "row * " + k + " + place"
                                  : "(row / " + geometry.inner + " * " + k + " + place) * " +
                                        geometry.inner + " + row % " + geometry.inner;
  } else if (op == "kthvalue") {
    test = "place + 1 == " + scope->IntegerAttribute(node, "k");
  } else if (one) {
    test = "place == " + std::string(may_be_nan ? "(nan ? " + geometry.length + " - 1 : " : "") +
           "(" + geometry.length + " - 1) / 2" + (may_be_nan ? ")" : "");
  } else {
    place = geometry.inner == "1"
                ? "row * " + geometry.length + " + place"
                : "(row / " + geometry.inner + " * " + geometry.length + " + place) * " +
                      geometry.inner + " + row % " + geometry.inner;
  }
  std::string store;
  for (int r = 0; r < node.result_count; ++r) {
    const ValueId id = node.first_result + r;
    if (!scope->IsOutput(id)) continue;
    const bool index = r == 1 || op == "argsort";
    store += scope->TensorName(id) + "[" + place +
             "] = " + (index ? std::string("k") : scope->TensorName(input) + "[at]") + ";\n";
  }
  if (!test.empty())
    store = "if (" + test + ") {\n  " + FillHoles("@store@", {{"store", store}}) + "}\n";
  const auto load = [&](const std::string& position) {
    return ToComputeType(type.dtype, scope->TensorName(input) + '[' + position + ']');
  };
  std::string other = geometry.Position();
  for (std::size_t at = 0; at < other.size(); ++at) {
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if (other[at] == 'k' && (at == 0 || !is_name(other[at - 1])) &&
        (at + 1 == other.size() || !is_name(other[at + 1])))
      other[at] = 'j';
  }
  const std::string name = scope->function() + "_kernel";
  const std::string base = geometry.Base(*scope);
  // Threads are in memory order, so that reads are coalesced.
  const std::string& inner = geometry.inner;
  const std::string type_of = "const " + scope->index() + ' ';
  const std::string which =
      geometry.layout == RowGeometry::Layout::kMiddle
          ? type_of + "row = i / (" + geometry.length + " * " + inner + ") * " + inner + " + i % " +
                inner + ";\n" + type_of + "k = i / " + inner + " % " + geometry.length + ";\n"
          : type_of + "row = i / " + geometry.length + ", k = i % " + geometry.length + ";\n";
  const Holes holes = {{"index", scope->index()},
                       {"block", scope->InIndexType("blockIdx.x")},
                       {"length", geometry.length},
                       {"base", base},
                       {"position", geometry.Position()},
                       {"which", which},
                       {"type", scope->Scalar(input).compute},
                       {"load", load("at")},
                       {"other", load(other)},
                       {"before", before},
                       {"equal", equal},
                       {"nan", may_be_nan ? "bool nan = false;\n" : ""},
                       {"look", may_be_nan ? "nan = nan || other != other;\n" : ""},
                       {"store", store}};
  const std::string body = kTiled ? FillHoles(R"(
__shared__ @type@ tile[256];
const @index@ row = blockIdx.x, k = blockIdx.y * 256 + threadIdx.x;
@base@
const bool inside = k < @length@;
const @index@ at = @position@;
@type@ value = 0;
if (inside) value = @load@;
@index@ place = 0;
@nan@
for (@index@ first = 0; first < @length@; first += 256) {
  const @index@ j = first + threadIdx.x;
  if (j < @length@) tile[threadIdx.x] = @other@;
  __syncthreads();
  const int here = @length@ - first < 256 ? @length@ - first : 256;
  for (int i = 0; i < here; ++i) {
    const @type@ other = tile[i];
    @look@
    // Equal ones stay in their order.
    if (@before@ || (@equal@ && first + i < k)) ++place;
  }
  __syncthreads();
}
if (inside) {
  @store@
}
)",
                                              holes)
                                  : FillHoles(R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= count) return;
@which@
@base@
const @index@ at = @position@;
const @type@ value = @load@;
@index@ place = 0;
@nan@
for (@index@ j = 0; j < @length@; ++j) {
  const @type@ other = @other@;
  @look@
  // Equal ones stay in their order.
  if (@before@ || (@equal@ && j < k)) ++place;
}
@store@
)",
                                              holes);
  if (!kTiled) {
    scope->AddHostValue(scope->index(), "count", scope->TensorName(input) + ".numel()");
  }
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      "Computes " + std::string(op) +
          (kTiled
               ? ": a block takes 256 elements of one row, which meet the row in tiles of shared "
                 "memory, count those that come before them and write themselves to their places."
               : ": one thread per element, which counts those that come before it and writes "
                 "itself to its place."),
      body);
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs =
      kTiled ? "const dim3 blocks(" + geometry.rows + ", (" +
                   GroupScope::Parenthesized(geometry.length) + " + 255) / 256);\n" +
                   WriteLaunch(*scope, name, kernel, "blocks", "256")
             : "const int threads = 256;\n" +
                   WriteLaunch(*scope, name, kernel, "(count + threads - 1) / threads", "threads");
  code.plan.kernels = {name};
  code.plan.threads = 256;
  code.plan.index_type = scope->index();
  code.plan.grid = kTiled ? "(rows, (length + 255) / 256)" : "(count + 255) / 256";
  code.plan.mapping =
      kTiled
          ? "thread t of block (r, y) takes element 256y + t of row r, compares it with the row, "
            "tile by tile, and writes it to the place that it has counted"
          : "thread i takes element k of row r, compares it with every element of the row and "
            "writes it to the place that it has counted";
  code.plan.reasons.push_back({"counting instead of exchanging",
                               "it needs no barriers and works for any length; the work grows "
                               "with the square of the row length, so this suits short rows"});
  if (kTiled) {
    code.plan.shared_bytes = 256 * 4;
    code.plan.reasons.push_back({"tiles of the row in shared memory",
                                 "the elements that 256 threads compare with are read from "
                                 "global memory once"});
  }
  return code;
}

}  // namespace

void AddRankStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"place_by_counting", "each element counts those before it", IsSort, WriteRanks<false>});
  strategies->push_back(
      {"place_by_tiles", "the row passes through shared memory", IsSort, WriteRanks<true>});
}

}  // namespace kernelmill
