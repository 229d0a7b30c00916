// Element programs of gathers and scatters.
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

// Wraps negative indices for operators that allow them.
std::string Wrapped(ElementProgram* p, const std::string& value, const std::string& size) {
  p->Line("const int64_t named = " + value + ";");
  return p->Declare("from", "named < 0 ? named + " + size + " : named");
}

bool Gather(ElementProgram* p) {
  const int dim = p->Dimension("dim", p->shape(0).rank());
  if (p->shape(0).rank() == 0 || p->shape(1).rank() != p->shape(0).rank()) return false;
  Axes at_index = p->axes();
  // take_along_dim broadcasts the index.
  for (int d = 0; d < p->shape(1).rank(); ++d) {
    if (p->shape(1)[d] == 1 && p->result_shape()[d] != 1) at_index[d] = "0";
  }
  Axes axes = p->axes();
  for (int d = 0; d < p->shape(0).rank(); ++d) {
    if (d != dim && p->shape(0)[d] == 1 && p->result_shape()[d] != 1) axes[d] = "0";
  }
  axes[dim] = Wrapped(p, p->Read(1, at_index), p->Sizes(0)[dim]);
  p->Result(p->Read(0, axes));
  return true;
}

bool IndexSelect(ElementProgram* p) {
  const int dim = p->Dimension("dim", p->shape(0).rank());
  if (p->shape(0).rank() == 0 || p->shape(1).rank() != 1) return false;
  Axes axes = p->axes();
  axes[dim] = p->Declare("from", p->Read(1, {p->axes()[dim]}));
  p->Result(p->Read(0, axes));
  return true;
}

// x[index] along the first dimension.
bool Index(ElementProgram* p) {
  const int rank = p->shape(1).rank();
  if (p->operands().size() != 2 || p->dtype(1) == DType::kBool || p->shape(0).rank() == 0)
    return false;
  const Axes& at = p->axes();
  Axes axes(at.begin() + rank, at.end());
  axes.insert(axes.begin(),
              Wrapped(p, p->Read(1, {at.begin(), at.begin() + rank}), p->Sizes(0)[0]));
  p->Result(p->Read(0, axes));
  return true;
}

bool Take(ElementProgram* p) {
  const std::string count = p->scope().AddHostValue(
      p->Index(), "elements", p->scope().TensorName(p->operands()[0]) + ".numel()");
  const std::string from = Wrapped(p, p->Read(1, p->axes()), count);
  p->Result(p->ReadFlat(0, from));
  return true;
}

bool Embedding(ElementProgram* p) {
  Axes at = p->axes();
  const std::string column = at.back();
  at.pop_back();
  p->Declare("token", p->Read(0, at));
  p->Result(p->Read(1, {"token", column}));
  return true;
}

// The mean, sum or maximum of the table rows that one bag of tokens selects.
bool EmbeddingBag(ElementProgram* p) {
  const std::string_view mode = p->Choice("mode");
  const std::string count = p->Sizes(0)[1];
  const std::string value = p->Read(1, {p->Read(0, {p->axes()[0], "j"}), p->axes()[1]});
  const std::string loop = "for (" + p->Index() + " j = 0; j < " + count + "; ++j) ";
  if (mode == "max") {
    p->Line("float largest = -INFINITY;");
    p->Line(loop + "largest = fmaxf(largest, " + value + ");");
    p->Result("largest");
    return true;
  }
  p->Line("float sum = 0.0f;");
  p->Line(loop + "sum += " + value + ";");
  p->Result(mode == "mean" ? "sum / static_cast<float>(" + count + ")" : "sum");
  return true;
}

bool OneHot(ElementProgram* p) {
  Axes at = p->axes();
  const std::string column = at.back();
  at.pop_back();
  p->Result(p->Read(0, at) + " == " + column + " ? 1 : 0");
  return true;
}

// Whether operand and index have the same size along `d` at all sizes of the task.
bool AreBound(ElementProgram* p, int d) {
  const Value &x = p->scope().graph().value(p->operands()[0]),
              &index = p->scope().graph().value(p->operands()[1]);
  return x.role == ValueRole::kInput && index.role == ValueRole::kInput &&
         x.variables[d] != kNoVariable && x.variables[d] == index.variables[d];
}

