// Element programs of interpolation and grid sampling.
#include <functional>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

constexpr std::string_view kWords[3][3] = {{"x", "", ""}, {"y", "x", ""}, {"z", "y", "x"}};

std::string Text(std::int64_t number) { return std::to_string(number); }
std::string Word(int spatial, int d) { return std::string(kWords[spatial - 1][d]); }

constexpr std::string_view kCubicWeight =
    R"(// Of an element whose distance is 1 + t, t, 1 - t, 2 - t for tap 0 to 3: cubic convolution with
// a = -0.75.
__device__ float cubic_weight(float t, int tap) {
  constexpr float a = -0.75f;
  const float distance = tap < 2 ? t + 1 - tap : tap - 1 - t;
  return distance <= 1.0f ? ((a + 2.0f) * distance - (a + 3.0f)) * distance * distance + 1.0f
                          : ((distance - 5.0f) * distance + 8.0f) * distance * a - 4.0f * a;
}

)";

constexpr std::string_view kClamped = R"(// The nearest element that there is.
__device__ int clamped(int at, int size) { return at < 0 ? 0 : at < size ? at : size - 1; }

)";

// `read` returns the element at a row and column, which may be outside.
void WriteCubic(ElementProgram* p, const std::string& y, const std::string& x,
                const std::function<std::string(const std::string&, const std::string&)>& read) {
  p->Helper("cubic_weight", kCubicWeight);
  p->Line(
      FillHoles(R"(
const int cell_y = static_cast<int>(floorf(@y@)), cell_x = static_cast<int>(floorf(@x@));
float result = 0.0f;
for (int tap_y = 0; tap_y < 4; ++tap_y) {
  float line = 0.0f;
  for (int tap_x = 0; tap_x < 4; ++tap_x) {
    line += cubic_weight(@x@ - cell_x, tap_x) * @read@;
  }
  result += cubic_weight(@y@ - cell_y, tap_y) * line;
}
)",
                {{"y", y}, {"x", x}, {"read", read("cell_y - 1 + tap_y", "cell_x - 1 + tap_x")}}));
}

// Maps output coordinates to operand coordinates as torch does, with `scale` operand elements per
// output element.
bool Interpolate(ElementProgram* p) {
  const std::string_view mode = p->Choice("mode");
  const int rank = p->shape(0).rank(), spatial = rank - 2;
  const Axes sizes = p->Sizes(0), out = p->scope().Sizes(p->node().first_result);
  const bool aligned = p->attribute("align_corners").flag();
  const Attribute& factor = p->attribute("scale_factor");
  Axes at = p->axes();
  const bool nearest = mode == "nearest" || mode == "nearest-exact";
  if (!nearest && !IsFloating(p->dtype(0))) return false;
  const bool linear = mode == "linear" || mode == "bilinear" || mode == "trilinear";
  const bool cubic = mode == "bicubic";
  if (mode == "area") return WriteAdaptivePool(p);
  if (!nearest && !linear && !cubic) return false;
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), o = p->axes()[2 + d],
                      size = GroupScope::Parenthesized(sizes[2 + d]),
                      count = GroupScope::Parenthesized(out[2 + d]);
    std::string scale = factor.is_none() ? "static_cast<float>(" + size + ") / " + count
                                         : Literal(1.0 / factor.number(), DType::kFloat32);
    if (!nearest && aligned)
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
    if (cubic) {
      p->Line(
          "const float place_" + word + " = " +
          (aligned ? o + " * scale_" + word : "(" + o + " + 0.5f) * scale_" + word + " - 0.5f") +
          ";");
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
  if (cubic) {
    WriteCubic(p, "place_y", "place_x", [&](const std::string& y, const std::string& x) {
      at[2] = "clamped(" + y + ", " + sizes[2] + ")";
      at[3] = "clamped(" + x + ", " + sizes[3] + ")";
      p->Helper("clamped", kClamped);
      return p->Read(0, at);
    });
    return true;
  }
  // The corners of the cell, weighted by distance.
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

constexpr std::string_view kReflected =
    R"(// Thrown back at the edges `low` and `high` as often as it takes.
__device__ float reflected(float at, float low, float high) {
  const float span = high - low;
  if (span <= 0.0f) return 0.0f;
  const float far = fabsf(at - low);
  const float rest = fmodf(far, span);
  const bool turned = static_cast<int64_t>(floorf(far / span)) % 2 != 0;
  return turned ? high - rest : rest + low;
}

)";

