#include "generators/lowering/sizes/symbolic_sizes.h"

#include <algorithm>
#include <map>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

std::vector<std::string> BroadcastSizes(GroupScope* scope, const Node& node, ValueId id) {
  const Shape& shape = scope->TypeOf(id).shape;
  std::vector<std::string> sizes(shape.rank(), "1");
  // In reverse, so that the first operand with a size determines its name.
  const auto operands = scope->graph().operands(node);
  for (std::size_t k = operands.size(); k-- > 0;) {
    if (operands[k] == kAbsent || !scope->HasValue(operands[k])) continue;
    const Shape& from = scope->TypeOf(operands[k]).shape;
    if (from.rank() > shape.rank() || (node.op->name == "prelu" && k == 1)) continue;
    const std::vector<std::string> given = scope->Sizes(operands[k]);
    const int missing = shape.rank() - from.rank();
    for (int d = 0; d < from.rank(); ++d) {
      if (from[d] == shape[d + missing]) sizes[d + missing] = given[d];
    }
  }
  return sizes;
}

// The sizes of the first operand without the reduced dimensions, or with 1 in their place.
std::vector<std::string> ReducedSizes(GroupScope* scope, const Node& node) {
  const ValueId input = scope->graph().operands(node)[0];
  const std::vector<std::string> given = scope->Sizes(input);
  const int dim = FindAttribute(*node.op, "dim");
  const std::vector<int> reduced = DimensionsOf(
      dim < 0 ? Attribute() : scope->graph().attributes(node)[dim], static_cast<int>(given.size()));
  const bool keep = AttributeOf(scope->graph(), node, "keepdim").flag();
  std::vector<std::string> sizes;
  for (int d = 0; d < static_cast<int>(given.size()); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) {
      sizes.push_back(given[d]);
    } else if (keep) {
      sizes.push_back("1");
    }
  }
  return sizes;
}

std::int64_t At(const OperatorGraph& graph, const Node& node, std::string_view name, int i) {
  return AttributeAt(AttributeOf(graph, node, name), i);
}

std::vector<std::string> ProductSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  const std::string_view name = node.op->name;
  const auto sizes_of = [&](int i) { return scope->Sizes(operands[i]); };
  if (name == "linear" || name == "bilinear") {
    std::vector<std::string> sizes = sizes_of(0);
    sizes.back() = sizes_of(name == "linear" ? 1 : 2)[0];
    return sizes;
  }
  if (name == "outer") return {sizes_of(0)[0], sizes_of(1)[0]};
  if (name == "tensordot") {
    const auto dims = AttributeOf(scope->graph(), node, "dims").integer();
    std::vector<std::string> sizes = sizes_of(0);
    const std::vector<std::string> right = sizes_of(1);
    sizes.resize(sizes.size() - dims);
    sizes.insert(sizes.end(), right.begin() + dims, right.end());
    return sizes;
  }
  if (name == "einsum") {
    const int index = FindAttribute(*node.op, "equation");
    const std::string_view equation =
        node.op->attributes[index].choices[scope->graph().attributes(node)[index].choice()];
    std::map<char, std::string> by_letter;
    std::size_t operand = 0, place = 0;
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < equation.find("->"); ++i) {
      if (equation[i] == ',') {
        ++operand;
        place = 0;
      } else {
        // An operand may be broadcast along a letter.
        const int d = static_cast<int>(place++);
        const std::string size = sizes_of(static_cast<int>(operand))[d];
        const bool known = !by_letter.emplace(equation[i], size).second;
        if (known && scope->TypeOf(operands[operand]).shape[d] != 1) by_letter[equation[i]] = size;
      }
    }
    for (const char letter : equation.substr(equation.find("->") + 2)) {
      sizes.push_back(by_letter[letter]);
    }
    return sizes;
  }
  if (name == "addbmm") return {sizes_of(1)[1], sizes_of(2)[2]};
  const int first = name == "addmm" || name == "addmv" || name == "baddbmm" ? 1 : 0;
  std::vector<std::string> left = sizes_of(first), right = sizes_of(first + 1), sizes;
  const bool row = left.size() == 1, column = right.size() == 1;
  const std::vector<std::string>& longer = left.size() >= right.size() ? left : right;
  if (longer.size() > 2) sizes.assign(longer.begin(), longer.end() - 2);
  if (!row) sizes.push_back(left[left.size() - 2]);
  if (!column) sizes.push_back(right.back());
  return sizes;
}

constexpr std::string_view kOutWords[3][3] = {{"out_length", "", ""},
                                              {"out_height", "out_width", ""},
                                              {"out_depth", "out_height", "out_width"}};

