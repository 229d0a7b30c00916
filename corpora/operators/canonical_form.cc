#include "corpora/operators/canonical_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

// Attributes of which one number stands for the same number in every dimension.
constexpr std::string_view kEachDimension[] = {"kernel_size", "stride",         "padding",
                                               "dilation",    "output_padding", "output_size"};
constexpr std::string_view kDimensions[] = {"dim",    "dim0",       "dim1",      "dim2",
                                            "dims",   "dimension",  "start_dim", "end_dim",
                                            "source", "destination"};
// What they count the dimensions of is the result; of other operators, the first operand.
constexpr std::string_view kOfResult[] = {"unsqueeze", "stack", "diag_embed"};
constexpr std::string_view kOfOperands[] = {"affine", "bias", "elementwise_affine"};
constexpr std::string_view kViews[] = {"clone",  "contiguous", "detach", "expand",  "flatten",
                                       "narrow", "reshape",    "slice",  "squeeze", "view"};

// A float that is an integer as that integer: 2.0 as 2.
Attribute Simplest(std::string_view name, const Attribute& attribute) {
  if (attribute.kind() == Attribute::Kind::kIntegers && !attribute.integers().empty()) {
    const std::span<const std::int64_t> values = attribute.integers();
    const bool equal = std::all_of(values.begin(), values.end(),
                                   [&](std::int64_t value) { return value == values[0]; });
    if (values.size() == 1 || (equal && IsOneOf(name, kEachDimension))) {
      return Attribute::Integer(values[0]);
    }
  }
  constexpr double kExact = 1LL << 53;
  const bool number = attribute.kind() == Attribute::Kind::kNumber;
  if (number && std::fabs(attribute.number()) < kExact &&
      attribute.number() == std::floor(attribute.number())) {
    return Attribute::Integer(static_cast<std::int64_t>(attribute.number()));
  }
  return attribute;
}

// Converts negative dimensions to non-negative ones, and sorts them if their order does not matter.
Attribute FromTheFront(const OperatorGraph& graph, const Node& node, const Attribute& attribute) {
  const bool list = attribute.kind() == Attribute::Kind::kIntegers;
  if (!list && attribute.kind() != Attribute::Kind::kInteger) return attribute;
  const std::span<const ValueId> operands = graph.operands(node);
  const bool of_result = IsOneOf(node.op->name, kOfResult);
  if (!of_result && (operands.empty() || operands[0] == kAbsent)) return attribute;
  const int rank = graph.value(of_result ? node.first_result : operands[0]).type.shape.rank();
  std::vector<std::int64_t> dimensions;
  for (const std::int64_t dimension : attribute.integers()) {
    dimensions.push_back(dimension < 0 ? dimension + rank : dimension);
  }
  if (!list) return Attribute::Integer(dimensions[0]);
  if (node.op->family == OperatorFamily::kReduction)
    std::sort(dimensions.begin(), dimensions.end());
  return Attribute::Integers(dimensions);
}

void AppendAttribute(std::string_view name, const Attribute& given, bool shapes,
                     std::string* text) {
  const Attribute attribute = Simplest(name, given);
  text->push_back(static_cast<char>(attribute.kind()));
  switch (attribute.kind()) {
    case Attribute::Kind::kNone:
      return;
    case Attribute::Kind::kSize:
      if (shapes) AppendNumber(attribute.integer(), text);
      return;
    case Attribute::Kind::kNumber:
      AppendNumber(std::bit_cast<std::int64_t>(attribute.number()), text);
      return;
    case Attribute::Kind::kIntegers:
      text->push_back(static_cast<char>(attribute.integers().size()));
      for (const std::int64_t value : attribute.integers()) AppendNumber(value, text);
      return;
    case Attribute::Kind::kFlag:
    case Attribute::Kind::kInteger:
    case Attribute::Kind::kChoice:
      AppendNumber(attribute.integer(), text);
      return;
  }
}

void AppendName(std::string_view name, std::string* text) {
  *text += name;
  *text += '\0';
}

// x[…, 2:5] as narrow(dim, start, length).
bool AppendSlice(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text) {
  const std::span<const Attribute> attributes = graph.attributes(node);
  if (attributes.size() != 4 || attributes[3] != Attribute::Integer(1)) return false;
  const Shape& shape = graph.value(node.first_result).type.shape;
  const Shape& from = graph.value(graph.operands(node)[0]).type.shape;
  std::int64_t dim = attributes[0].integer();
  if (dim < 0) dim += shape.rank();
  std::int64_t start = attributes[1].is_none() ? 0 : attributes[1].integer();
  const std::int64_t size = from[static_cast<int>(dim)];
  start = std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, size);
  AppendName("narrow", text);
  for (const std::int64_t value : {dim, start, shape[static_cast<int>(dim)]}) {
    AppendAttribute("", Attribute::Integer(value), shapes, text);
  }
  return true;
}

}  // namespace

void AppendNumber(std::int64_t value, std::string* text) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7) text->push_back(static_cast<char>(rest | 0x80));
  text->push_back(static_cast<char>(rest));
}

bool ChangesNothing(const OperatorGraph& graph, const Node& node) {
  if (!IsOneOf(node.op->name, kViews) && node.op->family != OperatorFamily::kCast) return false;
  const std::span<const ValueId> operands = graph.operands(node);
  return !operands.empty() && operands[0] != kAbsent &&
         graph.value(operands[0]).type == graph.value(node.first_result).type;
}

void AppendOperator(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text) {
  const std::string_view name = node.op->name;
  if (name == "slice" && AppendSlice(graph, node, shapes, text)) return;
  if (name == "relu6") {
    AppendName("hardtanh", text);
    AppendAttribute("min_val", Attribute::Integer(0), shapes, text);
    return AppendAttribute("max_val", Attribute::Integer(6), shapes, text);
  }
  const std::span<const Attribute> attributes = graph.attributes(node);
  if ((name == "clamp_min" || name == "clamp_max") && attributes.size() == 1) {
    AppendName("clamp", text);
    const bool low = name == "clamp_min";
    AppendAttribute("min", low ? attributes[0] : Attribute(), shapes, text);
    return AppendAttribute("max", low ? Attribute() : attributes[0], shapes, text);
  }
  AppendName(name, text);
  const Attribute* kernel_size = nullptr;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string_view attribute = node.op->attributes[i].name;
    if (IsOneOf(attribute, kOfOperands)) continue;
    if (attribute == "kernel_size") kernel_size = &attributes[i];
    const bool same = attribute == "stride" && attributes[i].is_none() && kernel_size != nullptr;
    // Of tensordot that is how many dimensions there are.
    const bool dimensions = IsOneOf(attribute, kDimensions) && name != "tensordot";
    AppendAttribute(attribute,
                    same         ? *kernel_size
                    : dimensions ? FromTheFront(graph, node, attributes[i])
                                 : attributes[i],
                    shapes, text);
  }
}

}  // namespace kernelmill
