// Scatters with one thread per source element and atomics for elements that several threads write.
// The alternative, a search of the whole index for each element (programs/gather.cc), needs no
// atomics but is slow.
#include "generators/lowering/atomic_functions.h"
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

// How source elements with the same target are combined.
enum class Combination { kLast, kSum, kMean, kProduct, kLargest, kLeast };

struct ScatterUse {
  Combination combination;
  bool self = true;     // include_self: the previous element takes part.
  bool by_row = false;  // The index has one dimension, as in index_add and index_copy.
};

std::optional<ScatterUse> ScatterOf(const OperatorGraph& graph, const Node& node) {
  const std::string_view name = node.op->name;
  const auto operands = graph.operands(node);
  ScatterUse use;
  if (name == "scatter" || name == "scatter_value" || name == "index_copy" ||
      name == "index_fill") {
    use.combination = Combination::kLast;
  } else if (name == "scatter_add" || name == "index_add") {
    use.combination = Combination::kSum;
  } else if (name == "scatter_reduce") {
    static constexpr Combination kOf[] = {Combination::kSum, Combination::kProduct,
                                          Combination::kMean, Combination::kLargest,
                                          Combination::kLeast};
    use.combination = kOf[AttributeOf(graph, node, "reduce").choice()];
    use.self = AttributeOf(graph, node, "include_self").flag();
  } else {
    return std::nullopt;
  }
  use.by_row = name.starts_with("index_");
  const TensorType& type = graph.value(operands[0]).type;
  const int index_rank = graph.value(operands[1]).type.shape.rank();
  if (type.shape.rank() == 0 || index_rank != (use.by_row ? 1 : type.shape.rank())) {
    return std::nullopt;
  }
  if (use.combination == Combination::kLast) return use;
  // Integer means, and integer reductions without the previous value, would need more code and are
  // rarely used.
  const bool floating = IsFloating(type.dtype);
  if (type.dtype == DType::kBool) return std::nullopt;
  if (!floating && (use.combination == Combination::kMean || !use.self)) return std::nullopt;
  // Compare-and-swap loops are written only for 32-bit types.
  const bool on_bits = use.combination == Combination::kLargest ||
                       use.combination == Combination::kLeast ||
                       use.combination == Combination::kProduct;
  const bool wide = type.dtype == DType::kFloat64 || type.dtype == DType::kInt64;
  if (on_bits && wide) return std::nullopt;
  return use;
}

// A buffer with one element per element of the result, in which source elements are combined.
struct Buffer {
  std::string name, type, dtype;  // "sums", "float", "torch::kFloat32"

  LaunchParameter Parameter(bool constant) const {
    return {std::string(constant ? "const " : "") + type + "* __restrict__", name,
            name + ".data_ptr<" + type + ">()"};
  }
};

class ScatterKernels {
 public:
  ScatterKernels(GroupScope* scope, const ScatterUse& use)
      : scope_(*scope),
        use_(use),
        node_(scope->head()),
        operands_(scope->graph().operands(node_)),
        dtype_(scope->TypeOf(node_.first_result).dtype),
        writer_(scope) {
    scope->UseStridesOfViews();
    dim_ = DimensionOf(scope->graph(), node_, "dim", scope->TypeOf(operands_[0]).shape.rank());
    n_ = scope->AddHostValue(scope->index(), "n", Out() + ".numel()");
    // The tensor whose elements the threads enumerate: the index or, if the index selects rows, the
    // source.
    enumerated_ =
        use_.by_row && use_.combination != Combination::kLast ? operands_[2] : operands_[1];
    updates_ =
        scope->AddHostValue(scope->index(), "updates", scope->TensorName(enumerated_) + ".numel()");
  }

  GroupCode WriteLast();
  GroupCode WriteCombined();

