#include <algorithm>

#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

int Wrap(std::int64_t dim, int rank) { return static_cast<int>(dim < 0 ? dim + rank : dim); }

// The sizes in an attribute, where -1 stands for the remaining part of `count` elements.
SymbolicShape GivenSizes(GroupScope* scope, const Node& node, std::string_view attribute,
                         const std::string& count) {
  const auto integers = AttributeOf(scope->graph(), node, attribute).integers();
  SymbolicShape sizes, known;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    sizes.push_back(
        integers[i] == -1 ? "" : scope->IntegerAttribute(node, attribute, static_cast<int>(i)));
    if (integers[i] != -1) known.push_back(sizes.back());
  }
  for (std::string& size : sizes) {
    if (!size.empty()) continue;
    const std::string product = GroupScope::Product(known);
    size = scope->AddSize("rest", product == "1" ? count
                                  : product.find(' ') == product.npos
                                      ? GroupScope::Parenthesized(count) + " / " + product
                                      : GroupScope::Parenthesized(count) + " / (" + product + ")");
  }
  return sizes;
}

std::string AtMost(const std::string& number, const std::string& size) {
  return number == size ? size : "std::min<int64_t>(" + number + ", " + size + ")";
}

// A bound of a slice, clamped to the size as in Python.
std::string Bound(GroupScope* scope, const Node& node, std::string_view name, int place,
                  const std::string& size, std::string_view word) {
  const Attribute& given = AttributeOf(scope->graph(), node, name);
  if (given.is_none()) return place == 0 ? "0" : size;
  const std::int64_t number = given.integer();
  if (number == 0) return "0";
  if (number < 0) {
    const std::string text = scope->IntegerAttribute(node, name);
    const std::string counted =
        text.starts_with('-') ? size + " - " + text.substr(1) : size + " + " + text;
    return scope->AddSize(word, "std::max<int64_t>(" + counted + ", 0)");
  }
  return scope->AddSize(word, AtMost(scope->IntegerAttribute(node, name), size));
}

// The difference of two bounds.
std::string Between(const std::string& begin, const std::string& end) {
  return begin == "0" ? end : end + " - " + begin;
}

PartText SliceOf(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  PartText part;
  part.dim = DimensionOf(graph, node, "dim", static_cast<int>(sizes.size()));
  part.step = std::max<std::int64_t>(1, AttributeOf(graph, node, "step").integer());
  const std::string& size = sizes[part.dim];
  part.begin = Bound(scope, node, "start", 0, size, "begin");
  const std::string end = Bound(scope, node, "stop", 1, size, "end");
  std::string length = Between(part.begin, end);
  // Both bounds are clamped to the size, but the end may be before the beginning.
  const bool ordered = part.begin == "0" || end == size;
  if (!ordered) length = "std::max<int64_t>(" + length + ", 0)";
  if (part.step > 1) {
    length = "(" + length + " + " + NumberText(part.step - 1) + ") / " + NumberText(part.step);
  }
  part.length = length == size ? size : scope->AddSize("part", length);
  return part;
}

}  // namespace

std::string NumberText(std::int64_t number) { return std::to_string(number); }

std::string Plus(const std::string& size, std::int64_t number) {
  if (number == 0) return size;
  return size + (number > 0 ? " + " : " - ") + NumberText(std::abs(number));
}

std::string SumOfSizes(GroupScope* scope, std::string_view word,
                       const std::vector<std::string>& sizes) {
  std::string text;
  for (const std::string& size : sizes) text += (text.empty() ? "" : " + ") + size;
  return scope->AddSize(word, text);
}

