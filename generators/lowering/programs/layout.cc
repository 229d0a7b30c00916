// Element programs that only rearrange elements: cat, stack, repeat, flip, roll, pad, triangles,
// shuffles.
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

std::string Text(std::int64_t number) { return std::to_string(number); }

bool Copy(ElementProgram* p) {
  if (p->name() == "dropout" && p->attribute("training").flag()) return false;
  p->Result(p->Read(0, p->axes()));
  return true;
}

// Tiles the operand.
bool Repeat(ElementProgram* p) {
  const int more = p->result_shape().rank() - p->shape(0).rank();
  if (more < 0) return false;
  const Axes sizes = p->Sizes(0);
  Axes axes;
  for (int d = 0; d < p->shape(0).rank(); ++d) {
    const bool once = p->result_shape()[d + more] == p->shape(0)[d];
    axes.push_back(once ? p->axes()[d + more]
                        : "(" + p->axes()[d + more] + " % " + GroupScope::Parenthesized(sizes[d]) +
                              ")");
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool RepeatInterleave(ElementProgram* p) {
  const std::string repeats = Text(p->attribute("repeats").integer());
  if (p->attribute("dim").is_none()) {
    if (p->scope().IsStrided(p->operands()[0]) || p->result_shape().rank() != 1) return false;
    p->Result(p->ReadFlat(0, p->axes()[0] + " / " + repeats));
    return true;
  }
  const int dim = p->Dimension("dim", p->shape(0).rank());
  Axes axes = p->axes();
  axes[dim] = "(" + axes[dim] + " / " + repeats + ")";
  p->Result(p->Read(0, axes));
  return true;
}

bool Flip(ElementProgram* p) {
  const Axes sizes = p->Sizes(0);
  Axes axes = p->axes();
  for (const int d : DimensionsOf(p->attribute("dims"), p->shape(0).rank())) {
    axes[d] = "(" + sizes[d] + " - 1 - " + axes[d] + ")";
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Roll(ElementProgram* p) {
  const Attribute &shifts = p->attribute("shifts"), &dims = p->attribute("dims");
  if (dims.is_none() || (dims.kind() == Attribute::Kind::kIntegers && dims.integers().empty())) {
    const std::int64_t shift =
        shifts.kind() == Attribute::Kind::kIntegers ? shifts.integers()[0] : shifts.integer();
    // Roll over the flattened tensor with n elements.
    p->Result(p->ReadFlat(0, "((i - (" + Text(shift) + ") % n + n) % n)"));
    return true;
  }
  const std::size_t count = dims.kind() == Attribute::Kind::kIntegers ? dims.integers().size() : 1;
  const Axes sizes = p->Sizes(0);
  Axes axes = p->axes();
  const int rank = p->shape(0).rank();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t of =
        dims.kind() == Attribute::Kind::kIntegers ? dims.integers()[i] : dims.integer();
    const std::int64_t shift =
        shifts.kind() == Attribute::Kind::kIntegers ? shifts.integers()[i] : shifts.integer();
    const int d = static_cast<int>(of < 0 ? of + rank : of);
    const std::string size = GroupScope::Parenthesized(sizes[d]);
    // Modulo twice, because the shift may be longer than the dimension, or negative.
    const std::string back =
        "((" + axes[d] + " - (" + Text(shift) + ") % " + size + " + " + size + ") % " + size + ")";
    axes[d] = back;
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Rot90(ElementProgram* p) {
  const auto dims = p->attribute("dims").integers();
  const int rank = p->shape(0).rank();
  if (dims.size() != 2) return false;
  const int a = static_cast<int>(dims[0] < 0 ? dims[0] + rank : dims[0]),
            b = static_cast<int>(dims[1] < 0 ? dims[1] + rank : dims[1]);
  const std::int64_t k = ((p->attribute("k").integer() % 4) + 4) % 4;
  const Axes sizes = p->Sizes(0);
  Axes axes = p->axes();
  const auto last = [&](int d, const std::string& axis) {
    return "(" + sizes[d] + " - 1 - " + axis + ")";
  };
  const std::string at_a = p->axes()[a], at_b = p->axes()[b];
  if (k == 1) {
    axes[a] = at_b;
    axes[b] = last(b, at_a);
  } else if (k == 2) {
    axes[a] = last(a, at_a);
    axes[b] = last(b, at_b);
  } else if (k == 3) {
    axes[a] = last(a, at_b);
    axes[b] = at_a;
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Pad(ElementProgram* p) {
  const auto amounts = p->attribute("pad").integers();
  const int mode = p->attribute("mode").choice();
  const std::string_view word =
      p->node().op->attributes[FindAttribute(*p->node().op, "mode")].choices[mode];
  const int rank = p->shape(0).rank();
  const Axes sizes = p->Sizes(0);
  Axes axes = p->axes();
  std::string inside;
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    const int d = rank - 1 - static_cast<int>(i / 2);
    // A name if the amount follows from a size of the task.
    const std::string before = p->scope().IntegerAttribute(p->node(), "pad", static_cast<int>(i)),
                      after =
                          p->scope().IntegerAttribute(p->node(), "pad", static_cast<int>(i + 1));
    if (before == "0" && after == "0") continue;
    const std::string from = "from" + Text(d);
    p->Declare(from, axes[d] + (before == "0"           ? ""
                                : before.front() == '-' ? " + " + before.substr(1)
                                                        : " - " + before));
    const std::string size = GroupScope::Parenthesized(sizes[d]);
    if (word == "constant") {
      inside += (inside.empty() ? "" : " && ") + from + " >= 0 && " + from + " < " + sizes[d];
      axes[d] = from;
    } else if (word == "replicate") {
      axes[d] = p->Declare("near" + Text(d), from + " < 0 ? 0 : " + from + " < " + size + " ? " +
                                                 from + " : " + size + " - 1");
    } else if (word == "reflect") {
      axes[d] =
          p->Declare("near" + Text(d), from + " < 0 ? -" + from + " : " + from + " < " + size +
                                           " ? " + from + " : 2 * (" + size + " - 1) - " + from);
    } else {
      axes[d] = p->Declare("near" + Text(d), "(" + from + " + " + size + ") % " + size);
    }
  }
  if (inside.empty()) {
    p->Result(p->Read(0, axes));
    return true;
  }
  const Attribute& value = p->attribute("value");
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  p->Line(p->ResultType() + " result = " + Literal(value.is_none() ? 0 : value.number(), dtype) +
          ";");
  p->Line("if (" + inside + ") result = " + p->Read(0, axes) + ";");
  return true;
}

bool Triangle(ElementProgram* p) {
  const int rank = p->shape(0).rank();
  if (rank < 2) return false;
  const std::int64_t diagonal = p->attribute("diagonal").integer();
  const std::string column = p->axes()[rank - 1] + " - " + p->axes()[rank - 2];
  const std::string sign = p->name() == "tril" ? " <= " : " >= ";
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  p->Result(column + sign + Text(diagonal) + " ? " + p->Read(0, p->axes()) + " : " +
            Literal(0, dtype));
  return true;
}

bool PixelShuffle(ElementProgram* p) {
  const std::int64_t r = p->attribute("upscale_factor").integer();
  const int rank = p->shape(0).rank();
  const std::string f = Text(r);
  Axes axes = p->axes();
  const std::string c = axes[rank - 3], h = axes[rank - 2], w = axes[rank - 1];
  axes[rank - 3] =
      "((" + c + " * " + f + " + " + h + " % " + f + ") * " + f + " + " + w + " % " + f + ")";
  axes[rank - 2] = "(" + h + " / " + f + ")";
  axes[rank - 1] = "(" + w + " / " + f + ")";
  p->Result(p->Read(0, axes));
  return true;
}

bool PixelUnshuffle(ElementProgram* p) {
  const std::int64_t r = p->attribute("downscale_factor").integer();
  const int rank = p->shape(0).rank();
  const std::string f = Text(r), ff = Text(r * r);
  Axes axes = p->axes();
  const std::string c = axes[rank - 3], h = axes[rank - 2], w = axes[rank - 1];
  axes[rank - 3] = "(" + c + " / " + ff + ")";
  axes[rank - 2] = "(" + h + " * " + f + " + " + c + " / " + f + " % " + f + ")";
  axes[rank - 1] = "(" + w + " * " + f + " + " + c + " % " + f + ")";
  p->Result(p->Read(0, axes));
  return true;
}

bool ChannelShuffle(ElementProgram* p) {
  const std::string groups = Text(p->attribute("groups").integer());
  const Axes sizes = p->Sizes(0);
  Axes axes = p->axes();
  // Inverts the transposition of [groups, channels per group] to [channels per group, groups].
  axes[1] = "(" + axes[1] + " % " + groups + " * (" + sizes[1] + " / " + groups + ") + " + axes[1] +
            " / " + groups + ")";
  p->Result(p->Read(0, axes));
  return true;
}

bool Diff(ElementProgram* p) {
  const int dim = p->Dimension("dim", p->shape(0).rank());
  Axes next = p->axes();
  next[dim] = "(" + next[dim] + " + 1)";
  if (p->dtype(0) == DType::kBool) return false;
  p->Result(p->Read(0, next) + " - " + p->Read(0, p->axes()));
  return true;
}

bool Glu(ElementProgram* p) {
  const int dim = p->Dimension("dim", p->shape(0).rank());
  const Axes sizes = p->Sizes(0);
  Axes gate = p->axes();
  gate[dim] = "(" + gate[dim] + " + " + sizes[dim] + " / 2)";
  p->Line("const float gate = " + p->Read(0, gate) + ";");
  p->Result(p->Read(0, p->axes()) + " / (1.0f + expf(-gate))");
  return true;
}

bool Diag(ElementProgram* p) {
  const std::int64_t diagonal = p->attribute("diagonal").integer();
  const std::string down = Text(diagonal < 0 ? -diagonal : 0),
                    right = Text(diagonal > 0 ? diagonal : 0);
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  if (p->shape(0).rank() == 2) {
    p->Result(p->Read(0, {"(i + " + down + ")", "(i + " + right + ")"}));
  } else {
    const std::string& row = p->axes()[0];
    p->Line(p->ResultType() + " result = " + Literal(0, dtype) + ";");
    p->Line("if (" + p->axes()[1] + " - " + row + " == " + Text(diagonal) +
            ") result = " + p->Read(0, {"(" + row + " - " + down + ")"}) + ";");
  }
  return true;
}

bool DiagEmbed(ElementProgram* p) {
  const int rank = p->result_shape().rank();
  const auto wrapped = [&](std::string_view name) { return p->Dimension(name, rank); };
  if (wrapped("dim1") != rank - 2 || wrapped("dim2") != rank - 1) return false;
  const std::int64_t offset = p->attribute("offset").integer();
  const std::string &row = p->axes()[rank - 2], &column = p->axes()[rank - 1];
  Axes axes(p->axes().begin(), p->axes().end() - 1);
  // The diagonal begins in the first row or in the first column.
  axes.back() = offset > 0 ? row : column;
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  p->Line(p->ResultType() + " result = " + Literal(0, dtype) + ";");
  p->Line("if (" + column + " - " + row + " == " + Text(offset) + ") result = " + p->Read(0, axes) +
          ";");
  return true;
}

// The Kronecker product.
bool Kron(ElementProgram* p) {
  const int rank = p->result_shape().rank();
  Axes sizes = p->Sizes(1), left, right;
  sizes.insert(sizes.begin(), rank - static_cast<int>(sizes.size()), "1");
  for (int d = 0; d < rank; ++d) {
    const std::string size = GroupScope::Parenthesized(sizes[d]);
    if (d >= rank - p->shape(0).rank()) {
      left.push_back(size == "1" ? p->axes()[d] : "(" + p->axes()[d] + " / " + size + ")");
    }
    if (d >= rank - p->shape(1).rank()) {
      right.push_back(size == "1" ? "0" : "(" + p->axes()[d] + " % " + size + ")");
    }
  }
  const std::string type = p->ResultType();
  p->Result("static_cast<" + type + ">(" + p->Read(0, left) + ") * static_cast<" + type + ">(" +
            p->Read(1, right) + ")");
  return true;
}

SymbolicShape RepeatedSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  const Shape& result = scope->TypeOf(node.first_result).shape;
  const SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  SymbolicShape repeated;
  const int more = result.rank() - rank;
  for (int d = 0; d < result.rank(); ++d) {
    const std::string own = d < more ? "1" : sizes[d - more];
    const std::int64_t before = d < more ? 1 : scope->TypeOf(operands[0]).shape[d - more];
    const std::int64_t times = before == 0 ? 1 : result[d] / before;
    repeated.push_back(
        times == 1 ? own
                   : scope->AddSize("repeated", GroupScope::Product({own, NumberText(times)})));
  }
  return repeated;
}

SymbolicShape InterleavedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const std::string times = NumberText(AttributeOf(graph, node, "repeats").integer());
  if (AttributeOf(graph, node, "dim").is_none()) {
    return SymbolicShape{scope->AddSize("repeated", GroupScope::Product(sizes) + " * " + times)};
  }
  sizes[DimensionOf(graph, node, "dim", rank)] = scope->AddSize(
      "repeated",
      GroupScope::Parenthesized(sizes[DimensionOf(graph, node, "dim", rank)]) + " * " + times);
  return sizes;
}

SymbolicShape Rot90Sizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const auto dims = AttributeOf(graph, node, "dims").integers();
  if (AttributeOf(graph, node, "k").integer() % 2 != 0 && dims.size() == 2) {
    std::swap(sizes[dims[0] < 0 ? dims[0] + rank : dims[0]],
              sizes[dims[1] < 0 ? dims[1] + rank : dims[1]]);
  }
  return sizes;
}

SymbolicShape PaddedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const auto amounts = AttributeOf(graph, node, "pad").integers();
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    std::string& size = sizes[rank - 1 - i / 2];
    const std::string before = scope->IntegerAttribute(node, "pad", static_cast<int>(i)),
                      after = scope->IntegerAttribute(node, "pad", static_cast<int>(i + 1));
    // Two constants are added up; otherwise each amount is named.
    const bool numbers = before == NumberText(amounts[i]) && after == NumberText(amounts[i + 1]);
    size = scope->AddSize("padded", numbers ? Plus(size, amounts[i] + amounts[i + 1])
                                            : size + " + " + before + " + " + after);
  }
  return sizes;
}

SymbolicShape ShuffledSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const bool up = node.op->name == "pixel_shuffle";
  const std::int64_t r =
      AttributeOf(graph, node, up ? "upscale_factor" : "downscale_factor").integer();
  const std::string scale = up ? " * " : " / ", back = up ? " / " : " * ";
  sizes[rank - 3] = scope->AddSize("out_channels", sizes[rank - 3] + back + NumberText(r * r));
  sizes[rank - 2] = scope->AddSize("out_height", sizes[rank - 2] + scale + NumberText(r));
  sizes[rank - 1] = scope->AddSize("out_width", sizes[rank - 1] + scale + NumberText(r));
  return sizes;
}

