#include "generators/lowering/symbolic_sizes.h"

#include <algorithm>
#include <map>

#include "generators/lowering/contraction_spec.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/row_geometry.h"

namespace kernelmill {
namespace {

std::vector<std::string> BroadcastSizes(GroupScope* scope, const Node& node, ValueId id) {
  const Shape& shape = scope->TypeOf(id).shape;
  std::vector<std::string> sizes(shape.rank(), "1");
  // From the last operand on, so that the first one with a size gives its name.
  const auto operands = scope->graph().operands(node);
  for (std::size_t k = operands.size(); k-- > 0;) {
    if (operands[k] == kAbsent) continue;
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

// The sizes of the first operand without the dimensions that are reduced, or with 1 for them.
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
        by_letter.emplace(equation[i], sizes_of(static_cast<int>(operand))[place++]);
      }
    }
    for (const char letter : equation.substr(equation.find("->") + 2)) {
      sizes.push_back(by_letter[letter]);
    }
    return sizes;
  }
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
      count = stride == 1 ? sizes[first + d]
                          : GroupScope::Factor(sizes[first + d]) + " * " + std::to_string(stride);
      const std::int64_t offset = more - stride;
      if (offset != 0) count += (offset > 0 ? " + " : " - ") + std::to_string(std::abs(offset));
    } else {
      count = WindowCount(sizes[first + d], kernel, stride, padding, dilation);
    }
    sizes[first + d] = scope->AddSize(kOutWords[spatial - 1][d], count);
  }
  return sizes;
}

std::string Number(std::int64_t number) { return std::to_string(number); }

// "size + 3" without what changes nothing.
std::string Plus(const std::string& size, std::int64_t number) {
  if (number == 0) return size;
  return size + (number > 0 ? " + " : " - ") + Number(std::abs(number));
}

// How many windows there are; with `ceil_mode`, one more that begins inside, if any.
std::vector<std::string> PoolSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const std::string_view name = node.op->name;
  std::vector<std::string> sizes = scope->Sizes(graph.operands(node)[0]);
  const int spatial = name[name.size() - 2] - '0';
  const int first = static_cast<int>(sizes.size()) - spatial;
  for (int d = 0; d < spatial; ++d) {
    std::string& size = sizes[first + d];
    if (name.starts_with("adaptive")) {
      const Attribute& output = AttributeOf(graph, node, "output_size");
      size = Number(AttributeAt(output, d));
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
      const std::string all =
          scope->AddSize("windows", '(' + Plus(size, offset) + ") / " + Number(stride) + " + 1");
      count = '(' + all + " - 1) * " + Number(stride) + " >= " + Plus(size, padding) + " ? " + all +
              " - 1 : " + all;
    }
    size = scope->AddSize(kOutWords[spatial - 1][d], count);
  }
  return sizes;
}

std::string Sum(GroupScope* scope, std::string_view word, const std::vector<std::string>& sizes) {
  std::string text;
  for (const std::string& size : sizes) text += (text.empty() ? "" : " + ") + size;
  return scope->AddSize(word, text);
}