// Each thread loops over the source elements of its line along the dimension and takes those that
// land on its element, in their order. There are no races, so the result is deterministic.
bool Scatter(ElementProgram* p) {
  const std::string_view name = p->name();
  const int rank = p->shape(0).rank();
  const int dim = p->Dimension("dim", rank);
  const bool by_row = name.starts_with("index_");
  if (rank == 0 || (!by_row && p->shape(1).rank() != rank) || (by_row && p->shape(1).rank() != 1))
    return false;
  // The search takes time proportional to elements times indices per line. Beyond this limit only
  // the atomics of scatters.cc are fast enough.
  constexpr std::int64_t kMostSearched = std::int64_t{1} << 28;
  if (p->shape(0).Elements() * p->shape(1)[by_row ? 0 : dim] > kMostSearched) return false;
  const Axes index_sizes = p->Sizes(1);
  const std::string count = by_row ? index_sizes[0] : index_sizes[dim];
  Axes at = p->axes();
  at[dim] = "j";
  std::string outside;
  if (!by_row) {
    for (int d = 0; d < rank; ++d) {
      if (d == dim || AreBound(p, d)) continue;
      outside += (outside.empty() ? "" : " && ") + p->axes()[d] + " < " + index_sizes[d];
    }
  }
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  std::string source, count_line;
  if (name == "scatter_value" || name == "index_fill") {
    source = Literal(p->attribute("value").number(), dtype);
  } else {
    source = p->Read(2, at);
  }
  std::string update = "result = " + source + ";";
  if (name == "scatter_add" || name == "index_add") update = "result += " + source + ";";
  std::string first = p->Read(0, p->axes()), end;
  if (name == "scatter_reduce") {
    const std::string_view kind = p->Choice("reduce");
    const bool mean = kind == "mean", self = p->attribute("include_self").flag();
    if (!IsFloating(dtype) && (mean || !self)) return false;
    const std::string sign = kind == "amax" ? ">" : "<";
    if (kind == "sum" || mean)
      update = "result += " + source + ";";
    else if (kind == "prod")
      update = "result *= " + source + ";";
    else
      update = "{\n    const " + p->ResultType() + " value = " + source + ";\n    if (value " +
               sign + " result" + (IsFloating(dtype) ? " || value != value" : "") +
               ") result = value;\n  }";
    if (mean || !self) {
      p->Line(p->Index() + " found = 0;");
      update = "{\n    ++found;\n    " + update + "\n  }";
    }
    if (!self) {
      // An element that nothing lands on keeps its value.
      end = "if (found == 0) result = " + first + ";\n";
      first = kind == "prod"   ? "1.0f"
              : kind == "amax" ? "-INFINITY"
              : kind == "amin" ? "INFINITY"
                               : "0.0f";
    }
    if (mean)
      end += "if (found > 0) result /= static_cast<float>(found" + std::string(self ? " + 1" : "") +
             ");\n";
  }
  p->Line(p->ResultType() + " result = " + first + ";");
  if (dtype == DType::kBool && name != "scatter" && name != "scatter_value" &&
      name != "index_copy" && name != "index_fill")
    return false;
  const std::string loop = "for (" + p->Index() + " j = 0; j < " + count + "; ++j) {\n  if (" +
                           p->Read(1, by_row ? Axes{"j"} : at) + " == " + p->axes()[dim] + ") " +
                           update + "\n}";
  if (outside.empty()) {
    p->Line(loop);
  } else {
    p->Line("if (" + outside + ") {");
    p->Line(loop + "\n}");
  }
  p->Line(end);
  return true;
}

SymbolicShape SizesOfIndex(GroupScope* scope, const Node& node) {
  return scope->Sizes(scope->graph().operands(node)[1]);
}

SymbolicShape TakenAlongSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  const SymbolicShape of_index = scope->Sizes(operands[1]);
  const int d = DimensionOf(graph, node, "dim", rank);
  const Shape& index = scope->TypeOf(operands[1]).shape;
  for (int i = 0; i < rank; ++i) {
    if (i == d || index[i] != 1) sizes[i] = of_index[i];
  }
  return sizes;
}

SymbolicShape SelectedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  sizes[DimensionOf(graph, node, "dim", rank)] = scope->Sizes(operands[1])[0];
  return sizes;
}

SymbolicShape IndexedSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  const SymbolicShape sizes = scope->Sizes(operands[0]);
  SymbolicShape indexed = scope->Sizes(operands[1]);
  indexed.insert(indexed.end(), sizes.begin() + 1, sizes.end());
  return indexed;
}

SymbolicShape EmbeddingSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  sizes.push_back(scope->Sizes(operands[1])[1]);
  return sizes;
}

SymbolicShape BagSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  return {scope->Sizes(operands[0])[0], scope->Sizes(operands[1])[1]};
}

SymbolicShape OneHotSizes(GroupScope* scope, const Node& node) {
  SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  sizes.push_back(scope->IntegerAttribute(node, "num_classes"));
  return sizes;
}

}  // namespace

void AddGatherPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kNamed = "reads the place that its index names";
  constexpr std::string_view kLands = "looks for the source elements whose index names it";
  for (const ProgramRow& row :
       {ProgramRow{"gather", Gather, kNamed, SizesOfIndex},
        {"take_along_dim", Gather, kNamed, TakenAlongSizes},
        {"index_select", IndexSelect, kNamed, SelectedSizes},
        {"index", Index, kNamed, IndexedSizes},
        {"take", Take, kNamed, SizesOfIndex},
        {"embedding", Embedding, "reads its column of the token's row", EmbeddingSizes},
        {"embedding_bag", EmbeddingBag, "reads its column of the rows of its tokens", BagSizes},
        {"one_hot", OneHot, "compares its column with the class", OneHotSizes},
        {"scatter", Scatter, kLands},
        {"scatter_value", Scatter, kLands},
        {"scatter_add", Scatter, kLands},
        {"scatter_reduce", Scatter, kLands},
        {"index_add", Scatter, kLands},
        {"index_copy", Scatter, kLands},
        {"index_fill", Scatter, kLands}}) {
    rows->push_back(row);
  }
}

}  // namespace kernelmill