PartText PartOf(GroupScope* scope, const Node& node, int result) {
  const OperatorGraph& graph = scope->graph();
  const std::string_view name = node.op->name;
  if (name == "slice") return SliceOf(scope, node);
  const SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  PartText part;
  part.dim = DimensionOf(graph, node, "dim", static_cast<int>(sizes.size()));
  const std::string& size = sizes[part.dim];
  if (name == "narrow") {
    const std::int64_t start = AttributeOf(graph, node, "start").integer();
    part.begin = start < 0 ? Plus(size, start) : scope->IntegerAttribute(node, "start");
    part.length = scope->IntegerAttribute(node, "length");
  } else if (name == "unbind") {
    part.begin = NumberText(result);
    part.length = "1";
  } else if (name == "split_with_sizes") {
    SymbolicShape before;
    for (int i = 0; i < result; ++i)
      before.push_back(scope->IntegerAttribute(node, "split_sizes", i));
    part.begin = before.empty() ? "0" : SumOfSizes(scope, "begin", before);
    part.length = scope->IntegerAttribute(node, "split_sizes", result);
  } else {
    const std::int64_t count = name == "chunk" ? AttributeOf(graph, node, "chunks").integer() : 0;
    const std::string each =
        name == "chunk"
            ? scope->AddSize("chunk_size", "(" + Plus(size, count - 1) + ") / " + NumberText(count))
            : scope->IntegerAttribute(node, "split_size");
    part.begin = result == 0 ? "0" : GroupScope::Product({NumberText(result), each});
    if (result == 1) part.begin = each;
    // The last part may be smaller.
    part.length =
        result + 1 < node.result_count ? each : scope->AddSize("last", Between(part.begin, size));
  }
  return part;
}

std::optional<SymbolicShape> ConstantSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const std::string_view name = node.op->name;
  const int rank = scope->TypeOf(node.first_result).shape.rank();
  if (name.ends_with("_like")) return scope->Sizes(graph.operands(node)[0]);
  if (name == "eye") {
    const bool square = AttributeOf(graph, node, "m").is_none();
    return SymbolicShape{scope->IntegerAttribute(node, "n"),
                         scope->IntegerAttribute(node, square ? "n" : "m")};
  }
  if (name == "linspace") return SymbolicShape{scope->IntegerAttribute(node, "steps")};
  if (name == "arange") {
    const Attribute &start = AttributeOf(graph, node, "start"),
                    &step = AttributeOf(graph, node, "step"),
                    &end = AttributeOf(graph, node, "end");
    const bool counts = (start.is_none() || start.number() == 0) &&
                        (step.is_none() || step.number() == 1) &&
                        end.kind() != Attribute::Kind::kNumber;
    if (counts) return SymbolicShape{scope->IntegerAttribute(node, "end")};
    return SymbolicShape{NumberText(scope->TypeOf(node.first_result).shape[0])};
  }
  SymbolicShape sizes;
  for (int d = 0; d < rank; ++d) sizes.push_back(scope->IntegerAttribute(node, "size", d));
  return sizes;
}