SymbolicShape DiffSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  sizes[DimensionOf(graph, node, "dim", rank)] =
      scope->AddSize("differences", sizes[DimensionOf(graph, node, "dim", rank)] + " - 1");
  return sizes;
}

SymbolicShape GluSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  sizes[DimensionOf(graph, node, "dim", rank)] =
      scope->AddSize("half", sizes[DimensionOf(graph, node, "dim", rank)] + " / 2");
  return sizes;
}

// A diagonal within zeros.
SymbolicShape EmbeddedSizes(GroupScope* scope, const Node& node, std::string_view attribute) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const std::int64_t offset = AttributeOf(graph, node, attribute).integer();
  const std::string side = scope->AddSize("side", Plus(sizes.back(), std::abs(offset)));
  sizes.back() = side;
  sizes.push_back(side);
  return sizes;
}

SymbolicShape DiagSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  if (rank != 2) return EmbeddedSizes(scope, node, "diagonal");
  const std::int64_t offset = AttributeOf(graph, node, "diagonal").integer();
  const std::string down = Plus(sizes[0], std::min<std::int64_t>(offset, 0)),
                    across = Plus(sizes[1], -std::max<std::int64_t>(offset, 0));
  return SymbolicShape{scope->AddSize(
      "diagonal", "std::max<int64_t>(0, std::min<int64_t>(" + down + ", " + across + "))")};
}

