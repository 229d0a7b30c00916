// Element programs that only rearrange elements: cat, stack, repeat, flip, roll, pad, triangles,
// shuffles.
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

std::string Text(std::int64_t number) { return std::to_string(number); }

// Concatenates the operands along `dim`. `axes_of` maps coordinates in an operand to those for
// reading it.
bool WriteCat(ElementProgram* p, int dim) {
  const int count = static_cast<int>(p->operands().size());
  const std::string& axis = p->axes()[dim];
  p->Line(p->ResultType() + " result;");
  std::string begin = "0";
  for (int i = 0; i < count; ++i) {
    const std::string size = p->Sizes(i)[dim];
    const std::string end = i == 0 ? size : begin + " + " + size;
    Axes axes = p->axes();
    if (i > 0)
      axes[dim] = i == 1 ? "(" + axis + " - " + begin + ")" : "(" + axis + " - (" + begin + "))";
    const std::string read = "  result = " + p->Read(i, axes) + ";";
    if (i == 0) {
      p->Line("if (" + axis + " < " + end + ") {\n" + read);
    } else if (i + 1 < count) {
      p->Line("} else if (" + axis + " < " + end + ") {\n" + read);
    } else {
      p->Line("} else {\n" + read);
    }
    begin = end;
  }
  p->Line("}");
  return count > 1;
}

bool Cat(ElementProgram* p) { return WriteCat(p, p->Dimension("dim", p->result_shape().rank())); }

// Stacks the operands along `dim`.
bool WriteStack(ElementProgram* p, int dim) {
  const int count = static_cast<int>(p->operands().size());
  Axes axes = p->axes();
  axes.erase(axes.begin() + dim);
  p->Line(p->ResultType() + " result;");
  for (int i = 0; i < count; ++i) {
    const std::string test = p->axes()[dim] + " == " + Text(i);
    p->Line(i == 0           ? "if (" + test + ") {"
            : i + 1 == count ? "} else {"
                             : "} else if (" + test + ") {");
    p->Line("  result = " + p->Read(i, axes) + ";");
  }
  p->Line("}");
  return count > 1;
}

bool Stack(ElementProgram* p) {
  return WriteStack(p, p->Dimension("dim", p->result_shape().rank()));
}
bool Hstack(ElementProgram* p) {
  const int rank = p->shape(0).rank();
  return rank > 0 && WriteCat(p, rank == 1 ? 0 : 1);
}
bool Vstack(ElementProgram* p) {
  const int rank = p->shape(0).rank();
  return rank > 1 ? WriteCat(p, 0) : rank == 1 && WriteStack(p, 0);
}

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
    p->Declare(from, axes[d] + (before == "0"          ? ""
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

}  // namespace

void AddLayoutPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kModulo = "reads the place that it was copied from";
  constexpr std::string_view kPiece = "finds out which piece it lies in and reads it there";
  constexpr std::string_view kSame = "reads the same place of the operand";
  for (const ProgramRow& row :
       {ProgramRow{"cat", Cat, kPiece},
        {"hstack", Hstack, kPiece},
        {"vstack", Vstack, kPiece},
        {"stack", Stack, kPiece},
        {"contiguous", Copy, kSame},
        {"clone", Copy, kSame},
        {"detach", Copy, kSame},
        {"dropout", Copy, kSame},
        {"repeat", Repeat, kModulo},
        {"tile", Repeat, kModulo},
        {"repeat_interleave", RepeatInterleave, kModulo},
        {"flip", Flip, "reads the place that faces it"},
        {"roll", Roll, "reads the place that it was moved from"},
        {"rot90", Rot90, "reads the place that it was turned from"},
        {"pad", Pad, "reads the place in the middle, or what the mode puts around it"},
        {"tril", Triangle, "is zero above the diagonal"},
        {"triu", Triangle, "is zero below the diagonal"},
        {"pixel_shuffle", PixelShuffle, "reads the channel that its place within a pixel names"},
        {"pixel_unshuffle", PixelUnshuffle, "reads the pixel that its channel names"},
        {"channel_shuffle", ChannelShuffle, "reads the channel that it was moved from"},
        {"diff", Diff, "subtracts its place from the next one"},
        {"glu", Glu, "reads its half and the gate's"},
        {"diag", Diag, "reads the diagonal"},
        {"diag_embed", DiagEmbed, "is zero beside the diagonal"},
        {"kron", Kron, "multiplies one element of each operand"}}) {
    rows->push_back(row);
  }
}

}  // namespace kernelmill