 private:
  std::string Out() const { return scope_.TensorName(scope_.group().outputs[0]); }
  std::string Read(ValueId id, const Coordinates& at) {
    return ToComputeType(scope_.TypeOf(id).dtype,
                         scope_.TensorName(id) + '[' + writer_.Offset(id, at) + ']');
  }
  std::string Read(ValueId id, const Axes& axes) {
    return Read(id, Coordinates{axes, scope_.Sizes(id), ""});
  }
  // The row-major offset in the result.
  std::string Offset(const Axes& axes) {
    return writer_.Offset(node_.first_result, {axes, scope_.Sizes(node_.first_result), ""});
  }
  Holes CommonHoles() const {
    return {{"index", scope_.index()}, {"n", n_}, {"updates", updates_}};
  }
  // One thread per element, for `count` elements.
  std::string Frame(const std::string& count, const std::string& body) const {
    return FillHoles(R"(
const @index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= @count@) return;
@body@
)",
                     {{"index", scope_.index()},
                      {"block", scope_.InIndexType("blockIdx.x")},
                      {"count", count},
                      {"body", body}});
  }
  // The body of a thread for each source element. `update` uses `place`, the target's coordinate
  // along the indexed dimension; `at` has the coordinates of the source element.
  std::string UpdateBody(const Coordinates& at, const std::string& update) {
    const bool of_row = enumerated_ != operands_[1];
    const std::string body =
        "const " + scope_.index() +
        " place = " + (of_row ? Read(operands_[1], Axes{at.axes[dim_]}) : Read(operands_[1], at)) +
        ";\n" + update;
    return Frame(updates_, scope_.AxisDeclarations(at, body) + body);
  }
  std::string Launch(const std::string& name, const WrittenKernel& kernel,
                     const std::string& count) const {
    return WriteLaunch(scope_, name, kernel, "(" + count + " + threads - 1) / threads", "threads");
  }
  // The index may be empty, but a grid must have a block.
  std::string LaunchUpdates(const std::string& name, const WrittenKernel& kernel) const {
    return FillHoles("if (@updates@ > 0) {\n  @launch@\n}\n",
                     {{"updates", updates_}, {"launch", Launch(name, kernel, updates_)}});
  }
  CallPlan Plan(std::vector<std::string> kernels, const std::string& grid) const {
    CallPlan plan;
    plan.kernels = std::move(kernels);
    plan.threads = 256;
    plan.index_type = scope_.index();
    plan.grid = grid;
    return plan;
  }
  std::string Operators() const { return OperatorsInWords(scope_.graph(), scope_.group()); }

  GroupScope& scope_;
  const ScatterUse use_;
  const Node& node_;
  std::span<const ValueId> operands_;
  DType dtype_;
  ElementWriter writer_;
  int dim_ = 0;
  ValueId enumerated_ = kAbsent;
  std::string n_, updates_;
};

GroupCode ScatterKernels::WriteLast() {
  const std::string last = scope_.Unique("last");
  const std::string mark_name = scope_.function() + "_last_kernel",
                    name = scope_.function() + "_kernel";
  const Axes sizes = scope_.Sizes(node_.first_result);
  const Coordinates from = scope_.At(scope_.Sizes(operands_[1]), "i");
  Axes to = from.axes;
  const std::string along = use_.by_row ? "i" : from.axes[dim_];
  if (!use_.by_row) to[dim_] = "place";
  const std::string order = scope_.index() == "int" ? along : "static_cast<int>(" + along + ")";
  const LaunchParameter marks = {"int* __restrict__", last, last + ".data_ptr<int>()"};
  const WrittenKernel mark = WriteKernel(
      scope_, mark_name,
      "First half of " + Operators() +
          ": notes for each place which source element, the last of several, comes to it.",
      UpdateBody(from, "atomicMax(&" + last + '[' + (use_.by_row ? "place" : Offset(to)) + "], " +
                           order + ");\n"),
      {marks});

  const Coordinates at = scope_.At(sizes, "i");
  Axes source = at.axes;
  source[dim_] = "landed";
  const std::string type = scope_.Scalar(node_.first_result).compute;
  const bool number = operands_.size() < 3;
  const std::string value =
      number ? Literal(AttributeOf(scope_.graph(), node_, "value").number(), dtype_)
             : Read(operands_[2], source);
  const std::string read = "const int landed = " + last + '[' +
                           (use_.by_row ? at.axes[dim_] : std::string("i")) + "];\nconst " + type +
                           " result = landed < 0 ? " + Read(operands_[0], at) + " : " + value +
                           ";\n";
  ElementWriter stores(&scope_);
  stores.DefineResult(node_.first_result, at, "result");
  for (const ValueId id : scope_.group().outputs) stores.Store(id, at);
  const std::string body = read + stores.code();
  LaunchParameter noted = marks;
  noted.type = "const int* __restrict__";
  const WrittenKernel kernel = WriteKernel(
      scope_, name,
      "Second half of " + Operators() +
          ": one thread per element of the result, which takes what came to it, if anything did.",
      Frame(n_, scope_.AxisDeclarations(at, body) + body), {noted});
  GroupCode code;
  code.definitions = {mark.definition, kernel.definition};
  code.after_outputs =
      FillHoles(R"(
const int threads = 256;
// Of every place the last source element that comes to it; -1 for none.
auto @last@ = torch::full({@places@}, -1, @out@.options().dtype(torch::kInt32));
)",
                {{"last", last}, {"places", use_.by_row ? sizes[dim_] : n_}, {"out", Out()}}) +
      LaunchUpdates(mark_name, mark) + Launch(name, kernel, n_);
  code.plan = Plan({mark_name, name}, "(updates + 255) / 256, then (n + 255) / 256");
  code.plan.mapping =
      "thread i of the first kernel takes entry i of the index and notes its number at the place "
      "that it names; thread i of the second computes element i of the result from what is noted";
  code.plan.reasons.push_back({"numbers instead of values",
                               "when an index occurs twice, the largest number wins in any order "
                               "of the threads, so the result is the same in every run"});
  code.plan.reasons.push_back({"two launches",
                               "each launch reads its part once; searching the index for every "
                               "output element would read the index as often as there are "
                               "elements"});
  return code;
}

