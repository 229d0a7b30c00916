// Elements that are made of a window of the operand: pooling, adaptive pooling, unfold and fold,
// interpolation, local response norm.
#include <cmath>

#include "generators/lowering/contraction_spec.h"
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

// "*: name" behind spatial words: "max_pool2d" has 2.
int SpatialOf(std::string_view name) { return name[name.size() - 2] - '0'; }

// Nested loops over a window around `body`; `begin` and `end` are per dimension.
std::string Loops(ElementProgram* p, int spatial, const Axes& vars, const Axes& begin,
                  const Axes& end, const Axes& step, const std::string& body) {
  std::string text = body;
  for (int d = spatial; d-- > 0;) {
    text = Fill("for (@index@ @var@ = @begin@; @var@ < @end@; @step@) {\n  @body@\n}\n",
                {{"index", p->Index()},
                 {"var", vars[d]},
                 {"begin", begin[d]},
                 {"end", end[d]},
                 {"step", step[d]},
                 {"body", text}});
  }
  return text;
}

// Steps through taps that lie inside: the first at or behind the edge.
bool Pool(ElementProgram* p) {
  const std::string_view name = p->name();
  const int spatial = SpatialOf(name);
  const bool maximum = name.starts_with("max"), power = name.starts_with("lp");
  const bool stride_given = !p->attribute("stride").is_none() &&
                            !(p->attribute("stride").kind() == Attribute::Kind::kIntegers &&
                              p->attribute("stride").integers().empty());
  const int rank = p->shape(0).rank(), first = rank - spatial;
  const Axes sizes = p->Sizes(0);
  Axes vars, begin, end, step, at = p->axes();
  std::string full = "1";
  const bool include = !maximum && p->attribute("count_include_pad").flag();
  const bool has_padding = FindAttribute(*p->node().op, "padding") >= 0;
  std::vector<std::string> extents;
  bool ceil = p->attribute("ceil_mode").flag();
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[first + d],
                      size = GroupScope::Factor(sizes[first + d]);
    const std::int64_t kernel = At(p, "kernel_size", d),
                       stride = stride_given ? At(p, "stride", d) : kernel,
                       padding = has_padding ? At(p, "padding", d) : 0,
                       dilation = maximum ? At(p, "dilation", d) : 1;
    const std::string start = "start_" + word, stop = "stop_" + word, i = "i" + word;
    p->Declare(start, o + (stride == 1 ? "" : " * " + Text(stride)) +
                          (padding == 0 ? "" : " - " + Text(padding)));
    const std::string reach = Text(dilation * (kernel - 1) + 1);
    p->Declare(stop,
               start + " + " + reach + " < " + size + " ? " + start + " + " + reach + " : " + size);
    std::string from = start;
    if (padding > 0) {
      // The first tap that is not in front of the tensor.
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
      // What of the window lies within the tensor and its padding.
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
    const std::string exponent = Literal(norm, DType::kFloat32);
    p->Line(Loops(p, spatial, vars, begin, end, step,
                  "const " + type + " value = " + read + ";\nsum += " +
                      (norm == 2 ? std::string("value * value") : "powf(value, " + exponent + ")") +
                      ";\n"));
    if (ceil) return false;
    p->Result(norm == 2 ? "sqrtf(sum)" : "powf(fabsf(sum), 1.0f / " + exponent + ")");
    return norm == 2;
  }
  p->Line(Loops(p, spatial, vars, begin, end, step, "sum += " + read + ";\n"));
  p->Result("sum / static_cast<float>(" + GroupScope::Product(extents) + ")");
  return true;
}