// Of operators that move elements; empty for those that have no rule here.
std::vector<std::string> MovedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  const std::string_view name = node.op->name;
  const Shape& result = scope->TypeOf(node.first_result).shape;
  if (operands.empty() || operands[0] == kAbsent) return {};
  std::vector<std::string> sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  const auto dim = [&](int of) { return DimensionOf(graph, node, "dim", of); };
  const auto same = {"contiguous",
                     "clone",
                     "detach",
                     "dropout",
                     "flip",
                     "roll",
                     "tril",
                     "triu",
                     "channel_shuffle",
                     "scatter",
                     "scatter_value",
                     "scatter_add",
                     "scatter_reduce",
                     "index_add",
                     "index_copy",
                     "index_fill",
                     "local_response_norm"};
  if (std::find(same.begin(), same.end(), name) != same.end()) return sizes;
  if (name == "cat" || name == "hstack" || name == "vstack") {
    const int d = name == "cat" ? dim(rank) : name == "vstack" || rank == 1 ? 0 : 1;
    std::vector<std::string> along;
    for (const ValueId id : operands) along.push_back(scope->Sizes(id)[d]);
    sizes[d] = Sum(scope, "joined", along);
    return sizes;
  }
  if (name == "stack") {
    sizes.insert(sizes.begin() + dim(rank + 1), Number(static_cast<std::int64_t>(operands.size())));
    return sizes;
  }
  if (name == "repeat" || name == "tile") {
    std::vector<std::string> repeated;
    const int more = result.rank() - rank;
    for (int d = 0; d < result.rank(); ++d) {
      const std::string own = d < more ? "1" : sizes[d - more];
      const std::int64_t before = d < more ? 1 : scope->TypeOf(operands[0]).shape[d - more];
      const std::int64_t times = before == 0 ? 1 : result[d] / before;
      repeated.push_back(
          times == 1 ? own : scope->AddSize("repeated", GroupScope::Product({own, Number(times)})));
    }
    return repeated;
  }
  if (name == "repeat_interleave") {
    const std::string times = Number(AttributeOf(graph, node, "repeats").integer());
    if (AttributeOf(graph, node, "dim").is_none()) {
      return {scope->AddSize("repeated", GroupScope::Product(sizes) + " * " + times)};
    }
    sizes[dim(rank)] =
        scope->AddSize("repeated", GroupScope::Factor(sizes[dim(rank)]) + " * " + times);
    return sizes;
  }
  if (name == "rot90") {
    const auto dims = AttributeOf(graph, node, "dims").integers();
    if (AttributeOf(graph, node, "k").integer() % 2 != 0 && dims.size() == 2) {
      std::swap(sizes[dims[0] < 0 ? dims[0] + rank : dims[0]],
                sizes[dims[1] < 0 ? dims[1] + rank : dims[1]]);
    }
    return sizes;
  }
  if (name == "pad") {
    const auto amounts = AttributeOf(graph, node, "pad").integers();
    for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
      std::string& size = sizes[rank - 1 - i / 2];
      size = scope->AddSize("padded", Plus(size, amounts[i] + amounts[i + 1]));
    }
    return sizes;
  }
  if (name == "gather") return scope->Sizes(operands[1]);
  if (name == "take") return scope->Sizes(operands[1]);
  if (name == "take_along_dim") {
    const std::vector<std::string> of_index = scope->Sizes(operands[1]);
    const int d = dim(rank);
    const Shape& index = scope->TypeOf(operands[1]).shape;
    for (int i = 0; i < rank; ++i) {
      if (i == d || index[i] != 1) sizes[i] = of_index[i];
    }
    return sizes;
  }
  if (name == "index_select") {
    sizes[dim(rank)] = scope->Sizes(operands[1])[0];
    return sizes;
  }
  if (name == "index") {
    std::vector<std::string> indexed = scope->Sizes(operands[1]);
    indexed.insert(indexed.end(), sizes.begin() + 1, sizes.end());
    return indexed;
  }
  if (name == "embedding") {
    sizes.push_back(scope->Sizes(operands[1])[1]);
    return sizes;
  }
  const auto wrap = [&](std::int64_t d) { return static_cast<int>(d < 0 ? d + rank : d); };
  const auto integer = [&](std::string_view word) {
    return AttributeOf(graph, node, word).integer();
  };
  if (name == "transpose" || name == "swapaxes" || name == "mT" || (name == "t" && rank == 2)) {
    const bool axes = name == "swapaxes", named = axes || name == "transpose";
    std::swap(sizes[wrap(named ? integer(axes ? "axis0" : "dim0") : -1)],
              sizes[wrap(named ? integer(axes ? "axis1" : "dim1") : -2)]);
    return sizes;
  }
  if (name == "permute") {
    std::vector<std::string> permuted;
    for (const std::int64_t d : AttributeOf(graph, node, "dims").integers()) {
      permuted.push_back(sizes[wrap(d)]);
    }
    return permuted;
  }
  if (name == "movedim") {
    const int from = wrap(integer("source")), to = wrap(integer("destination"));
    const std::string moved = sizes[from];
    sizes.erase(sizes.begin() + from);
    sizes.insert(sizes.begin() + to, moved);
    return sizes;
  }
  if (name == "view" || name == "reshape") {
    std::vector<std::string> given;
    std::int64_t known = 1;
    const auto integers = AttributeOf(graph, node, name == "view" ? "size" : "shape").integers();
    for (const std::int64_t size : integers) known *= size == -1 ? 1 : size;
    for (const std::int64_t size : integers) {
      given.push_back(size != -1 ? Number(size)
                                 : scope->AddSize("rest", scope->TensorName(operands[0]) +
                                                              ".numel() / " + Number(known)));
    }
    return given;
  }
  if (name == "flatten") {
    const int from = wrap(integer("start_dim")), to = wrap(integer("end_dim"));
    const std::string flat =
        scope->AddSize("flat", GroupScope::Product({sizes.begin() + from, sizes.begin() + to + 1}));
    sizes.erase(sizes.begin() + from, sizes.begin() + to + 1);
    sizes.insert(sizes.begin() + from, flat);
    return sizes;
  }
  if (name == "unsqueeze") {
    const std::int64_t d = integer("dim");
    sizes.insert(sizes.begin() + (d < 0 ? d + rank + 1 : d), "1");
    return sizes;
  }
  if (name == "expand" || name == "expand_as") {
    const int more = result.rank() - rank;
    std::vector<std::string> spread;
    for (int d = 0; d < result.rank(); ++d) {
      const bool own = d >= more && scope->TypeOf(operands[0]).shape[d - more] == result[d];
      spread.push_back(own                   ? sizes[d - more]
                       : name == "expand_as" ? scope->Sizes(operands[1])[d]
                                             : Number(result[d]));
    }
    return spread;
  }
  if (name == "select") {
    sizes.erase(sizes.begin() + wrap(integer("dim")));
    return sizes;
  }
  const auto numbers = [&] {
    std::vector<std::string> own;
    for (const std::int64_t size : result) own.push_back(Number(size));
    return own;
  };
  // What lies on the diagonal is as long as in the task.
  if (name == "diag" && rank == 2) return numbers();
  if (name == "slice") {
    const int d = wrap(integer("dim"));
    sizes[d] = Number(result[d]);
    return sizes;
  }
  if (name == "narrow") {
    sizes[wrap(integer("dim"))] = Number(integer("length"));
    return sizes;
  }
  if (name == "sort" || name == "argsort") return sizes;
  if (name == "topk") {
    sizes[dim(rank)] = Number(integer("k"));
    return sizes;
  }
  if (name == "kthvalue" || name == "median_dim") {
    if (AttributeOf(graph, node, "keepdim").flag()) {
      sizes[dim(rank)] = "1";
    } else {
      sizes.erase(sizes.begin() + dim(rank));
    }
    return sizes;
  }
  if ((name == "cross_entropy" || name == "nll_loss") && result.rank() > 0) {
    return scope->Sizes(operands[1]);
  }
  if (name == "scaled_dot_product_attention") {
    sizes.back() = scope->Sizes(operands[2]).back();
    return sizes;
  }
  if (name == "cdist") {
    sizes.back() = scope->Sizes(operands[1])[rank - 2];
    return sizes;
  }
  if (name == "pairwise_distance") {
    if (AttributeOf(graph, node, "keepdim").flag()) {
      sizes.back() = "1";
    } else {
      sizes.pop_back();
    }
    return sizes;
  }
  if (name == "cosine_similarity") {
    sizes.erase(sizes.begin() + dim(rank));
    return sizes;
  }
  if (name == "searchsorted") return scope->Sizes(operands[1]);
  if (name == "bucketize") return sizes;
  if (node.op->family == OperatorFamily::kLoss) {
    return result.rank() == rank ? sizes : std::vector<std::string>();
  }
  if (name == "one_hot") {
    sizes.push_back(Number(result.Back(0)));
    return sizes;
  }
  if (name == "diff") {
    sizes[dim(rank)] = scope->AddSize("differences", sizes[dim(rank)] + " - 1");
    return sizes;
  }
  if (name == "glu") {
    sizes[dim(rank)] = scope->AddSize("half", sizes[dim(rank)] + " / 2");
    return sizes;
  }
  if (name == "pixel_shuffle" || name == "pixel_unshuffle") {
    const bool up = name == "pixel_shuffle";
    const std::int64_t r =
        AttributeOf(graph, node, up ? "upscale_factor" : "downscale_factor").integer();
    const std::string scale = up ? " * " : " / ", back = up ? " / " : " * ";
    sizes[rank - 3] = scope->AddSize("out_channels", sizes[rank - 3] + back + Number(r * r));
    sizes[rank - 2] = scope->AddSize("out_height", sizes[rank - 2] + scale + Number(r));
    sizes[rank - 1] = scope->AddSize("out_width", sizes[rank - 1] + scale + Number(r));
    return sizes;
  }
  if (name == "interpolate") {
    const Attribute &size = AttributeOf(graph, node, "size"),
                    &factor = AttributeOf(graph, node, "scale_factor");
    for (int d = 2; d < rank; ++d) {
      if (!size.is_none()) {
        sizes[d] = Number(AttributeAt(size, d - 2));
      } else {
        const double number = factor.number();
        sizes[d] = scope->AddSize(kOutWords[rank - 3][d - 2],
                                  number == static_cast<double>(static_cast<std::int64_t>(number))
                                      ? sizes[d] + " * " + Number(static_cast<std::int64_t>(number))
                                      : "static_cast<int64_t>(" + sizes[d] + " * " +
                                            Literal(number, DType::kFloat64) + ")");
      }
    }
    return sizes;
  }
  if (name == "unfold" && rank == 4) {
    const auto at = [&](std::string_view word, int d) { return At(graph, node, word, d); };
    std::vector<std::string> windows;
    for (int d = 0; d < 2; ++d) {
      windows.push_back(
          scope->AddSize(d == 0 ? "windows_down" : "windows_across",
                         WindowCount(sizes[2 + d], at("kernel_size", d), at("stride", d),
                                     at("padding", d), at("dilation", d))));
    }
    return {sizes[0],
            scope->AddSize("column",
                           sizes[1] + " * " + Number(at("kernel_size", 0) * at("kernel_size", 1))),
            scope->AddSize("windows", GroupScope::Product(windows))};
  }
  if (name.ends_with("_like")) return sizes;
  if (name == "diag" && rank == 1) {
    const std::int64_t diagonal = AttributeOf(graph, node, "diagonal").integer();
    const std::string size = scope->AddSize("side", Plus(sizes[0], std::abs(diagonal)));
    return {size, size};
  }
  return {};
}

}  // namespace

std::vector<std::string> SymbolicSizes(GroupScope* scope, const Node& node, ValueId id) {
  switch (ClassOf(scope->graph(), node)) {
    case OperatorClass::kElementwise:
      return BroadcastSizes(scope, node, id);
    default:
      break;
  }
  if (scope->TypeOf(id).shape.rank() == 0) return {};
  const std::vector<std::string> moved = MovedSizes(scope, node);
  if (!moved.empty()) return moved;
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
  // What no rule names has the sizes that it has in the task.
  std::vector<std::string> sizes;
  for (const std::int64_t size : scope->TypeOf(id).shape) sizes.push_back(std::to_string(size));
  return sizes;
}

}  // namespace kernelmill