std::vector<std::string> ConvolutionSizes(GroupScope* scope, const Node& node, bool transposed) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  const Shape& weight = scope->TypeOf(operands[1]).shape;
  const int spatial = weight.rank() - 2;
  std::vector<std::string> sizes = scope->Sizes(operands[0]);
  const int first = static_cast<int>(sizes.size()) - spatial;
  const std::vector<std::string> weight_sizes = scope->Sizes(operands[1]);
  const std::int64_t groups = AttributeOf(graph, node, "groups").integer();
  sizes[first - 1] =
      !transposed ? weight_sizes[0]
      : groups == 1
          ? weight_sizes[1]
          : scope->AddSize("out_channels", weight_sizes[1] + " * " + GroupsOf(*scope, node));
  for (int d = 0; d < spatial; ++d) {
    const std::int64_t stride = At(graph, node, "stride", d),
                       padding = At(graph, node, "padding", d),
                       dilation = At(graph, node, "dilation", d), kernel = weight[2 + d];
    std::string count;
    if (transposed) {
      const std::int64_t more =
          dilation * (kernel - 1) + 1 - 2 * padding + At(graph, node, "output_padding", d);
      count = stride == 1
                  ? sizes[first + d]
                  : GroupScope::Parenthesized(sizes[first + d]) + " * " + std::to_string(stride);
      const std::int64_t offset = more - stride;
      if (offset != 0) count += (offset > 0 ? " + " : " - ") + std::to_string(std::abs(offset));
    } else {
      count = WindowCount(sizes[first + d], kernel, stride, padding, dilation);
    }
    sizes[first + d] = scope->AddSize(kOutWords[spatial - 1][d], count);
  }
  return sizes;
}

// The number of windows. With `ceil_mode` there is one more if it begins inside.
std::vector<std::string> PoolSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const std::string_view name = node.op->name;
  std::vector<std::string> sizes = scope->Sizes(graph.operands(node)[0]);
  const int spatial = PooledDimensions(name);
  const int first = static_cast<int>(sizes.size()) - spatial;
  for (int d = 0; d < spatial; ++d) {
    std::string& size = sizes[first + d];
    if (name.starts_with("adaptive")) {
      const Attribute& output = AttributeOf(graph, node, "output_size");
      size =
          output.kind() == Attribute::Kind::kIntegers
              ? scope->IntegerAttribute(node, "output_size",
                                        std::min(d, static_cast<int>(output.integers().size()) - 1))
              : scope->IntegerAttribute(node, "output_size");
      continue;
    }
    const auto given = [&](std::string_view word, std::int64_t otherwise) {
      const int index = FindAttribute(*node.op, word);
      if (index < 0) return otherwise;
      const Attribute& attribute = graph.attributes(node)[index];
      const bool none = attribute.is_none() || (attribute.kind() == Attribute::Kind::kIntegers &&
                                                attribute.integers().empty());
      return none ? otherwise : AttributeAt(attribute, d);
    };
    const std::int64_t kernel = given("kernel_size", 1), stride = given("stride", kernel),
                       padding = given("padding", 0), dilation = given("dilation", 1);
    std::string count = WindowCount(size, kernel, stride, padding, dilation);
    if (AttributeOf(graph, node, "ceil_mode").flag() && stride > 1) {
      const std::int64_t offset = 2 * padding - dilation * (kernel - 1) - 1 + stride - 1;
      const std::string all = scope->AddSize(
          "windows", '(' + Plus(size, offset) + ") / " + NumberText(stride) + " + 1");
      count = '(' + all + " - 1) * " + NumberText(stride) + " >= " + Plus(size, padding) + " ? " +
              all + " - 1 : " + all;
    }
    size = scope->AddSize(kOutWords[spatial - 1][d], count);
  }
  return sizes;
}

std::optional<SymbolicShape> ProgramSizes(GroupScope* scope, const Node& node) {
  const ProgramRow* const program = FindProgram(node.op->name);
  if (program == nullptr || program->sizes == nullptr) return std::nullopt;
  return program->sizes(scope, node);
}

}  // namespace

std::vector<std::string> SymbolicSizes(GroupScope* scope, const Node& node, ValueId id) {
  const int result = id - node.first_result;
  const OperatorClass is = ClassOf(scope->graph(), node);
  if (is == OperatorClass::kElementwise) return BroadcastSizes(scope, node, id);
  if (scope->TypeOf(id).shape.rank() == 0) return {};
  std::optional<SymbolicShape> sizes;
  if (is == OperatorClass::kConstant) sizes = ConstantSizes(scope, node);
  if (is == OperatorClass::kView) sizes = ViewSizes(scope, node, result);
  const auto operands = scope->graph().operands(node);
  if (!sizes && !operands.empty() && operands[0] != kAbsent) {
    // Also where a rule reads another operand first: the first operand has the shortest names.
    const SymbolicShape first = scope->Sizes(operands[0]);
    sizes = node.op->traits.keeps_sizes ? first : ProgramSizes(scope, node);
  }
  if (!sizes) sizes = ComposedSizes(scope, node, result);
  if (sizes) return *sizes;
  switch (node.op->family) {
    case OperatorFamily::kReduction:
    case OperatorFamily::kArgReduction:
      return ReducedSizes(scope, node);
    case OperatorFamily::kSoftmax:
    case OperatorFamily::kNorm:
    case OperatorFamily::kScan:
    case OperatorFamily::kTriangular:
      return scope->Sizes(scope->graph().operands(node)[0]);
    case OperatorFamily::kMatmul:
      return ProductSizes(scope, node);
    case OperatorFamily::kConvolution:
      return ConvolutionSizes(scope, node, false);
    case OperatorFamily::kTransposedConvolution:
      return ConvolutionSizes(scope, node, true);
    case OperatorFamily::kPooling:
      return PoolSizes(scope, node);
    default:
      break;
  }
  // If no rule covers the node, its sizes are those in the task.
  SymbolicShape own;
  for (const std::int64_t size : scope->TypeOf(id).shape) own.push_back(NumberText(size));
  return own;
}

}  // namespace kernelmill