bool AdaptivePool(ElementProgram* p) {
  const std::string_view name = p->name();
  const int spatial = name == "interpolate" ? p->shape(0).rank() - 2 : SpatialOf(name);
  const bool maximum = name.starts_with("adaptive_max");
  const int rank = p->shape(0).rank(), first = rank - spatial;
  const Axes sizes = p->Sizes(0), out = p->scope().Sizes(p->node().first_result);
  Axes vars, begin, end, step, extents, at = p->axes();
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[first + d],
                      size = GroupScope::Factor(sizes[first + d]),
                      count = GroupScope::Factor(out[first + d]);
    const std::string start = "start_" + word, stop = "stop_" + word, i = "i" + word;
    p->Declare(start, o + " * " + size + " / " + count);
    p->Declare(stop, "((" + o + " + 1) * " + size + " + " + count + " - 1) / " + count);
    begin.push_back(start);
    end.push_back(stop);
    vars.push_back(i);
    step.push_back("++" + i);
    extents.push_back("(" + stop + " - " + start + ")");
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

// The coordinates of sliding windows as columns.
bool Unfold(ElementProgram* p) {
  if (p->shape(0).rank() != 4) return false;
  const Axes sizes = p->Sizes(0);
  const std::int64_t kh = At(p, "kernel_size", 0), kw = At(p, "kernel_size", 1);
  const std::string wide = p->scope().AddSize(
      "windows_across", WindowCount(GroupScope::Factor(sizes[3]), kw, At(p, "stride", 1),
                                    At(p, "padding", 1), At(p, "dilation", 1)));
  const std::string &row = p->axes()[1], &column = p->axes()[2];
  const auto place = [&](const char* name, const std::string& window, const std::string& tap,
                         int d) {
    p->Declare(name, window + " * " + Text(At(p, "stride", d)) + " + " + tap + " * " +
                         Text(At(p, "dilation", d)) + " - " + Text(At(p, "padding", d)));
  };
  place("iy", column + " / " + wide, row + " / " + Text(kw) + " % " + Text(kh), 0);
  place("ix", column + " % " + wide, row + " % " + Text(kw), 1);
  p->Declare("channel", row + " / " + Text(kh * kw));
  const DType dtype = p->scope().TypeOf(p->node().first_result).dtype;
  p->Line(p->ResultType() + " result = " + Literal(0, dtype) + ";");
  p->Line("if (iy >= 0 && iy < " + sizes[2] + " && ix >= 0 && ix < " + sizes[3] +
          ") result = " + p->Read(0, {p->axes()[0], "channel", "iy", "ix"}) + ";");
  return true;
}

// Where an output element lies between those of the operand, as torch has it: `scale` operand
// elements for each of the result.
bool Interpolate(ElementProgram* p) {
  const int index = FindAttribute(*p->node().op, "mode");
  const std::string_view mode =
      p->node().op->attributes[index].choices[p->attribute("mode").choice()];
  const int rank = p->shape(0).rank(), spatial = rank - 2;
  const Axes sizes = p->Sizes(0), out = p->scope().Sizes(p->node().first_result);
  const bool aligned = p->attribute("align_corners").flag();
  const Attribute& factor = p->attribute("scale_factor");
  if (!IsFloating(p->dtype(0))) return false;
  Axes at = p->axes();
  const bool nearest = mode == "nearest" || mode == "nearest-exact";
  const bool linear = mode == "linear" || mode == "bilinear" || mode == "trilinear";
  if (mode == "area") return AdaptivePool(p);
  if (!nearest && !linear) return false;
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[2 + d],
                      size = GroupScope::Factor(sizes[2 + d]),
                      count = GroupScope::Factor(out[2 + d]);
    std::string scale = factor.is_none() ? "static_cast<float>(" + size + ") / " + count
                                         : Literal(1.0 / factor.number(), DType::kFloat32);
    if (linear && aligned)
      scale =
          "(" + count + " > 1 ? static_cast<float>(" + size + " - 1) / (" + count + " - 1) : 0.0f)";
    p->Line("const float scale_" + word + " = " + scale + ";");
    if (nearest) {
      const std::string place =
          mode == "nearest" ? o + " * scale_" + word : "(" + o + " + 0.5f) * scale_" + word;
      p->Declare("near_" + word, "static_cast<" + p->Index() + ">(floorf(" + place + "))");
      at[2 + d] = p->Declare(
          "i" + word, "near_" + word + " < " + size + " ? near_" + word + " : " + size + " - 1");
      continue;
    }
    const std::string place = aligned
                                  ? o + " * scale_" + word
                                  : "fmaxf((" + o + " + 0.5f) * scale_" + word + " - 0.5f, 0.0f)";
    p->Line("const float place_" + word + " = " + place + ";");
    p->Declare("i" + word, "static_cast<" + p->Index() + ">(place_" + word + ") < " + size +
                               " ? static_cast<" + p->Index() + ">(place_" + word + ") : " + size +
                               " - 1");
    p->Declare("j" + word, "i" + word + " + 1 < " + size + " ? i" + word + " + 1 : i" + word);
    p->Line("const float t" + word + " = fminf(fmaxf(place_" + word + " - i" + word +
            ", 0.0f), 1.0f);");
  }
  if (nearest) {
    p->Result(p->Read(0, at));
    return true;
  }
  // The corners of the cell, weighted by how near they are.
  std::string sum;
  for (int corner = 0; corner < 1 << spatial; ++corner) {
    std::string weight;
    for (int d = 0; d < spatial; ++d) {
      const std::string word = Word(spatial, d);
      const bool far = (corner >> (spatial - 1 - d) & 1) != 0;
      at[2 + d] = (far ? "j" : "i") + word;
      weight += (weight.empty() ? "" : " * ") + (far ? "t" + word : "(1.0f - t" + word + ")");
    }
    const std::string corner_name = "corner" + Text(corner);
    p->Line("const float " + corner_name + " = " + p->Read(0, at) + ";");
    sum += (sum.empty() ? "" : " + ") + weight + " * " + corner_name;
  }
  p->Result(sum);
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
  p->Declare("last_channel",
             c + " + " + Text((size - 1) / 2) + " < " + GroupScope::Factor(sizes[1]) + " ? " + c +
                 " + " + Text((size - 1) / 2) + " : " + GroupScope::Factor(sizes[1]) + " - 1");
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
    rows->push_back({name, AdaptivePool, "reads the part of the operand that falls to it"});
  }
  rows->push_back({"unfold", Unfold, "reads one tap of one window"});
  rows->push_back(
      {"interpolate", Interpolate, "reads the elements around its place in the operand"});
  rows->push_back({"local_response_norm", LocalResponseNorm, "reads the channels around its own"});
}

}  // namespace kernelmill
