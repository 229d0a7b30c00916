#include "generators/lowering/group_scope.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/symbolic_sizes.h"
#include "manifests/invariant.h"

namespace kernelmill {
namespace {

// Far below the range of int, because other sizes may be larger than the task's.
constexpr std::int64_t kMaxIntElements = std::int64_t{1} << 28;

constexpr std::array<std::array<std::string_view, 5>, 6> kSizeWords = {{
    {},
    {"length"},
    {"rows", "cols"},
    {"batch", "rows", "cols"},
    {"batch", "channels", "height", "width"},
    {"batch", "channels", "depth", "height", "width"},
}};
constexpr std::array<std::array<std::string_view, 5>, 6> kAxisWords = {{
    {},
    {"col"},
    {"line", "col"},
    {"b", "line", "col"},
    {"b", "c", "h", "w"},
    {"b", "c", "d", "h", "w"},
}};

// Names that kernels and host functions use themselves.
constexpr std::string_view kReserved[] = {
    "i",         "k",          "n",           "row",         "col",
    "b",         "c",          "d",           "h",           "w",
    "first",     "out",        "threads",     "blocks",      "stream",
    "guard",     "lane",       "warp",        "tid",         "length",
    "rows",      "cols",       "batch",       "channels",    "height",
    "width",     "depth",      "max",         "min",         "state",
    "sum",       "mean",       "value",       "acc",         "grid",
    "block",     "step",       "int",         "float",       "half",
    "double",    "bool",       "char",        "short",       "long",
    "auto",      "new",        "delete",      "this",        "default",
    "ops",       "self",       "torch",       "nn",          "register",
    "input0",    "m",          "group",       "groups",      "sums",
    "at",        "tx",         "ty",          "result",      "parts",
    "splits",    "chunk",      "count",       "image",       "M",
    "N",         "K",          "pack",        "inner",       "scratch",
    "partial",   "below",      "buffers",     "memory",      "sequence",
    "own",       "index",      "layer",       "direction",   "t",
    "before",    "gates",      "losses",      "scores",      "shared",
    "own",       "begin",      "end",         "part",        "query",
    "key",       "head",       "heads",       "scale",       "first_mean",
    "squares",   "total",      "log_total",   "largest",     "extreme",
    "moments",   "distances",  "flag",        "product",     "rest",
    "gate",      "loss",       "near",        "far",         "across",
    "dot",       "left",       "right",       "u",           "v",
    "weights",   "score",      "top",         "shared_top",  "shared_scale",
    "warps",     "best",       "most",        "tile",        "values",
    "counts",    "places",     "inside",      "other",       "place",
    "find",      "found",      "line",        "named",       "from",
    "token",     "middle",     "low",         "high",        "next",
    "behind",    "a",          "z",           "y_tile",      "of_row",
    "limit",     "options",    "input_gate",  "forget_gate", "output_gate",
    "candidate", "reset_gate", "update_gate", "done",        "carry",
    "mine",      "row_sum",    "column",      "channel",   "staged",
    "q_tile",    "k_tile",     "v_tile",      "tiles",     "piece",
    "j",         "r",          "e",           "pairs",     "stride",
    "sorted",    "pair",       "span",        "offset",    "number",
    "second"};

bool IsLiteral(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

bool IsView(const OperatorGraph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.role == ValueRole::kInput) return value.layout != InputLayout::kContiguous;
  return value.role == ValueRole::kResult &&
         graph.nodes()[value.node].op->family == OperatorFamily::kShape;
}

GroupScope::GroupScope(const OperatorGraph& graph, const FusionGroup& group,
                       const KernelBackend& backend, const std::vector<std::string>& value_names,
                       std::string function, const ModuleText* module)
    : graph_(graph),
      group_(group),
      backend_(backend),
      function_(std::move(function)),
      module_(module),
      tensor_names_(graph.values().size()),
      taken_(std::begin(kReserved), std::end(kReserved)) {
  std::int64_t largest = 0;
  for (const std::vector<ValueId>* ids : {&group.inputs, &group.outputs}) {
    for (const ValueId id : *ids) largest = std::max(largest, TypeOf(id).shape.Elements());
  }
  index_ = largest > kMaxIntElements ? "int64_t" : "int";
  for (const ValueId id : group.inputs) {
    // Results get neutral names, so that equal groups have the same code.
    std::string word = graph.value(id).is_computed() ? "x" : value_names[id];
    // Without the conversion in "self.mask.to(x.device)".
    word = word.substr(0, word.find(".to("));
    const std::size_t dot = word.rfind('.');
    if (dot != word.npos) word = word.substr(dot + 1);
    tensor_names_[id] = Unique(word.empty() ? "x" : word);
  }
  for (std::size_t i = 0; i < group.outputs.size(); ++i) {
    tensor_names_[group.outputs[i]] =
        group.outputs.size() == 1 ? "out" : Unique("out" + std::to_string(i));
  }
}

bool GroupScope::IsInput(ValueId id) const {
  return std::find(group_.inputs.begin(), group_.inputs.end(), id) != group_.inputs.end();
}

bool GroupScope::IsOutput(ValueId id) const {
  return std::find(group_.outputs.begin(), group_.outputs.end(), id) != group_.outputs.end();
}

bool GroupScope::HasValue(ValueId id) const {
  const Value& value = graph_.value(id);
  return IsInput(id) ||
         (value.role == ValueRole::kResult &&
          std::find(group_.nodes.begin(), group_.nodes.end(), value.node) != group_.nodes.end());
}

const std::string& GroupScope::TensorName(ValueId id) const { return tensor_names_[id]; }

std::string GroupScope::Unique(std::string_view word) {
  std::string name(word);
  for (int i = 1; !taken_.insert(name).second; ++i) name = std::string(word) + std::to_string(i);
  return name;
}

std::string GroupScope::AddSize(std::string_view word, const std::string& expression) {
  if (IsLiteral(expression)) return expression;
  return AddHostValue(index_, word, expression);
}

std::string GroupScope::AddHostValue(const std::string& type, std::string_view word,
                                     const std::string& expression) {
  for (const HostValue& value : values_) {
    if (!expression.empty() && value.expression == expression && value.type == type) {
      return value.name;
    }
    if (value.name == expression) return expression;
  }
  // A word that is reserved for sizes may be used once, for a size.
  const auto is_free = [&](const std::string& text) {
    const bool reserved =
        std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved);
    return (reserved || !taken_.contains(text)) &&
           std::none_of(values_.begin(), values_.end(),
                        [&](const HostValue& value) { return value.name == text; });
  };
  std::string name(word);
  for (int i = 1; !is_free(name); ++i) name = std::string(word) + std::to_string(i);
  taken_.insert(name);
  values_.push_back({type, name, expression});
  return name;
}

std::vector<std::string> GroupScope::Sizes(ValueId id) {
  for (const auto& [known, sizes] : sizes_) {
    if (known == id) return sizes;
  }
  std::vector<std::string> sizes;
  const Value& value = graph_.value(id);
  if (IsInput(id)) {
    const int rank = value.type.shape.rank();
    for (int d = 0; d < rank; ++d) {
      std::string word = rank <= 5 ? std::string(kSizeWords[rank][d]) : "size" + std::to_string(d);
      const bool taken = std::any_of(values_.begin(), values_.end(),
                                     [&](const HostValue& known) { return known.name == word; });
      if (value.role != ValueRole::kInput && value.role != ValueRole::kResult) {
        // The sizes of a layer's weight: the first is the number of outputs.
        word = rank >= 3 && d == 0   ? "out_channels"
               : rank == 2 && d == 0 ? "out_features"
               : rank == 2           ? "in_features"
                                     : TensorName(id) + "_" + word;
      } else if (taken) {
        word = TensorName(id) + "_" + word;
      }
      sizes.push_back(AddSize(word, TensorName(id) + ".size(" + std::to_string(d) + ")"));
    }
  } else {
    sizes = ResultSizes(graph_.nodes()[value.node], id);
    KM_CHECK(static_cast<int>(sizes.size()) == value.type.shape.rank(),
             "a size for each dimension of a result");
  }
  sizes_.emplace_back(id, sizes);
  return sizes;
}

std::string GroupScope::IntegerAttribute(const Node& node, std::string_view attribute, int i) {
  const int index = FindAttribute(*node.op, attribute);
  const Attribute& value = graph_.attributes(node)[index];
  const std::string literal = std::to_string(
      value.kind() == Attribute::Kind::kIntegers ? AttributeAt(value, i) : value.integer());
  const auto number = static_cast<std::size_t>(&node - graph_.nodes().data());
  if (module_ == nullptr || number >= module_->attributes.size() ||
      static_cast<std::size_t>(index) >= module_->attributes[number].size()) {
    return literal;
  }
  // The text has one item per element, separated by commas.
  std::string text = module_->attributes[number][index];
  for (int k = 0; k < i && value.kind() == Attribute::Kind::kIntegers; ++k) {
    const std::size_t comma = text.find(", ");
    if (comma == text.npos) return literal;
    text.erase(0, comma + 2);
  }
  text = text.substr(0, text.find(", "));
  if (text.empty() || text.find_first_not_of("-0123456789") == text.npos) return literal;
  // "-self.count" counts from the end; the kernel is passed the count.
  const std::string sign = text.starts_with('-') ? "-" : "";
  text.erase(0, sign.size());
  if (text.find('@') != text.npos) {
    // "@.size(2) // 4" is computed from a tensor of the group.
    const ValueId operand = graph_.operands(node)[0];
    if (!HasValue(operand)) return literal;
    constexpr std::string_view kSize = "@.size(";
    const std::vector<std::string> sizes = Sizes(operand);
    for (std::size_t at = text.find(kSize); at != text.npos; at = text.find(kSize, at)) {
      const std::size_t end = text.find(')', at);
      const auto d = static_cast<std::size_t>(std::atoi(text.c_str() + at + kSize.size()));
      if (end == text.npos || d >= sizes.size()) return literal;
      text.replace(at, end + 1 - at, Parenthesized(sizes[d]));
    }
    if (text.find_first_of("@.") != text.npos) return literal;
    for (std::size_t at = text.find("//"); at != text.npos; at = text.find("//", at)) {
      text.replace(at, 2, "/");
    }
    return sign + AddSize(attribute, text);
  }
  for (const Argument& known : arguments_) {
    if (known.python == text) return sign + known.name;
  }
  std::string word = text.substr(0, text.find(".size("));
  word = text.find(' ') != text.npos
             ? std::string(attribute)
             : word.substr(word.rfind('.') + 1) + (word.size() < text.size() ? "_size" : "");
  std::erase_if(word, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  // Single letters are used for coordinates.
  if (word.size() == 1) word = "given_" + word;
  const std::string name = AddHostValue(index_, word, "");
  arguments_.push_back({name, text});
  return sign + name;
}

std::vector<std::string> GroupScope::ResultSizes(const Node& node, ValueId id) {
  return SymbolicSizes(this, node, id);
}

std::string GroupScope::Product(const std::vector<std::string>& sizes) {
  std::string text;
  for (const std::string& size : sizes) {
    if (size == "1") continue;
    if (!text.empty()) text += " * ";
    text += Parenthesized(size);
  }
  return text.empty() ? "1" : text;
}

std::string GroupScope::Parenthesized(const std::string& expression) {
  const bool simple = std::all_of(expression.begin(), expression.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '(' || c == ')';
  });
  return simple ? expression : '(' + expression + ')';
}

Coordinates GroupScope::At(const std::vector<std::string>& sizes, const std::string& linear) {
  Coordinates at;
  at.sizes = sizes;
  at.linear = linear;
  const std::size_t rank = sizes.size();
  if (rank == 1) {
    at.axes = {linear};
    return at;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    at.axes.push_back(rank <= 5 ? std::string(kAxisWords[rank][d]) : "i" + std::to_string(d));
  }
  return at;
}

std::string GroupScope::AxisDeclarations(const Coordinates& at, std::string_view code) const {
  std::string text;
  const std::size_t rank = at.axes.size();
  if (rank < 2) return text;
  for (std::size_t d = rank; d-- > 0;) {
    if (!UsesName(code, at.axes[d])) continue;
    const std::vector<std::string> behind(at.sizes.begin() + d + 1, at.sizes.end());
    const std::string product = Product(behind);
    std::string expression = Parenthesized(at.linear);
    if (product != "1") {
      expression += " / " + (product.find(' ') == product.npos ? product : "(" + product + ")");
    }
    if (d > 0) expression += " % " + Parenthesized(at.sizes[d]);
    if (at.sizes[d] == "1") expression = "0";
    text += "const " + index_ + ' ' + at.axes[d] + " = " + expression + ";\n";
  }
  return text;
}

std::optional<std::string> GroupScope::NumberFromSizes(const Node& node,
                                                       std::string_view attribute) {
  const int at = FindAttribute(*node.op, attribute);
  if (others_.empty() || at < 0) return std::nullopt;
  const auto index = &node - graph_.nodes().data();
  const double own = graph_.attributes(node)[at].number();
  std::vector<double> there;
  for (const OperatorGraph& other : others_) {
    there.push_back(other.attributes(other.nodes()[index])[at].number());
  }
  const auto positive = [](double number) { return number > 0; };
  const bool follows = std::any_of(there.begin(), there.end(), [&](double n) { return n != own; });
  if (!follows || own <= 0 || !std::all_of(there.begin(), there.end(), positive)) {
    return std::nullopt;
  }
  struct Power {
    double exponent;
    std::string_view before, after;
  };
  static constexpr Power kPowers[] = {
      {-0.5, "1.0f / std::sqrt(static_cast<float>(", "))"},
      {0.5, "std::sqrt(static_cast<float>(", "))"},
      {-1.0, "1.0f / static_cast<float>(", ")"},
      {1.0, "static_cast<float>(", ")"},
  };
  for (const ValueId id : group_.inputs) {
    const Shape& shape = graph_.value(id).type.shape;
    for (int d = 0; d < shape.rank(); ++d) {
      for (const Power& power : kPowers) {
        const double factor = own / std::pow(shape[d], power.exponent);
        const auto fits = [&](std::size_t i) {
          const std::int64_t size = others_[i].value(id).type.shape[d];
          return size > 0 && std::abs(factor * std::pow(size, power.exponent) - there[i]) <=
                                 1e-9 * there[i];
        };
        bool all = shape[d] > 0;
        for (std::size_t i = 0; i < there.size(); ++i) all = all && fits(i);
        if (!all) continue;
        const DType type = ComputeDTypeOf(graph_, node);
        if (!IsFloating(type)) {
          if (power.exponent != 1 || factor != std::floor(factor)) continue;
          const std::string times = std::to_string(static_cast<std::int64_t>(factor));
          return AddHostValue(Scalar(type).compute, "factor", Product({times, Sizes(id)[d]}));
        }
        std::string text = std::string(power.before) + Sizes(id)[d] + std::string(power.after);
        if (std::abs(factor - 1) > 1e-9) text = Literal(factor, DType::kFloat32) + " * " + text;
        // "scale" is a name that kernels use themselves.
        return AddHostValue("float", "factor", text);
      }
    }
  }
  return std::nullopt;
}

void GroupScope::UseStridesOfViews() {
  for (const ValueId id : group_.inputs) {
    if (IsView(graph_, id)) UseStrides(id);
  }
}

std::string GroupScope::Stride(ValueId id, int dimension) {
  const std::string name = TensorName(id) + "_stride" + std::to_string(dimension);
  return AddHostValue(index_, name, TensorName(id) + ".stride(" + std::to_string(dimension) + ")");
}

std::string GroupScope::InIndexType(std::string_view value) const {
  return index_ == "int" ? std::string(value)
                         : "static_cast<" + index_ + ">(" + std::string(value) + ')';
}

LaunchParameter GroupScope::TensorParameter(ValueId id) const {
  const ScalarName scalar = Scalar(id);
  const bool is_input = IsInput(id);
  const std::string& name = TensorName(id);
  const std::string pointer = (is_input ? "const " : "") + scalar.storage + "*";
  std::string argument = name + ".data_ptr<" + scalar.torch + ">()";
  if (scalar.torch != scalar.storage)
    argument = "reinterpret_cast<" + pointer + ">(" + argument + ")";
  return {pointer + " __restrict__", name, argument};
}

std::vector<LaunchParameter> GroupScope::Parameters() const {
  std::vector<LaunchParameter> parameters;
  for (const ValueId id : group_.inputs) parameters.push_back(TensorParameter(id));
  for (const ValueId id : group_.outputs) parameters.push_back(TensorParameter(id));
  for (const HostValue& value : values_) parameters.push_back({value.type, value.name, value.name});
  return parameters;
}

std::string GroupScope::HostValues(std::string_view code) const {
  std::string needed(code), text;
  std::vector<bool> used(values_.size());
  for (std::size_t i = values_.size(); i-- > 0;) {
    used[i] = UsesName(needed, values_[i].name);
    if (used[i]) needed += ' ' + values_[i].expression;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (used[i] && !values_[i].expression.empty()) {
      text += "const " + values_[i].type + ' ' + values_[i].name + " = " + values_[i].expression +
              ";\n";
    }
  }
  return text;
}

}  // namespace kernelmill
