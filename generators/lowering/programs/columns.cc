// Element programs of im2col and col2im (unfold and fold).
#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

std::string Text(std::int64_t number) { return std::to_string(number); }

// The parameters that both operators have for each dimension.
struct Window {
  std::int64_t kernel, stride, padding, dilation;
};
Window WindowOf(ElementProgram* p, int d) {
  const auto at = [&](std::string_view name) { return AttributeAt(p->attribute(name), d); };
  return {at("kernel_size"), at("stride"), at("padding"), at("dilation")};
}

std::string Times(const std::string& text, std::int64_t number) {
  return number == 1 ? text : text + " * " + Text(number);
}
std::string Minus(const std::string& text, std::int64_t number) {
  return number == 0 ? text : text + " - " + Text(number);
}

std::string CountAcross(ElementProgram* p, const std::string& width, const Window& w) {
  return p->scope().AddSize("windows_across",
                            WindowCount(width, w.kernel, w.stride, w.padding, w.dilation));
}

bool Unfold(ElementProgram* p) {
  const int rank = p->shape(0).rank();
  if (rank != 3 && rank != 4) return false;
  const Axes sizes = p->Sizes(0);
  const Window down = WindowOf(p, 0), across = WindowOf(p, 1);
  const std::string wide = CountAcross(p, GroupScope::Parenthesized(sizes[rank - 1]), across);
  const std::string &row = p->axes()[rank - 3], &column = p->axes()[rank - 2];
  const auto place = [&](const char* name, const std::string& window, const std::string& tap,
                         const Window& w) {
    p->Declare(name, Minus(Times(window, w.stride) + " + " + Times(tap, w.dilation), w.padding));
  };
  place("iy", column + " / " + wide, row + " / " + Text(across.kernel) + " % " + Text(down.kernel),
        down);
  place("ix", column + " % " + wide, row + " % " + Text(across.kernel), across);
  p->Declare("channel", row + " / " + Text(down.kernel * across.kernel));
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  Axes at = {"channel", "iy", "ix"};
  if (rank == 4) at.insert(at.begin(), p->axes()[0]);
  p->Line(p->ResultType() + " result = " + Literal(0, dtype) + ";");
  p->Line("if (iy >= 0 && iy < " + sizes[rank - 2] + " && ix >= 0 && ix < " + sizes[rank - 1] +
          ") result = " + p->Read(0, at) + ";");
  return true;
}

// Each thread gathers the taps that reach its element, so that no atomics are needed.
bool Fold(ElementProgram* p) {
  const int rank = p->result_shape().rank();
  if (!IsFloating(p->dtype(0))) return false;
  const Axes out = p->scope().Sizes(p->node().first_result);
  const Window down = WindowOf(p, 0), across = WindowOf(p, 1);
  const auto count = [&](const char* name, int d, const Window& w) {
    return p->scope().AddSize(
        name, WindowCount(out[rank - 2 + d], w.kernel, w.stride, w.padding, w.dilation));
  };
  const std::string high = count("windows_down", 0, down),
                    wide = count("windows_across", 1, across);
  // The index of the window whose tap reaches this element, if there is one.
  const auto window = [&](const char* name, const std::string& o, const char* tap, const Window& w,
                          const std::string& limit) {
    const std::string reach = std::string("reach_") + name, at = std::string("window_") + name;
    const std::string type = "const " + p->Index() + ' ';
    std::string text = type + reach + " = " + o + (w.padding == 0 ? "" : " + " + Text(w.padding)) +
                       " - " + Times(tap, w.dilation) + ";\n";
    text += "if (" + reach + " < 0" +
            (w.stride == 1 ? "" : " || " + reach + " % " + Text(w.stride) + " != 0") +
            ") continue;\n";
    text += type + at + " = " + reach + (w.stride == 1 ? "" : " / " + Text(w.stride)) + ";\n";
    return text + "if (" + at + " >= " + limit + ") continue;\n";
  };
  Axes at = {p->axes()[rank - 3] + " * " + Text(down.kernel * across.kernel) + " + " +
                 Times("ky", across.kernel) + " + kx",
             "window_y * " + wide + " + window_x"};
  at[0] = "(" + at[0] + ")";
  at[1] = "(" + at[1] + ")";
  if (rank == 4) at.insert(at.begin(), p->axes()[0]);
  p->Line(p->ResultType() + " result = 0.0f;");
  p->Line(FillHoles(R"(
for (int ky = 0; ky < @kernel_y@; ++ky) {
  @window_y@
  for (int kx = 0; kx < @kernel_x@; ++kx) {
    @window_x@
    result += @read@;
  }
}
)",
                    {{"kernel_y", Text(down.kernel)},
                     {"kernel_x", Text(across.kernel)},
                     {"window_y", window("y", p->axes()[rank - 2], "ky", down, high)},
                     {"window_x", window("x", p->axes()[rank - 1], "kx", across, wide)},
                     {"read", p->Read(0, at)}}));
  return true;
}

std::int64_t At(const OperatorGraph& graph, const Node& node, std::string_view name, int i) {
  return AttributeAt(AttributeOf(graph, node, name), i);
}

// The number of unfold's windows along one dimension.
std::string WindowsAlong(GroupScope* scope, const Node& node, int d, const std::string& size,
                         std::string_view word) {
  const auto at = [&](std::string_view name) { return At(scope->graph(), node, name, d); };
  return scope->AddSize(
      word, WindowCount(size, at("kernel_size"), at("stride"), at("padding"), at("dilation")));
}

SymbolicShape UnfoldSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const SymbolicShape windows = {WindowsAlong(scope, node, 0, sizes[rank - 2], "windows_down"),
                                 WindowsAlong(scope, node, 1, sizes[rank - 1], "windows_across")};
  const std::int64_t taps = At(graph, node, "kernel_size", 0) * At(graph, node, "kernel_size", 1);
  sizes[rank - 3] = scope->AddSize("column", sizes[rank - 3] + " * " + NumberText(taps));
  sizes.resize(sizes.size() - 2);
  sizes.push_back(scope->AddSize("windows", GroupScope::Product(windows)));
  return sizes;
}

SymbolicShape FoldSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const std::int64_t taps = At(graph, node, "kernel_size", 0) * At(graph, node, "kernel_size", 1);
  sizes.back() = scope->IntegerAttribute(node, "output_size", 0);
  sizes.push_back(scope->IntegerAttribute(node, "output_size", 1));
  sizes[rank - 2] = scope->AddSize("channels", sizes[rank - 2] + " / " + NumberText(taps));
  return sizes;
}

}  // namespace

void AddColumnPrograms(std::vector<ProgramRow>* rows) {
  rows->push_back({"unfold", Unfold, "reads one tap of one window", UnfoldSizes});
  rows->push_back({"fold", Fold, "adds up the taps of the windows that cover it", FoldSizes});
}

}  // namespace kernelmill
