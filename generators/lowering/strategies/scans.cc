// Strategies for scans, in which every element of a row depends on all before it.
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

// The state of a part of a row, and how the states of two adjacent parts are combined.
struct ScanState {
  std::string fields, empty, of, then;
  std::vector<std::string> results;
  std::string steps = {};  // Statements before `then`.
};

std::optional<ScanState> StateOf(const GroupScope& scope) {
  const Node& node = scope.head();
  const std::string_view name = node.op->name;
  const std::string type = scope.Scalar(node.first_result).compute;
  const DType from = scope.TypeOf(scope.graph().operands(node)[0]).dtype;
  if (name == "cumsum")
    return ScanState{type + " total;",
                     "0",
                     "static_cast<" + type + ">(value)",
                     "total + right.total",
                     {"total"}};
  if (name == "cumprod")
    return ScanState{type + " total;",
                     "1",
                     "static_cast<" + type + ">(value)",
                     "total * right.total",
                     {"total"}};
  if (name == "logcumsumexp" && type == "float") {
    return ScanState{"float largest;\nfloat total;",
                     "-INFINITY, 0.0f",
                     "value, 1.0f",
                     "most, left + rest",
                     {"largest + logf(total)"},
                     "if (total == 0.0f) return right;\n"
                     "if (right.total == 0.0f) return *this;\n"
                     "const float most = fmaxf(largest, right.largest);\n"
                     "// Infinities have no difference.\n"
                     "const float left = largest == most ? total : total * expf(largest - most);\n"
                     "const float rest =\n"
                     "    right.largest == most ? right.total\n"
                     "                          : right.total * expf(right.largest - most);\n"};
  }
  if (name == "cummax" || name == "cummin") {
    // The last of equal elements, and NaN from the first NaN on.
    const std::string sign = name == "cummax" ? ">=" : "<=";
    const std::string beats = "right.best " + sign + " best";
    return ScanState{
        type + " best;\nint64_t index;",
        "0, -1",
        "value, k",
        "later ? right.best : best, later ? right.index : index",
        {"best", "index"},
        IsFloating(from)
            ? "const bool beats = right.best != right.best || (best == best && " + beats +
                  ");\n"
                  "const bool later = right.index >= 0 && (index < 0 || beats);\n"
            : "const bool later = right.index >= 0 && (index < 0 || " + beats + ");\n"};
  }
  return std::nullopt;
}

bool IsScan(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || graph.nodes()[group.head].op->family != OperatorFamily::kScan) return false;
  const Node& node = graph.nodes()[group.head];
  if (graph.value(node.first_result).type.shape.rank() == 0) return false;
  const std::vector<std::string> names(graph.values().size());
  const GroupScope scope(graph, group, kCudaBackend, names, "");
  return StateOf(scope).has_value();
}

// The longest row for one thread. A longer one would keep a single thread busy too long, and serial
// sums of so many elements lose accuracy.
constexpr std::int64_t kLongestSerial = 1 << 15;

bool IsSerialScan(const OperatorGraph& graph, const FusionGroup& group) {
  if (!IsScan(graph, group)) return false;
  const Node& node = graph.nodes()[group.head];
  const Shape& shape = graph.value(graph.operands(node)[0]).type.shape;
  return shape[DimensionOf(graph, node, "dim", shape.rank())] <= kLongestSerial;
}

// Whether rows are adjacent columns in memory, so that one thread per row reads coalesced.
bool HasManyColumns(const OperatorGraph& graph, const FusionGroup& group) {
  if (!IsSerialScan(graph, group)) return false;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, kCudaBackend, names, "");
  const ValueId input = graph.operands(scope.head())[0];
  const int rank = graph.value(input).type.shape.rank();
  return GeometryOf(&scope, input, {DimensionOf(graph, scope.head(), "dim", rank)})
      .HasManyColumns();
}

struct ScanText {
  Holes holes;

