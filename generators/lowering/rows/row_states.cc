#include "generators/lowering/rows/row_states.h"

#include "generators/lowering/code_template.h"

namespace kernelmill {
namespace {

using Field = RowAccumulator::Field;

// The condition for `value` to replace `best` at `index`, as in torch: the greater value, the first
// of equal ones, and nothing after the first NaN.
std::string Beats(const std::string& sign, bool floating) {
  const std::string equal = "other_value == best && other_index < index";
  if (!floating) return "other_value " + sign + " best || (" + equal + ")";
  return "other_value != other_value ? !(best != best) || other_index < index\n"
         "                                 : other_value " +
         sign + " best || (" + equal + ")";
}

// The identity of an extremum: the lowest value of the type, or the greatest.
std::string Worst(DType dtype, bool greatest) {
  switch (dtype) {
    case DType::kBool:
      return greatest ? "true" : "false";
    case DType::kUInt8:
      return greatest ? "255" : "0";
    case DType::kInt8:
      return greatest ? "127" : "-128";
    case DType::kInt16:
      return greatest ? "32767" : "-32768";
    case DType::kInt32:
      return greatest ? "2147483647" : "-2147483647 - 1";
    case DType::kInt64:
      return greatest ? "9223372036854775807LL" : "-9223372036854775807LL - 1";
    default:
      return greatest ? "INFINITY" : "-INFINITY";
  }
}

}  // namespace

RowAccumulator SumState(const std::string& type) {
  const bool is_float = type == "float" || type == "double";
  return {.name = is_float ? "Sum" : "IntegerSum",
          .comment = "A sum of which every thread holds a part.",
          .fields = {{type, "total", is_float ? "0.0f" : "0"}},
          .value_type = type,
          .add = "total += value;",
          .merge = "total += other.total;"};
}

RowAccumulator ProductState(const std::string& type) {
  return {.name = "Product",
          .comment = "A product of which every thread holds a part.",
          .fields = {{type, "total", "1"}},
          .value_type = type,
          .add = "total *= value;",
          .merge = "total *= other.total;"};
}

RowAccumulator ExtremeOf(const std::string& type, DType dtype, bool maximum) {
  const std::string sign = maximum ? ">" : "<";
  const bool floating = IsFloating(dtype);
  const auto take = [&](const std::string& value) {
    return "if (" + value + " " + sign + " best" +
           (floating ? " || " + value + " != " + value : "") + ") best = " + value + ";";
  };
  return {.name = maximum ? "Maximum" : "Minimum",
          .comment = floating ? "NaN wins over every number, as in torch." : "",
          .fields = {{type, "best", Worst(dtype, !maximum)}},
          .value_type = type,
          .add = take("value"),
          .merge = take("other.best")};
}

RowAccumulator ArgExtremeOf(const std::string& type, DType dtype, bool maximum) {
  const std::string take = "if (" + Beats(maximum ? ">" : "<", IsFloating(dtype)) +
                           ") {\n    best = other_value;\n    index = other_index;\n  }";
  const std::string index = "9223372036854775807LL";
  return {.name = maximum ? "ArgMaximum" : "ArgMinimum",
          .comment =
              "The extreme value and where it stands: the first of equals, and NaN before "
              "every number.",
          .fields = {{type, "best", Worst(dtype, !maximum)}, {"int64_t", "index", index}},
          .value_type = type,
          .indexed = true,
          .add = "take(value, k);",
          .merge = "take(other.best, other.index);",
          .helper = "__device__ void take(" + type + " other_value, int64_t other_index) {\n  " +
                    take + "\n}"};
}

RowAccumulator OnlineExponentials() {
  return {.name = "OnlineExponentials",
          .comment =
              "The largest value so far, and the sum of exp(value - largest), which is "
              "scaled whenever a larger one comes.",
          .fields = {{"float", "largest", "-INFINITY"}, {"float", "total", "0.0f"}},
          .value_type = "float",
          .add =
              "if (value > largest) {\n"
              "  total = total * expf(largest - value) + 1.0f;\n"
              "  largest = value;\n"
              "} else {\n"
              "  // Infinities have no difference, and NaN has only itself.\n"
              "  total += value == largest ? 1.0f : expf(value - largest);\n"
              "}",
          .merge =
              "if (other.largest > largest) {\n"
              "  total = total * expf(largest - other.largest) + other.total;\n"
              "  largest = other.largest;\n"
              "} else {\n"
              "  total += other.largest == largest ? other.total\n"
              "                                    : other.total * expf(other.largest - largest);\n"
              "}"};
}

RowAccumulator Moments() {
  return {
      .name = "Moments",
      .comment =
          "Welford: the mean and the sum of squared distances from it, without the "
          "cancellation of a difference of two sums.",
      .fields = {{"float", "count", "0.0f"}, {"float", "mean", "0.0f"}, {"float", "m2", "0.0f"}},
      .value_type = "float",
      .add =
          "count += 1.0f;\n"
          "const float distance = value - mean;\n"
          "mean += distance / count;\n"
          "m2 += distance * (value - mean);",
      .merge =
          "if (other.count == 0.0f) return;\n"
          "const float both = count + other.count;\n"
          "const float distance = other.mean - mean;\n"
          "mean += distance * (other.count / both);\n"
          "m2 += other.m2 + distance * distance * count * (other.count / both);\n"
          "count = both;"};
}

// The second of two passes. Because the mean is rounded, the differences from it do not sum to
// exactly zero. Their sum corrects the mean, so that a row of equal elements has exactly their
// value as its mean.
RowAccumulator Distances() {
  return {.name = "Distances",
          .comment = "Distances from the mean, and their squares.",
          .fields = {{"float", "total", "0.0f"}, {"float", "squares", "0.0f"}},
          .value_type = "float",
          .add = "total += value;\nsquares += value * value;",
          .merge = "total += other.total;\nsquares += other.squares;"};
}

RowAccumulator AnyOrAll(bool all) {
  return {.name = all ? "All" : "Any",
          .comment = "",
          .fields = {{"int", "found", all ? "1" : "0"}},
          .value_type = "bool",
          .add = all ? "found &= value;" : "found |= value;",
          .merge = all ? "found &= other.found;" : "found |= other.found;"};
}

std::string RowAccumulator::Definition(const std::string& index, bool merged) const {
  std::string members, initial;
  for (const Field& field : fields) {
    members += field.type + ' ' + field.name + ";\n";
    initial += (initial.empty() ? "" : ", ") + field.initial;
  }
  return FillHoles(
      R"(
@comment@
struct @name@ {
  @members@

  static __device__ @name@ empty() { return {@initial@}; }
  __device__ void add(@value@ value@index@) {
    @add@
  }
  @merging@
  @helper@
};
)",
      {{"comment", CommentText(comment)},
       {"name", name},
       {"members", members},
       {"initial", initial},
       {"value", value_type},
       {"index", indexed ? ", " + index + " k" : ""},
       {"add", add},
       {"merging", !merged
                       ? ""
                       : FillHoles("__device__ void merge(const @name@& other) {\n  @merge@\n}\n",
                                   {{"name", name}, {"merge", merge}})},
       {"helper", helper}});
}

std::string RowAccumulator::Shuffle() const {
  std::string shuffled;
  for (const Field& field : fields) {
    const std::string member = "state." + field.name;
    const std::string held = field.type == "bool" ? "static_cast<int>(" + member + ")" : member;
    const std::string value = "__shfl_xor_sync(0xffffffff, " + held + ", offset)";
    const bool small = field.type != "float" && field.type != "double" && field.type != "int" &&
                       field.type != "int64_t";
    shuffled += (shuffled.empty() ? "" : ",\n        ") +
                (small ? "static_cast<" + field.type + ">(" + value + ")" : value);
  }
  return FillHoles(R"(
// The state of the lane whose index differs in the bits of `offset`.
__device__ @name@ shuffled(const @name@& state, int offset) {
  return {@shuffled@};
}
)",
                   {{"name", name}, {"shuffled", shuffled}});
}

}  // namespace kernelmill
