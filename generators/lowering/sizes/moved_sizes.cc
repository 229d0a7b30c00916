#include <algorithm>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

constexpr std::string_view kOutWords[3][3] = {{"out_length", "", ""},
                                              {"out_height", "out_width", ""},
                                              {"out_depth", "out_height", "out_width"}};

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

}  // namespace

std::optional<SymbolicShape> MovedSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  const std::string_view name = node.op->name;
  const Shape& result = scope->TypeOf(node.first_result).shape;
  if (operands.empty() || operands[0] == kAbsent) return std::nullopt;
  std::vector<std::string> sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size());
  const auto dim = [&](int of) { return DimensionOf(graph, node, "dim", of); };
  if (node.op->traits.keeps_sizes) return sizes;
  const bool lines_up = (name == "vstack" && rank < 2) || (name == "hstack" && rank == 0);
  if (lines_up) {
    if (rank == 0 && name == "vstack") sizes = {"1"};
    sizes.insert(sizes.begin(), NumberText(static_cast<std::int64_t>(operands.size())));
    return sizes;
  }
  if (name == "cat" || name == "hstack" || name == "vstack") {
    const int d = name == "cat" ? dim(rank) : name == "vstack" || rank == 1 ? 0 : 1;
    std::vector<std::string> along;
    for (const ValueId id : operands) along.push_back(scope->Sizes(id)[d]);
    sizes[d] = SumOfSizes(scope, "joined", along);
    return sizes;
  }
  if (name == "stack") {
    sizes.insert(sizes.begin() + dim(rank + 1),
                 NumberText(static_cast<std::int64_t>(operands.size())));
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
          times == 1 ? own
                     : scope->AddSize("repeated", GroupScope::Product({own, NumberText(times)})));
    }
    return repeated;
  }
  if (name == "repeat_interleave") {
    const std::string times = NumberText(AttributeOf(graph, node, "repeats").integer());
    if (AttributeOf(graph, node, "dim").is_none()) {
      return SymbolicShape{scope->AddSize("repeated", GroupScope::Product(sizes) + " * " + times)};
    }
    sizes[dim(rank)] =
        scope->AddSize("repeated", GroupScope::Parenthesized(sizes[dim(rank)]) + " * " + times);
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
      const std::string before = scope->IntegerAttribute(node, "pad", static_cast<int>(i)),
                        after = scope->IntegerAttribute(node, "pad", static_cast<int>(i + 1));
      // Two constants are added up; otherwise each amount is named.
      const bool numbers = before == NumberText(amounts[i]) && after == NumberText(amounts[i + 1]);
      size = scope->AddSize("padded", numbers ? Plus(size, amounts[i] + amounts[i + 1])
                                              : size + " + " + before + " + " + after);
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
  if (name == "index" && rank > 0) {
    std::vector<std::string> indexed = scope->Sizes(operands[1]);
    indexed.insert(indexed.end(), sizes.begin() + 1, sizes.end());
    return indexed;
  }
  if (name == "embedding") {
    sizes.push_back(scope->Sizes(operands[1])[1]);
    return sizes;
  }
  if (name == "one_hot") {
    sizes.push_back(scope->IntegerAttribute(node, "num_classes"));
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
    sizes[rank - 3] = scope->AddSize("out_channels", sizes[rank - 3] + back + NumberText(r * r));
    sizes[rank - 2] = scope->AddSize("out_height", sizes[rank - 2] + scale + NumberText(r));
    sizes[rank - 1] = scope->AddSize("out_width", sizes[rank - 1] + scale + NumberText(r));
    return sizes;
  }
  if (name == "interpolate") {
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
  if (name == "unfold") {
    const SymbolicShape windows = {WindowsAlong(scope, node, 0, sizes[rank - 2], "windows_down"),
                                   WindowsAlong(scope, node, 1, sizes[rank - 1], "windows_across")};
    const std::int64_t taps = At(graph, node, "kernel_size", 0) * At(graph, node, "kernel_size", 1);
    sizes[rank - 3] = scope->AddSize("column", sizes[rank - 3] + " * " + NumberText(taps));
    sizes.resize(sizes.size() - 2);
    sizes.push_back(scope->AddSize("windows", GroupScope::Product(windows)));
    return sizes;
  }
  if (name == "fold") {
    const std::int64_t taps = At(graph, node, "kernel_size", 0) * At(graph, node, "kernel_size", 1);
    sizes.back() = scope->IntegerAttribute(node, "output_size", 0);
    sizes.push_back(scope->IntegerAttribute(node, "output_size", 1));
    sizes[rank - 2] = scope->AddSize("channels", sizes[rank - 2] + " / " + NumberText(taps));
    return sizes;
  }
  if (name == "grid_sample") {
    const SymbolicShape grid = scope->Sizes(operands[1]);
    for (int d = 2; d < rank; ++d) sizes[d] = grid[d - 1];
    return sizes;
  }
  if (name == "kron") {
    SymbolicShape product = scope->Sizes(operands[1]);
    const int missing = result.rank() - static_cast<int>(product.size());
    product.insert(product.begin(), std::max(0, missing), "1");
    for (int d = 0; d < rank; ++d) {
      std::string& size = product[product.size() - rank + d];
      size = scope->AddSize("joined", GroupScope::Product({sizes[d], size}));
    }
    return product;
  }
  if (name == "embedding_bag") return SymbolicShape{sizes[0], scope->Sizes(operands[1])[1]};
  if (name == "diag" && rank == 2) {
    const std::int64_t offset = AttributeOf(graph, node, "diagonal").integer();
    const std::string down = Plus(sizes[0], std::min<std::int64_t>(offset, 0)),
                      across = Plus(sizes[1], -std::max<std::int64_t>(offset, 0));
    return SymbolicShape{scope->AddSize(
        "diagonal", "std::max<int64_t>(0, std::min<int64_t>(" + down + ", " + across + "))")};
  }
  if (name == "diag" || name == "diag_embed") {
    const std::int64_t offset =
        AttributeOf(graph, node, name == "diag" ? "diagonal" : "offset").integer();
    const std::string side = scope->AddSize("side", Plus(sizes.back(), std::abs(offset)));
    sizes.back() = side;
    sizes.push_back(side);
    return sizes;
  }
  return std::nullopt;
}

}  // namespace kernelmill