  explicit ScanText(GroupScope* scope) {
    const Node& node = scope->head();
    const ValueId input = scope->graph().operands(node)[0];
    const int rank = scope->TypeOf(input).shape.rank();
    const RowGeometry geometry =
        GeometryOf(scope, input, {DimensionOf(scope->graph(), node, "dim", rank)});
    const ScanState state = *StateOf(*scope);
    const Coordinates at = scope->At(scope->Sizes(node.first_result), "at");
    ElementWriter writer(scope);
    std::string results;
    for (std::size_t r = 0; r < state.results.size(); ++r) {
      const ValueId id = node.first_result + static_cast<ValueId>(r);
      const std::string name = r == 0 ? "result" : "place";
      std::string value = state.results[r];
      for (const std::string field : {"largest", "total", "best", "index"}) {
        for (std::size_t found = value.find(field); found != value.npos;
             found = value.find(field, found + field.size() + 5)) {
          value.insert(found, "done.");
        }
      }
      if (scope->IsOutput(id) || r == 0)
        results += "const " + scope->Scalar(id).compute + ' ' + name + " = " + value + ";\n";
      writer.DefineResult(id, at, name);
    }
    for (const ValueId id : scope->group().outputs) writer.Store(id, at);
    holes = {{"index", scope->index()},
             {"block", scope->InIndexType("blockIdx.x")},
             {"rows", geometry.rows},
             {"length", geometry.length},
             {"base", geometry.Base(*scope)},
             {"position", geometry.Position()},
             {"fields", state.fields},
             {"empty", state.empty},
             {"of", state.of},
             {"k_parameter", UsesName(state.of, "k") ? ", int64_t k" : ""},
             {"k", UsesName(state.of, "k") ? ", k" : ""},
             {"steps", state.steps},
             {"then", state.then},
             {"type", scope->Scalar(input).compute},
             {"load", ToComputeType(scope->TypeOf(input).dtype, scope->TensorName(input) + "[at]")},
             {"store", results + WithAxes(*scope, at, writer)}};
    definition = FillHoles(R"(
// What a part of a row comes to; then() puts the next part behind it.
struct Part {
  @fields@

  static __device__ Part empty() { return {@empty@}; }
  static __device__ Part of(@type@ value@k_parameter@) { return {@of@}; }
  __device__ Part then(const Part& right) const {
    @steps@
    return {@then@};
  }
};
)",
                           holes);
  }
  std::string definition;
};

CallPlan PlanOf(const GroupScope& scope, const std::string& kernel) {
  CallPlan plan;
  plan.kernels = {kernel};
  plan.index_type = scope.index();
  return plan;
}

// Puts the kernel's name into that of the struct, because an answer may have several kinds of
// scans.
std::string Named(const GroupScope& scope, std::string text) {
  const std::string name = scope.function() + "_part";
  for (std::size_t at = text.find("Part"); at != text.npos;
       at = text.find("Part", at + name.size())) {
    text.replace(at, 4, name);
  }
  return text;
}

template <bool kColumns>
GroupCode WriteSerial(GroupScope* scope) {
  const ScanText text(scope);
  const std::string name = scope->function() + "_kernel";
  const std::string body = Named(*scope, FillHoles(R"(
const @index@ row = @block@ * blockDim.x + threadIdx.x;
if (row >= @rows@) return;
@base@
Part done = Part::empty();
for (@index@ k = 0; k < @length@; ++k) {
  const @index@ at = @position@;
  const @type@ value = @load@;
  done = done.then(Part::of(value@k@));
  @store@
}
)",
                                                   text.holes));
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + OperatorsInWords(scope->graph(), scope->group()) +
                      ": one thread per row, from end to end.",
                  body);
  GroupCode code;
  code.definitions = {{scope->function() + "_part", Named(*scope, text.definition)},
                      kernel.definition};
  code.after_outputs =
      FillHoles("const int threads = 128;\nconst int blocks = (@rows@ + threads - 1) / threads;\n",
                text.holes) +
      WriteLaunch(*scope, name, kernel, "blocks", "threads");
  code.plan = PlanOf(*scope, name);
  code.plan.threads = 128;
  code.plan.grid = "(rows + 127) / 128";
  code.plan.mapping = "thread r goes along row r and keeps what it has seen in registers";
  if (kColumns) {
    code.plan.reasons.push_back({"a thread a row",
                                 "corresponding elements of neighbouring rows are adjacent in "
                                 "memory, so the accesses of neighbouring threads are coalesced"});
  } else {
    code.plan.reasons.push_back({"no cooperation",
                                 "every element is read once and written once and nothing has to "
                                 "be combined, which is enough for many rows"});
  }
  return code;
}

// The number of consecutive elements per thread. More elements mean fewer steps with barriers,
// which are expensive in a long row.
int ItemsOf(const GroupScope& scope) {
  constexpr std::int64_t kLong = 1024;
  const ValueId input = scope.graph().operands(scope.head())[0];
  const Shape& shape = scope.TypeOf(input).shape;
  return shape[DimensionOf(scope.graph(), scope.head(), "dim", shape.rank())] >= kLong ? 4 : 1;
}