GroupCode ScatterKernels::WriteCombined() {
  const bool floating = IsFloating(dtype_);
  const bool extreme =
      use_.combination == Combination::kLargest || use_.combination == Combination::kLeast;
  const bool largest = use_.combination == Combination::kLargest;
  const bool product = use_.combination == Combination::kProduct;
  const bool counted = use_.combination == Combination::kMean || (!use_.self && !extreme);
  // Atomics exist for 32 and 64 bits; narrower types are combined in a wider buffer.
  const bool as_float = floating && dtype_ != DType::kFloat64 && !extreme;
  const DType met = as_float                    ? DType::kFloat32
                    : dtype_ == DType::kFloat64 ? DType::kFloat64
                    : dtype_ == DType::kInt64   ? DType::kInt64
                                                : DType::kInt32;
  const ScalarName scalar = scope_.Scalar(met);
  const std::string type = scope_.Scalar(node_.first_result).compute;
  // If the result's own type has atomics, no separate buffer is needed.
  const bool direct =
      met == dtype_ && !counted && !(extreme && floating) && scope_.group().nodes.size() == 1;
  const Buffer buffer = {direct ? Out() : scope_.Unique(extreme ? "keys" : "sums"), scalar.storage,
                         scalar.dtype};
  const Buffer counts = {scope_.Unique("landed"), "int", "torch::kInt32"};
  const std::string start_name = scope_.function() + "_start_kernel",
                    update_name = scope_.function() + "_update_kernel",
                    end_name = scope_.function() + "_end_kernel";
  const std::string key = scope_.function() + "_key", value_of = scope_.function() + "_value",
                    multiply = scope_.function() + "_multiply";
  const bool keys = extreme && floating;
  const auto put = [&](const std::string& value) {
    if (keys) return key + '(' + value + ')';
    return scope_.Scalar(dtype_).compute == scalar.compute
               ? value
               : "static_cast<" + scalar.compute + ">(" + value + ')';
  };

  GroupCode code;
  code.after_outputs = "const int threads = 256;\n";
  if (keys) {
    code.definitions = AtomicKeys(key, value_of, largest);
  }
  if (product) {
    code.definitions = {AtomicProduct(multiply, floating)};
  }
  if (!direct) {
    code.after_outputs += "auto " + buffer.name + " = torch::empty({" + n_ + "}, " + Out() +
                          ".options().dtype(" + buffer.dtype + "));\n";
  }
  if (counted) {
    code.after_outputs += "// How many have come to each place.\nauto " + counts.name +
                          " = torch::zeros({" + n_ + "}, " + Out() +
                          ".options().dtype(torch::kInt32));\n";
  }

  // The element before anything is scattered to it.
  const Coordinates at = scope_.At(scope_.Sizes(node_.first_result), "i");
  const std::string first = Read(operands_[0], at);
  const std::string nothing = extreme   ? (largest ? "-0x7fffffff - 1" : "0x7fffffff")
                              : product ? Literal(1, met)
                                        : Literal(0, met);
  std::string body = buffer.name + "[i] = " + (use_.self ? put(first) : nothing) + ";\n";
  std::vector<LaunchParameter> extra;
  if (!direct) extra.push_back(buffer.Parameter(false));
  const WrittenKernel start =
      WriteKernel(scope_, start_name,
                  "First part of " + Operators() +
                      (use_.self ? ": what is there before anything lands, one thread per element."
                                 : ": nothing has landed yet, one thread per element."),
                  Frame(n_, scope_.AxisDeclarations(at, body) + body), extra);
  code.definitions.push_back(start.definition);
  code.after_outputs += Launch(start_name, start, n_);

  const Coordinates from = scope_.At(scope_.Sizes(enumerated_), "i");
  Axes to = from.axes;
  to[dim_] = "place";
  const bool same = enumerated_ == operands_[2];
  const std::string source = put(same ? Read(operands_[2], from) : Read(operands_[2], from.axes));
  const std::string address = "&" + buffer.name + "[to]";
  std::string update =
      extreme   ? (largest ? "atomicMax(" : "atomicMin(") + address + ", " + source + ");\n"
      : product ? multiply + '(' + address + ", " + source + ");\n"
      // atomicAdd has an unsigned 64-bit form, which gives the same bits as a signed one.
      : met == DType::kInt64 ? "atomicAdd(reinterpret_cast<unsigned long long*>(" + address +
                                   "), static_cast<unsigned long long>(" + source + "));\n"
                             : "atomicAdd(" + address + ", " + source + ");\n";
  if (counted) update += "atomicAdd(&" + counts.name + "[to], 1);\n";
  std::vector<LaunchParameter> extended = extra;
  if (counted) extended.push_back(counts.Parameter(false));
  const WrittenKernel updates = WriteKernel(
      scope_, update_name,
      "Second part of " + Operators() +
          ": one thread per source element, which goes where the index says. Several may meet "
          "there.",
      UpdateBody(from, "const " + scope_.index() + " to = " + Offset(to) + ";\n" + update),
      extended);
  code.definitions.push_back(updates.definition);
  code.after_outputs += LaunchUpdates(update_name, updates);
  code.plan = Plan({start_name, update_name}, "(n + 255) / 256, then (updates + 255) / 256");
  code.plan.mapping =
      "thread i of the first kernel writes what element i of the result starts from; thread i of "
      "the second takes source element i and " +
      std::string(product   ? "multiplies it in by compare-and-swap"
                  : extreme ? "compares it by an atomic"
                            : "adds it by an atomic") +
      " where its index says";

  if (!direct) {
    const std::string held = buffer.name + "[i]";
    std::string result = keys ? value_of + '(' + held + ')' : held;
    if (type != scalar.compute && !keys) result = "static_cast<" + type + ">(" + result + ')';
    if (use_.combination == Combination::kMean) {
      result += " / static_cast<" + type + ">(" + counts.name + "[i]" + (use_.self ? " + 1)" : ")");
    }
    // An element that nothing is scattered to keeps its value.
    if (!use_.self) {
      result = (extreme ? held + " == " + nothing : counts.name + "[i] == 0") + " ? " + first +
               " : " + result;
    }
    ElementWriter stores(&scope_);
    stores.DefineResult(node_.first_result, at, "result");
    for (const ValueId id : scope_.group().outputs) stores.Store(id, at);
    const std::string ending = "const " + type + " result = " + result + ";\n" + stores.code();
    std::vector<LaunchParameter> read = {buffer.Parameter(true)};
    if (counted) read.push_back(counts.Parameter(true));
    const WrittenKernel end = WriteKernel(
        scope_, end_name,
        "Third part of " + Operators() + ": makes results of what has met, one thread per element.",
        Frame(n_, scope_.AxisDeclarations(at, ending) + ending), read);
    code.definitions.push_back(end.definition);
    code.after_outputs += Launch(end_name, end, n_);
    code.plan.kernels.push_back(end_name);
    code.plan.grid += ", then (n + 255) / 256";
    code.plan.mapping += "; thread i of the third makes element i of the result of that";
  }
  code.plan.reasons.push_back({"a thread for each source element",
                               "input and source are read once; searching the index for every "
                               "output element would read it as often as there are elements"});
  code.plan.reasons.push_back({"atomics",
                               "an index can occur several times, so several threads can update "
                               "the same element; their order is not defined, so the last bits "
                               "of sums may differ"});
  if (met != dtype_ && !extreme) {
    code.plan.reasons.push_back({"a wider buffer",
                                 "values of a narrow type are then rounded once at the end "
                                 "instead of at every addition"});
  }
  return code;
}

template <bool kLast>
bool Fits(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0) return false;
  const std::optional<ScatterUse> use = ScatterOf(graph, graph.nodes()[group.head]);
  return use && (use->combination == Combination::kLast) == kLast;
}

GroupCode WriteLast(GroupScope* scope) {
  return ScatterKernels(scope, *ScatterOf(scope->graph(), scope->head())).WriteLast();
}

GroupCode WriteCombined(GroupScope* scope) {
  return ScatterKernels(scope, *ScatterOf(scope->graph(), scope->head())).WriteCombined();
}

}  // namespace

void AddScatterStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"scatter_in_order", "the last that names a place", Fits<true>, WriteLast});
  strategies->push_back(
      {"scatter_by_atomics", "what names one place meets in atomics", Fits<false>, WriteCombined});
}

}  // namespace kernelmill