std::optional<SymbolicShape> ViewSizes(GroupScope* scope, const Node& node, int result) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  const std::string_view name = node.op->name;
  const Shape &from = scope->TypeOf(operands[0]).shape,
              &to = scope->TypeOf(node.first_result).shape;
  SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = from.rank();
  const auto integer = [&](std::string_view word) {
    return AttributeOf(graph, node, word).integer();
  };
  const auto swap = [&](std::int64_t a, std::int64_t b) {
    if (rank > 0) std::swap(sizes[Wrap(a, rank)], sizes[Wrap(b, rank)]);
  };
  if (name == "transpose") {
    swap(integer("dim0"), integer("dim1"));
  } else if (name == "swapaxes") {
    swap(integer("axis0"), integer("axis1"));
  } else if (name == "mT" || name == "t") {
    if (rank > 1) swap(-1, -2);
  } else if (name == "permute") {
    SymbolicShape permuted;
    for (const std::int64_t d : AttributeOf(graph, node, "dims").integers()) {
      permuted.push_back(sizes[Wrap(d, rank)]);
    }
    return permuted;
  } else if (name == "movedim") {
    if (rank == 0) return sizes;
    const int at = Wrap(integer("source"), rank);
    const std::string moved = sizes[at];
    sizes.erase(sizes.begin() + at);
    sizes.insert(sizes.begin() + Wrap(integer("destination"), rank), moved);
  } else if (name == "view" || name == "reshape") {
    return GivenSizes(scope, node, name == "view" ? "size" : "shape",
                      scope->TensorName(operands[0]) + ".numel()");
  } else if (name == "unflatten") {
    const int d = DimensionOf(graph, node, "dim", rank);
    const SymbolicShape inner = GivenSizes(scope, node, "sizes", sizes[d]);
    sizes.erase(sizes.begin() + d);
    sizes.insert(sizes.begin() + d, inner.begin(), inner.end());
  } else if (name == "flatten") {
    if (rank == 0) return SymbolicShape{"1"};
    const int first = Wrap(integer("start_dim"), rank), last = Wrap(integer("end_dim"), rank);
    const std::string flat = scope->AddSize(
        "flat", GroupScope::Product({sizes.begin() + first, sizes.begin() + last + 1}));
    sizes.erase(sizes.begin() + first, sizes.begin() + last + 1);
    sizes.insert(sizes.begin() + first, flat);
  } else if (name == "squeeze") {
    const Attribute& dims = AttributeOf(graph, node, "dim");
    SymbolicShape kept;
    for (int d = 0; d < rank; ++d) {
      const auto integers = dims.integers();
      const bool named =
          dims.is_none() || (dims.kind() == Attribute::Kind::kIntegers
                                 ? std::any_of(integers.begin(), integers.end(),
                                               [&](std::int64_t i) { return Wrap(i, rank) == d; })
                                 : Wrap(dims.integer(), rank) == d);
      if (!named || from[d] != 1) kept.push_back(sizes[d]);
    }
    return kept;
  } else if (name == "unsqueeze") {
    sizes.insert(sizes.begin() + Wrap(integer("dim"), rank + 1), "1");
  } else if (name == "expand" || name == "expand_as") {
    const int more = to.rank() - rank;
    SymbolicShape spread;
    for (int d = 0; d < to.rank(); ++d) {
      const bool own = d >= more && from[d - more] == to[d];
      spread.push_back(own                   ? sizes[d - more]
                       : name == "expand_as" ? scope->Sizes(operands[1])[d]
                                             : scope->IntegerAttribute(node, "size", d));
    }
    return spread;
  } else if (name == "select" || name == "unbind") {
    sizes.erase(sizes.begin() + DimensionOf(graph, node, "dim", rank));
  } else if (name == "diagonal") {
    const int first = Wrap(integer("dim1"), rank), second = Wrap(integer("dim2"), rank);
    const std::int64_t offset = integer("offset");
    const std::string down = Plus(sizes[first], std::min<std::int64_t>(offset, 0)),
                      across = Plus(sizes[second], -std::max<std::int64_t>(offset, 0));
    sizes.erase(sizes.begin() + std::max(first, second));
    sizes.erase(sizes.begin() + std::min(first, second));
    sizes.push_back(scope->AddSize(
        "diagonal", "std::max<int64_t>(0, std::min<int64_t>(" + down + ", " + across + "))"));
  } else if (name == "unfold_dimension") {
    const int d = Wrap(integer("dimension"), rank);
    const std::string size = scope->IntegerAttribute(node, "size");
    const std::int64_t step = integer("step");
    const std::string room = sizes[d] + " - " + size;
    sizes[d] = scope->AddSize(
        "windows", step == 1 ? room + " + 1" : "(" + room + ") / " + NumberText(step) + " + 1");
    sizes.push_back(size);
  } else if (name == "slice" || name == "narrow" || name == "split" || name == "chunk" ||
             name == "split_with_sizes") {
    const PartText part = PartOf(scope, node, result);
    sizes[part.dim] = part.length;
  } else {
    return std::nullopt;
  }
  return sizes;
}

}  // namespace kernelmill
