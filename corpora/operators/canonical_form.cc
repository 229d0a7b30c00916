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
constexpr std::string_view kOfOperands[] = {"affine", "bias", "elementwise_affine"};

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
  const bool of_result = node.op->traits.dimensions_of_result;
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

// As the other operator that the row names; false where it names none for this use.
bool AppendAsOther(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text) {
  if (node.op->same_as == nullptr) return false;
  std::vector<const TensorType*> operands;
  for (const ValueId id : graph.operands(node)) {
    operands.push_back(id == kAbsent ? nullptr : &graph.value(id).type);
  }
  std::vector<Attribute> attributes;
  const std::string_view name = node.op->same_as({operands, graph.attributes(node)},
                                                 graph.value(node.first_result).type, &attributes);
  if (name.empty()) return false;
  AppendName(name, text);
  for (const Attribute& attribute : attributes) AppendAttribute("", attribute, shapes, text);
  return true;
}

}  // namespace

void AppendNumber(std::int64_t value, std::string* text) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7) text->push_back(static_cast<char>(rest | 0x80));
  text->push_back(static_cast<char>(rest));
}

bool ChangesNothing(const OperatorGraph& graph, const Node& node) {
  if (!node.op->traits.same_if_same_type && node.op->family != OperatorFamily::kCast) return false;
  const std::span<const ValueId> operands = graph.operands(node);
  return !operands.empty() && operands[0] != kAbsent &&
         graph.value(operands[0]).type == graph.value(node.first_result).type;
}

void AppendOperator(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text) {
  if (AppendAsOther(graph, node, shapes, text)) return;
  const std::span<const Attribute> attributes = graph.attributes(node);
  AppendName(node.op->name, text);
  const Attribute* kernel_size = nullptr;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string_view attribute = node.op->attributes[i].name;
    if (IsOneOf(attribute, kOfOperands)) continue;
    if (attribute == "kernel_size") kernel_size = &attributes[i];
    const bool same = attribute == "stride" && attributes[i].is_none() && kernel_size != nullptr;
    // `dims` that is one number says how many dimensions there are: tensordot's.
    const bool count =
        attribute == "dims" && node.op->attributes[i].kind == Attribute::Kind::kInteger;
    const bool dimensions = IsOneOf(attribute, kDimensions) && !count;
    AppendAttribute(attribute,
                    same         ? *kernel_size
                    : dimensions ? FromTheFront(graph, node, attributes[i])
                                 : attributes[i],
                    shapes, text);
  }
}

}  // namespace kernelmill
