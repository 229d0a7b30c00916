// Element programs that join tensors: cat, stack and their like.
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

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

SymbolicShape JoinedSizes(GroupScope* scope, const Node& node, int dim) {
  const auto operands = scope->graph().operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]), along;
  for (const ValueId id : operands) along.push_back(scope->Sizes(id)[dim]);
  sizes[dim] = SumOfSizes(scope, "joined", along);
  return sizes;
}

SymbolicShape CatSizes(GroupScope* scope, const Node& node) {
  const int rank = scope->TypeOf(scope->graph().operands(node)[0]).shape.rank();
  return JoinedSizes(scope, node, DimensionOf(scope->graph(), node, "dim", rank));
}

SymbolicShape StackedSizes(GroupScope* scope, const Node& node, SymbolicShape sizes, int dim) {
  sizes.insert(sizes.begin() + dim, NumberText(std::ssize(scope->graph().operands(node))));
  return sizes;
}

SymbolicShape StackSizes(GroupScope* scope, const Node& node) {
  const SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  const int rank = static_cast<int>(sizes.size()) + 1;
  return StackedSizes(scope, node, sizes, DimensionOf(scope->graph(), node, "dim", rank));
}

SymbolicShape HstackSizes(GroupScope* scope, const Node& node) {
  const SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  return sizes.empty() ? StackedSizes(scope, node, sizes, 0)
                       : JoinedSizes(scope, node, sizes.size() == 1 ? 0 : 1);
}

SymbolicShape VstackSizes(GroupScope* scope, const Node& node) {
  const SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  if (sizes.size() > 1) return JoinedSizes(scope, node, 0);
  return StackedSizes(scope, node, sizes.empty() ? SymbolicShape{"1"} : sizes, 0);
}

}  // namespace

void AddJoinPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kPiece = "finds out which piece it lies in and reads it there";
  rows->push_back({"cat", Cat, kPiece, CatSizes});
  rows->push_back({"hstack", Hstack, kPiece, HstackSizes});
  rows->push_back({"vstack", Vstack, kPiece, VstackSizes});
  rows->push_back({"stack", Stack, kPiece, StackSizes});
}

}  // namespace kernelmill
