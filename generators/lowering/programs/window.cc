// Element programs over windows of the operand: pooling, adaptive pooling, local response norm.
#include <cmath>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

constexpr std::string_view kWords[3][3] = {{"x", "", ""}, {"y", "x", ""}, {"z", "y", "x"}};

std::string Text(std::int64_t number) { return std::to_string(number); }
std::string Word(int spatial, int d) { return std::string(kWords[spatial - 1][d]); }

std::int64_t At(ElementProgram* p, std::string_view name, int i) {
  return AttributeAt(p->attribute(name), i);
}

// Nested loops over a window around `body`; `begin` and `end` have one entry per dimension.
std::string Loops(ElementProgram* p, int spatial, const Axes& vars, const Axes& begin,
                  const Axes& end, const Axes& step, const std::string& body) {
  std::string text = body;
  for (int d = spatial; d-- > 0;) {
    text = FillHoles("for (@index@ @var@ = @begin@; @var@ < @end@; @step@) {\n  @body@\n}\n",
                     {{"index", p->Index()},
                      {"var", vars[d]},
                      {"begin", begin[d]},
                      {"end", end[d]},
                      {"step", step[d]},
                      {"body", text}});
  }
  return text;
}

// Loops over the taps that lie inside the tensor.
bool Pool(ElementProgram* p) {
  const std::string_view name = p->name();
  const int spatial = PooledDimensions(name);
  const bool maximum = name.starts_with("max"), power = name.starts_with("lp");
  const bool stride_given = !p->attribute("stride").is_none() &&
                            !(p->attribute("stride").kind() == Attribute::Kind::kIntegers &&
                              p->attribute("stride").integers().empty());
  const int rank = p->shape(0).rank(), first = rank - spatial;
  const Axes sizes = p->Sizes(0);
  Axes vars, begin, end, step, at = p->axes();
  std::int64_t window = 1;  // The number of elements.
  const bool include = !maximum && p->attribute("count_include_pad").flag();
  const bool has_padding = FindAttribute(*p->node().op, "padding") >= 0;
  std::vector<std::string> extents;
  bool ceil = p->attribute("ceil_mode").flag();
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[first + d],
                      size = GroupScope::Parenthesized(sizes[first + d]);
    const std::int64_t kernel = At(p, "kernel_size", d),
                       stride = stride_given ? At(p, "stride", d) : kernel,
                       padding = has_padding ? At(p, "padding", d) : 0,
                       dilation = maximum ? At(p, "dilation", d) : 1;
    window *= kernel;
    const std::string start = "start_" + word, stop = "stop_" + word, i = "i" + word;
    p->Declare(start, o + (stride == 1 ? "" : " * " + Text(stride)) +
                          (padding == 0 ? "" : " - " + Text(padding)));
    const std::string reach = Text(dilation * (kernel - 1) + 1);
    p->Declare(stop,
               start + " + " + reach + " < " + size + " ? " + start + " + " + reach + " : " + size);
    std::string from = start;
    if (padding > 0) {
      // The first tap that is not before the tensor's start.
      from = dilation == 1
                 ? start + " < 0 ? 0 : " + start
                 : start + " < 0 ? (" + Text(dilation) + " - 1 - " + start + ") / " +
                       Text(dilation) + " * " + Text(dilation) + " + " + start + " : " + start;
    }
    begin.push_back(from);
    end.push_back(stop);
    vars.push_back(i);
    step.push_back(dilation == 1 ? "++" + i : i + " += " + Text(dilation));
    at[first + d] = i;
    if (include || power) {
      // The part of the window that lies within the tensor and its padding.
      extents.push_back(ceil ? "((" + start + " + " + Text(kernel) + " < " + size + " + " +
                                   Text(padding) + " ? " + start + " + " + Text(kernel) + " : " +
                                   size + " + " + Text(padding) + ") - " + start + ")"
                             : Text(kernel));
    } else {
      extents.push_back("(" + stop + " - " + (padding > 0 ? "(" + from + ")" : start) + ")");
    }
  }
  const std::string type = p->ResultType();
  const std::string read = p->Read(0, at);
  if (maximum) {
    const DType dtype = p->dtype(0);
    if (!IsFloating(dtype)) return false;
    p->Line(type + " result = -INFINITY;");
    p->Line(Loops(p, spatial, vars, begin, end, step,
                  "const " + type + " value = " + read +
                      ";\nif (value > result || value != value) result = value;\n"));
    return true;
  }
  p->Line(type + " sum = 0.0f;");
  if (power) {
    const double norm = p->attribute("norm_type").number();
    if (norm <= 0 || std::isinf(norm)) return false;
    const std::string exponent = Literal(norm, DType::kFloat32);
    const std::string raised = norm == 2   ? "value * value"
                               : norm == 1 ? "value"
                                           : "powf(value, " + exponent + ")";
    p->Line(Loops(p, spatial, vars, begin, end, step,
                  "const " + type + " value = " + read + ";\nsum += " + raised + ";\n"));
    if (ceil) {
      // lp_pool scales the sum of a window that exceeds the edge to the full window size.
      p->Line("sum *= " + Literal(double(window), DType::kFloat32) + " / static_cast<float>(" +
              GroupScope::Product(extents) + ");");
    }
    p->Result(norm == 2 ? "sqrtf(sum)" : norm == 1 ? "sum" : "powf(sum, 1.0f / " + exponent + ")");
    return true;
  }
  p->Line(Loops(p, spatial, vars, begin, end, step, "sum += " + read + ";\n"));
  p->Result("sum / static_cast<float>(" + GroupScope::Product(extents) + ")");
  return true;
}