GroupCode WriteBlock(GroupScope* scope) {
  ScanText text(scope);
  const int items = ItemsOf(*scope);
  const std::string name = scope->function() + "_kernel", piece = std::to_string(256 * items);
  text.holes["piece"] = piece;
  text.holes["items"] = std::to_string(items);
  text.holes["own"] = FillHoles(items == 1 ? R"(
const @index@ k = k0 + threadIdx.x;
const @index@ at = @position@;
Part mine = Part::empty();
if (k < @length@) {
  const @type@ value = @load@;
  mine = Part::of(value@k@);
}
)"
                                           : R"(
// @items@ neighbouring elements per thread, and what all of them up to each come to.
Part up_to[@items@];
Part mine = Part::empty();
for (int i = 0; i < @items@; ++i) {
  const @index@ k = k0 + threadIdx.x * @items@ + i;
  if (k < @length@) {
    const @index@ at = @position@;
    const @type@ value = @load@;
    mine = mine.then(Part::of(value@k@));
  }
  up_to[i] = mine;
}
)",
                                text.holes);
  text.holes["stores"] = FillHoles(items == 1 ? R"(
const Part done = carry.then(mine);
if (k < @length@) {
  @store@
}
)"
                                              : R"(
Part before = carry;
if (threadIdx.x > 0) before = carry.then(scratch[threadIdx.x - 1]);
for (int i = 0; i < @items@; ++i) {
  const @index@ k = k0 + threadIdx.x * @items@ + i;
  if (k < @length@) {
    const @index@ at = @position@;
    const Part done = before.then(up_to[i]);
    @store@
  }
}
)",
                                   text.holes);
  const std::string body = Named(*scope, FillHoles(R"(
__shared__ Part scratch[256];
const @index@ row = blockIdx.x;
@base@
Part carry = Part::empty();  // All that lies before this piece of the row.
for (@index@ k0 = 0; k0 < @length@; k0 += @piece@) {
  @own@
  scratch[threadIdx.x] = mine;
  __syncthreads();
  // After each step a thread holds those of twice as many threads that end with its own.
  for (int reach = 1; reach < 256; reach *= 2) {
    Part left = Part::empty();
    if (threadIdx.x >= reach) left = scratch[threadIdx.x - reach];
    __syncthreads();
    mine = left.then(mine);
    scratch[threadIdx.x] = mine;
    __syncthreads();
  }
  @stores@
  carry = carry.then(scratch[255]);
  __syncthreads();
}
)",
                                                   text.holes));
  const WrittenKernel kernel =
      WriteKernel(*scope, name,
                  "Computes " + OperatorsInWords(scope->graph(), scope->group()) +
                      ": one block per row, in pieces of " + piece +
                      " elements that are scanned in eight steps.",
                  body);
  GroupCode code;
  code.definitions = {{scope->function() + "_part", Named(*scope, text.definition)},
                      kernel.definition};
  code.after_outputs = "const int threads = 256;\n" +
                       WriteLaunch(*scope, name, kernel, text.holes.at("rows"), "threads");
  code.plan = PlanOf(*scope, name);
  code.plan.threads = 256;
  code.plan.grid = "rows";
  code.plan.shared_bytes = 256 * 8;
  code.plan.mapping = "block r takes row r in pieces of " + piece + " elements, " +
                      (items == 1 ? "thread t element t of each"
                                  : "thread t the elements from " + std::to_string(items) +
                                        "t on, which it adds up alone") +
                      "; eight steps in shared memory make the prefixes of a piece, and a carry "
                      "joins the pieces";
  code.plan.reasons.push_back({"a scan by doubling",
                               "it takes log2(256) steps instead of 256, at the price of more "
                               "additions"});
  if (items > 1) {
    code.plan.reasons.push_back({"several elements a thread",
                                 "the same number of barriers then serves more elements, so a "
                                 "long row needs fewer of them"});
  }
  return code;
}

}  // namespace

void AddScanStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"scan_a_column", "one thread per row of those that lie side by side",
                         HasManyColumns, WriteSerial<true>});
  strategies->push_back(
      {"block_scan", "prefixes by doubling in shared memory", IsScan, WriteBlock});
  strategies->push_back({"serial_scan", "one thread per row", IsSerialScan, WriteSerial<false>});
}

}  // namespace kernelmill