SymbolicShape DiagEmbedSizes(GroupScope* scope, const Node& node) {
  return EmbeddedSizes(scope, node, "offset");
}

SymbolicShape KronSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  const Shape& result = scope->TypeOf(node.first_result).shape;
  const SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  SymbolicShape product = scope->Sizes(operands[1]);
  const int missing = result.rank() - static_cast<int>(product.size());
  product.insert(product.begin(), std::max(0, missing), "1");
  for (int d = 0; d < rank; ++d) {
    std::string& size = product[product.size() - rank + d];
    size = scope->AddSize("joined", GroupScope::Product({sizes[d], size}));
  }
  return product;
}

}  // namespace

void AddLayoutPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kModulo = "reads the place that it was copied from";
  constexpr std::string_view kSame = "reads the same place of the operand";
  for (const ProgramRow& row :
       {ProgramRow{"contiguous", Copy, kSame},
        {"clone", Copy, kSame},
        {"detach", Copy, kSame},
        {"dropout", Copy, kSame},
        {"repeat", Repeat, kModulo, RepeatedSizes},
        {"tile", Repeat, kModulo, RepeatedSizes},
        {"repeat_interleave", RepeatInterleave, kModulo, InterleavedSizes},
        {"flip", Flip, "reads the place that faces it"},
        {"roll", Roll, "reads the place that it was moved from"},
        {"rot90", Rot90, "reads the place that it was turned from", Rot90Sizes},
        {"pad", Pad, "reads the place in the middle, or what the mode puts around it", PaddedSizes},
        {"tril", Triangle, "is zero above the diagonal"},
        {"triu", Triangle, "is zero below the diagonal"},
        {"pixel_shuffle", PixelShuffle, "reads the channel that its place within a pixel names",
         ShuffledSizes},
        {"pixel_unshuffle", PixelUnshuffle, "reads the pixel that its channel names",
         ShuffledSizes},
        {"channel_shuffle", ChannelShuffle, "reads the channel that it was moved from"},
        {"diff", Diff, "subtracts its place from the next one", DiffSizes},
        {"glu", Glu, "reads its half and the gate's", GluSizes},
        {"diag", Diag, "reads the diagonal", DiagSizes},
        {"diag_embed", DiagEmbed, "is zero beside the diagonal", DiagEmbedSizes},
        {"kron", Kron, "multiplies one element of each operand", KronSizes}}) {
    rows->push_back(row);
  }
}

}  // namespace kernelmill