bool LocalResponseNorm(ElementProgram* p) {
  const std::int64_t size = p->attribute("size").integer();
  const Axes sizes = p->Sizes(0);
  const std::string& c = p->axes()[1];
  Axes at = p->axes();
  at[1] = "j";
  p->Declare("first_channel",
             c + " - " + Text(size / 2) + " < 0 ? 0 : " + c + " - " + Text(size / 2));
  p->Declare("last_channel", c + " + " + Text((size - 1) / 2) + " < " +
                                 GroupScope::Parenthesized(sizes[1]) + " ? " + c + " + " +
                                 Text((size - 1) / 2) + " : " +
                                 GroupScope::Parenthesized(sizes[1]) + " - 1");
  p->Line("float squares = 0.0f;");
  p->Line("for (" + p->Index() +
          " j = first_channel; j <= last_channel; ++j) {\n  const float value = " + p->Read(0, at) +
          ";\n  squares += value * value;\n}");
  const auto number = [&](std::string_view name) {
    return Literal(p->attribute(name).number(), DType::kFloat32);
  };
  p->Result(p->Read(0, p->axes()) + " / powf(" + number("k") + " + " + number("alpha") +
            " * squares / " + Literal(double(size), DType::kFloat32) + ", " + number("beta") + ")");
  return true;
}

}  // namespace

bool WriteAdaptivePool(ElementProgram* p) {
  const std::string_view name = p->name();
  const int spatial = name == "interpolate" ? p->shape(0).rank() - 2 : PooledDimensions(name);
  const bool maximum = name.starts_with("adaptive_max");
  const int rank = p->shape(0).rank(), first = rank - spatial;
  const Axes sizes = p->Sizes(0), out = p->scope().Sizes(p->node().first_result);
  Axes vars, begin, end, step, extents, at = p->axes();
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[first + d],
                      size = GroupScope::Parenthesized(sizes[first + d]),
                      count = GroupScope::Parenthesized(out[first + d]);
    const std::string start = "start_" + word, stop = "stop_" + word, i = "i" + word;
    const bool whole = count == "1";  // One element has all of the dimension.
    if (!whole) {
      p->Declare(start, o + " * " + size + " / " + count);
      p->Declare(stop, "((" + o + " + 1) * " + size + " + " + count + " - 1) / " + count);
    }
    begin.push_back(whole ? "0" : start);
    end.push_back(whole ? sizes[first + d] : stop);
    vars.push_back(i);
    step.push_back("++" + i);
    extents.push_back(whole ? size : "(" + stop + " - " + start + ")");
    at[first + d] = i;
  }
  const std::string type = p->ResultType(), read = p->Read(0, at);
  if (maximum) {
    p->Line(type + " result = -INFINITY;");
    p->Line(Loops(p, spatial, vars, begin, end, step,
                  "const " + type + " value = " + read +
                      ";\nif (value > result || value != value) result = value;\n"));
  } else {
    p->Line(type + " sum = 0.0f;");
    p->Line(Loops(p, spatial, vars, begin, end, step, "sum += " + read + ";\n"));
    p->Result("sum / static_cast<float>(" + GroupScope::Product(extents) + ")");
  }
  return IsFloating(p->dtype(0));
}

void AddWindowPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kWindow = "reads its window of the operand, clipped to the tensor";
  for (const std::string_view name :
       {"max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
        "lp_pool1d", "lp_pool2d", "lp_pool3d"}) {
    rows->push_back({name, Pool, kWindow});
  }
  for (const std::string_view name :
       {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
        "adaptive_max_pool2d", "adaptive_max_pool3d"}) {
    rows->push_back({name, WriteAdaptivePool, "reads the part of the operand that falls to it"});
  }
  rows->push_back({"local_response_norm", LocalResponseNorm, "reads the channels around its own"});
}

}  // namespace kernelmill