bool GridSample(ElementProgram* p) {
  const std::string_view mode = p->Choice("mode"), padding = p->Choice("padding_mode");
  const int rank = p->shape(0).rank(), spatial = rank - 2;
  const bool aligned = p->attribute("align_corners").flag();
  if (mode == "bicubic" && spatial != 2) return false;
  const Axes sizes = p->Sizes(0);
  const Axes& at = p->axes();
  // Applies the padding mode to a coordinate along dimension `d`.
  const auto padded = [&](const std::string& place, const std::string& size) {
    const std::string last = "static_cast<float>(" + size + " - 1)";
    std::string text = place;
    if (padding == "reflection") {
      p->Helper("reflected", kReflected);
      text = aligned ? "reflected(" + text + ", 0.0f, " + last + ")"
                     : "reflected(" + text + ", -0.5f, " + last + " + 0.5f)";
    }
    return padding == "zeros" ? text : "fminf(fmaxf(" + text + ", 0.0f), " + last + ")";
  };
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d), &size = sizes[2 + d];
    // The last dimension of the grid lists x first.
    Axes grid = {at[0]};
    grid.insert(grid.end(), at.begin() + 2, at.end());
    grid.push_back(Text(spatial - 1 - d));
    const std::string named = p->Read(1, grid);
    p->Line("const float named_" + word + " = " +
            (aligned ? "(" + named + " + 1.0f) / 2.0f * (" + size + " - 1)"
                     : "((" + named + " + 1.0f) * " + size + " - 1.0f) / 2.0f") +
            ";");
    if (mode != "bicubic") {
      p->Line("const float place_" + word + " = " + padded("named_" + word, size) + ";");
    }
  }
  Axes from = at;
  const auto inside = [&](const Axes& names) {
    std::string text;
    for (int d = 0; d < spatial; ++d) {
      text += (d == 0 ? "" : " && ") + names[d] + " >= 0 && " + names[d] + " < " + sizes[2 + d];
    }
    return text;
  };
  if (mode == "bicubic") {
    p->Line("const float place_y = named_y, place_x = named_x;");
    WriteCubic(p, "place_y", "place_x", [&](const std::string& y, const std::string& x) {
      if (padding != "zeros") {
        const auto near = [&](const std::string& place, int d) {
          return "static_cast<int>(" + padded("static_cast<float>(" + place + ")", sizes[d]) + ")";
        };
        from[2] = near(y, 2);
        from[3] = near(x, 3);
        return p->Read(0, from);
      }
      from[2] = "(" + y + ")";
      from[3] = "(" + x + ")";
      return "(" + inside({y, x}) + " ? " + p->Read(0, from) + " : 0.0f)";
    });
    return true;
  }
  Axes names;
  const std::string index = "static_cast<" + p->Index() + ">(";
  for (int d = 0; d < spatial; ++d) {
    const std::string word = Word(spatial, d);
    // Halves are rounded to even.
    names.push_back(p->Declare("i" + word, index + (mode == "nearest" ? "nearbyintf" : "floorf") +
                                               "(place_" + word + "))"));
    from[2 + d] = names.back();
    if (mode != "nearest")
      p->Line("const float t" + word + " = place_" + word + " - i" + word + ";");
  }
  p->Line("float result = 0.0f;");
  if (mode == "nearest") {
    p->Line("if (" + inside(names) + ") result = " + p->Read(0, from) + ";");
    return true;
  }
  // The corners of the cell that are inside the operand, weighted by distance.
  for (int corner = 0; corner < 1 << spatial; ++corner) {
    std::string weight;
    Axes places;
    for (int d = 0; d < spatial; ++d) {
      const bool far = (corner >> (spatial - 1 - d) & 1) != 0;
      const std::string word = Word(spatial, d);
      places.push_back(far ? "i" + word + " + 1" : "i" + word);
      from[2 + d] = far ? "(" + places.back() + ")" : places.back();
      weight += (weight.empty() ? "" : " * ") + (far ? "t" + word : "(1.0f - t" + word + ")");
    }
    p->Line("if (" + inside(places) + ") result += " + weight + " * " + p->Read(0, from) + ";");
  }
  return true;
}

constexpr std::string_view kOutWords[3][3] = {{"out_length", "", ""},
                                              {"out_height", "out_width", ""},
                                              {"out_depth", "out_height", "out_width"}};

SymbolicShape InterpolatedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  const Attribute &size = AttributeOf(graph, node, "size"),
                  &factor = AttributeOf(graph, node, "scale_factor");
  for (int d = 2; d < rank; ++d) {
    if (!size.is_none()) {
      sizes[d] = scope->IntegerAttribute(node, "size", d - 2);
    } else {
      const double number = factor.number();
      sizes[d] =
          scope->AddSize(kOutWords[rank - 3][d - 2],
                         number == static_cast<double>(static_cast<std::int64_t>(number))
                             ? sizes[d] + " * " + NumberText(static_cast<std::int64_t>(number))
                             : "static_cast<int64_t>(" + sizes[d] + " * " +
                                   Literal(number, DType::kFloat64) + ")");
    }
  }
  return sizes;
}

SymbolicShape GridSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  const SymbolicShape grid = scope->Sizes(operands[1]);
  for (int d = 2; d < rank; ++d) sizes[d] = grid[d - 1];
  return sizes;
}

}  // namespace

void AddSamplingPrograms(std::vector<ProgramRow>* rows) {
  rows->push_back({"interpolate", Interpolate, "reads the elements around its place in the operand",
                   InterpolatedSizes});
  rows->push_back(
      {"grid_sample", GridSample, "reads the elements around the place that it names", GridSizes});
}

}  // namespace kernelmill
