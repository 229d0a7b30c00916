// Operators that rearrange elements: view, permute, chunk, einops; and einsum, which uses the same
// patterns.
#include <algorithm>
#include <map>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

std::optional<std::size_t> Position(std::int64_t index, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (index < -size || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

}  // namespace

Dim Evaluator::ProductOf(const std::vector<Dim>& dims) {
  if (dims.empty()) return solver_.Constant(1);
  Dim product = dims[0];
  for (std::size_t i = 1; i < dims.size(); ++i) {
    const Dim next = solver_.Fresh();
    solver_.AddProduct(next, product, dims[i]);
    product = next;
  }
  return product;
}

KnownValue* Evaluator::View(KnownValue* tensor, const std::vector<KnownValue*>& given) {
  std::vector<KnownValue*> sizes = given;
  if (sizes.size() == 1 && sizes[0]->Is(ValueKind::kSequence)) sizes = sizes[0]->items;
  std::vector<Dim> dims;
  int inferred = -1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i]->Is(ValueKind::kUnknown)) {
      dims.push_back(solver_.Fresh());
      continue;
    }
    const auto value = AsInteger(sizes[i]);
    if (value && *value == -1) inferred = static_cast<int>(i);
    dims.push_back(value && *value == -1 ? solver_.Fresh() : AsDim(sizes[i]));
  }
  KnownValue* made = Tensor(dims, tensor->type);
  made->origin = tensor->origin;
  if (!tensor->ranked || weak_ > 0) return made;
  // Unchanged leading dimensions cancel; the product of the other dimensions stays the same.
  std::size_t same = 0;
  while (same < dims.size() && same < tensor->dims.size() && static_cast<int>(same) != inferred &&
         solver_.Same(dims[same], tensor->dims[same])) {
    ++same;
  }
  std::vector<Dim> before(tensor->dims.begin() + static_cast<long>(same), tensor->dims.end());
  std::vector<Dim> after(dims.begin() + static_cast<long>(same), dims.end());
  if (before.empty() || after.empty()) return made;
  solver_.Equate(ProductOf(before), ProductOf(after), Evidence::kLayer);
  return made;
}

KnownValue* Evaluator::Reshape(std::string_view name, const Arguments& arguments,
                               const Keywords& keywords, bool* known) {
  *known = true;
  if ((name == "rearrange" || name == "repeat" || name == "reduce") && arguments.size() >= 2 &&
      arguments[1]->Is(ValueKind::kString)) {
    KnownValue* tensor = arguments[0];
    if (tensor->Is(ValueKind::kSequence) && !tensor->items.empty()) {
      // A list of tensors is stacked first.
      KnownValue* stacked = Operate("stack", {tensor, Integer(0)}, {});
      tensor = stacked;
    }
    return Rearrange(tensor, arguments[1]->text, keywords, name != "reduce");
  }
  if (arguments.empty() || !arguments[0]->Is(ValueKind::kTensor)) {
    *known = false;
    return nullptr;
  }
  KnownValue* tensor = arguments[0];
  const auto integer = [&](std::string_view keyword,
                           std::size_t position) -> std::optional<std::int64_t> {
    const auto found = keywords.find(keyword);
    if (found != keywords.end()) return AsInteger(found->second);
    return position < arguments.size() ? AsInteger(arguments[position]) : std::nullopt;
  };
  const auto with = [&](std::vector<Dim> dims) {
    KnownValue* made = Tensor(std::move(dims), tensor->type);
    made->origin = tensor->origin;
    return made;
  };
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (name == "size") {
    const auto at = integer("dim", 1);
    if (!at) return rest.empty() ? GetAttribute(tensor, "shape") : SizeOf(solver_.Fresh());
    if (*at == -1 && !tensor->dims.empty()) return SizeOf(tensor->dims.back());
    if (!tensor->ranked) return SizeOf(solver_.Fresh());
    const auto position = Position(*at, tensor->dims.size());
    return position ? SizeOf(tensor->dims[*position]) : Unknown();
  }
  if (name == "view" || name == "reshape") {
    if (rest.size() == 1 && rest[0]->Is(ValueKind::kUnknown)) return Unknown();
    return View(tensor, rest);
  }
  if (name == "view_as" || name == "reshape_as" || name == "expand_as") {
    return rest.empty() ? Unknown() : rest[0];
  }
  if (name == "permute") {
    Arguments order = rest;
    if (order.size() == 1 && order[0]->Is(ValueKind::kSequence)) order = order[0]->items;
    KnownValue* ranked = Ranked(tensor, static_cast<int>(order.size()), Evidence::kLayer);
    if (ranked == nullptr) return Unknown();
    std::vector<Dim> dims;
    for (const KnownValue* item : order) {
      const auto at = AsInteger(item);
      const auto position = at ? Position(*at, ranked->dims.size()) : std::nullopt;
      if (!position) return Unknown();
      dims.push_back(ranked->dims[*position]);
    }
    return with(std::move(dims));
  }
  if (name == "transpose" || name == "swapaxes" || name == "t" || name == "T" || name == "mT") {
    const bool last = name == "mT";
    const auto a = last               ? std::optional<std::int64_t>(-2)
                   : name.size() == 1 ? std::optional<std::int64_t>(0)
                                      : integer("dim0", 1);
    const auto b = last               ? std::optional<std::int64_t>(-1)
                   : name.size() == 1 ? std::optional<std::int64_t>(1)
                                      : integer("dim1", 2);
    if (!a || !b || !tensor->ranked) return Unknown();
    const auto x = Position(*a, tensor->dims.size()), y = Position(*b, tensor->dims.size());
    if (!x || !y) {
      Conflict();
      return Unknown();
    }
    std::vector<Dim> dims = tensor->dims;
    std::swap(dims[*x], dims[*y]);
    return with(std::move(dims));
  }
  if (!tensor->ranked) {
    const bool reshapes = name == "flatten" || name == "unsqueeze" || name == "squeeze" ||
                          name == "movedim" || name == "expand" || name == "unflatten" ||
                          name == "unbind" || name == "unfold" || name == "split";
    if (name == "chunk" && integer("dim", 2).value_or(0) == -1 && !tensor->dims.empty()) {
      const auto count = integer("chunks", 1);
      if (!count || *count < 1 || *count > 16) return Unknown();
      const Dim part = solver_.Fresh();
      solver_.AddProduct(tensor->dims.back(), part, solver_.Constant(*count));
      std::vector<KnownValue*> parts;
      for (std::int64_t i = 0; i < *count; ++i) parts.push_back(WithLast(tensor, part));
      return Sequence(std::move(parts));
    }
    *known = reshapes || name == "chunk";
    return *known ? Unknown() : nullptr;
  }
  const std::size_t rank = tensor->dims.size();
  if (name == "unsqueeze") {
    const auto at = integer("dim", 1);
    const auto position = at ? Position(*at, rank + 1) : std::nullopt;
    if (!position) return Unknown();
    std::vector<Dim> dims = tensor->dims;
    dims.insert(dims.begin() + static_cast<long>(*position), solver_.Constant(1));
    return with(std::move(dims));
  }
  if (name == "squeeze") {
    const auto at = integer("dim", 1);
    const auto position = at ? Position(*at, rank) : std::nullopt;
    if (!position) return Unknown();
    const auto size = solver_.KnownValue(tensor->dims[*position]);
    if (!size) return Unknown();
    std::vector<Dim> dims = tensor->dims;
    if (*size == 1) dims.erase(dims.begin() + static_cast<long>(*position));
    return with(std::move(dims));
  }
  if (name == "flatten") {
    const auto first = integer("start_dim", 1), last = integer("end_dim", 2);
    const auto from = Position(first.value_or(0), rank), to = Position(last.value_or(-1), rank);
    if (!from || !to || *from > *to) return Unknown();
    std::vector<Dim> dims(tensor->dims.begin(), tensor->dims.begin() + static_cast<long>(*from));
    dims.push_back(ProductOf({tensor->dims.begin() + static_cast<long>(*from),
                              tensor->dims.begin() + static_cast<long>(*to) + 1}));
    dims.insert(dims.end(), tensor->dims.begin() + static_cast<long>(*to) + 1, tensor->dims.end());
    return with(std::move(dims));
  }
  if (name == "expand") {
    Arguments sizes = rest;
    if (sizes.size() == 1 && sizes[0]->Is(ValueKind::kSequence)) sizes = sizes[0]->items;
    if (sizes.size() < rank) return Unknown();
    std::vector<Dim> dims;
    const std::size_t offset = sizes.size() - rank;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto value = AsInteger(sizes[i]);
      const bool keeps = value && *value == -1 && i >= offset;
      dims.push_back(keeps ? tensor->dims[i - offset] : AsDim(sizes[i]));
    }
    return with(std::move(dims));
  }
  if (name == "repeat" || name == "tile") {
    std::vector<Dim> dims;
    if (rest.size() < rank) return Unknown();
    const std::size_t offset = rest.size() - rank;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const auto times = AsInteger(rest[i]);
      dims.push_back(times && *times == 1 && i >= offset ? tensor->dims[i - offset]
                                                         : solver_.Fresh());
    }
    return with(std::move(dims));
  }
  if (name == "chunk" || name == "split" || name == "tensor_split") {
    const auto at = integer("dim", 2);
    const auto position = Position(at.value_or(0), rank);
    if (!position || rest.empty()) return Unknown();
    const auto count = AsInteger(rest[0]);
    std::vector<KnownValue*> parts;
    if (name == "split" && rest[0]->Is(ValueKind::kSequence)) {
      std::int64_t total = 0;
      for (const KnownValue* size : rest[0]->items) {
        std::vector<Dim> dims = tensor->dims;
        dims[*position] = AsDim(size);
        total = AsInteger(size) && total >= 0 ? total + *AsInteger(size) : -1;
        parts.push_back(with(std::move(dims)));
      }
      if (total > 0 && weak_ == 0) {
        solver_.Equate(tensor->dims[*position], solver_.Constant(total), Evidence::kLayer);
      }
      return Sequence(std::move(parts));
    }
    if (!count || *count < 1) return Unknown();
    const auto whole = solver_.KnownValue(tensor->dims[*position]);
    const std::int64_t pieces =
        name == "split" ? (whole ? (*whole + *count - 1) / *count : 0) : *count;
    if (pieces < 1 || pieces > 64) return Unknown();
    const Dim part = name == "split" ? solver_.Constant(*count) : solver_.Fresh();
    if (name != "split")
      solver_.AddProduct(tensor->dims[*position], part, solver_.Constant(pieces));
    for (std::int64_t i = 0; i < pieces; ++i) {
      std::vector<Dim> dims = tensor->dims;
      dims[*position] = part;
      parts.push_back(with(std::move(dims)));
    }
    return Sequence(std::move(parts));
  }
  if (name == "unbind") {
    const auto position = Position(integer("dim", 1).value_or(0), rank);
    const auto count = position ? solver_.KnownValue(tensor->dims[*position]) : std::nullopt;
    if (!count || *count > 16) return Unknown();
    std::vector<Dim> dims = tensor->dims;
    dims.erase(dims.begin() + static_cast<long>(*position));
    return Sequence(std::vector<KnownValue*>(static_cast<std::size_t>(*count), with(dims)));
  }
  if (name == "movedim" || name == "moveaxis") {
    const auto from = integer("source", 1), to = integer("destination", 2);
    const auto x = from ? Position(*from, rank) : std::nullopt,
               y = to ? Position(*to, rank) : std::nullopt;
    if (!x || !y) return Unknown();
    std::vector<Dim> dims = tensor->dims;
    const Dim moved = dims[*x];
    dims.erase(dims.begin() + static_cast<long>(*x));
    dims.insert(dims.begin() + static_cast<long>(*y), moved);
    return with(std::move(dims));
  }
  *known = false;
  return nullptr;
}

KnownValue* Evaluator::Rearrange(KnownValue* tensor, std::string_view text, const Keywords& axes,
                                 bool keeps) {
  const auto pattern = EinopsPattern::Parse(text);
  if (!pattern) return Unknown();
  std::map<std::string, Dim> named;
  for (const auto& [axis, size] : axes) {
    if (size->IsInteger() || size->Is(ValueKind::kSize)) named[axis] = AsDim(size);
  }
  const auto dim_of = [&](const std::string& axis) {
    const auto found = named.find(axis);
    if (found != named.end()) return found->second;
    const bool number =
        axis.find_first_not_of("0123456789") == std::string::npos && axis.size() < 9;
    return named[axis] = number ? solver_.Constant(std::stoll(axis)) : solver_.Fresh();
  };
  const auto& left = pattern->left.groups;
  std::vector<Dim> middle;
  if (tensor->Is(ValueKind::kTensor)) {
    KnownValue* ranked = tensor;
    if (pattern->left.ellipsis < 0) {
      ranked = Ranked(tensor, static_cast<int>(left.size()), Evidence::kLayer);
    } else if (!tensor->ranked) {
      // "… d" determines the last dimension but not the rank.
      ranked = nullptr;
    }
    if (ranked != nullptr) {
      const std::size_t extra = ranked->dims.size() + 1 - left.size();
      if (pattern->left.ellipsis >= 0 && ranked->dims.size() + 1 < left.size()) {
        Conflict();
        return Unknown();
      }
      std::size_t next = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (static_cast<int>(i) == pattern->left.ellipsis) {
          for (std::size_t j = 0; j < extra; ++j) middle.push_back(ranked->dims[next++]);
          continue;
        }
        const Dim dim = ranked->dims[next++];
        if (left[i].size() == 1 && !named.contains(left[i][0]) &&
            left[i][0].find_first_not_of("0123456789") != std::string::npos) {
          named[left[i][0]] = dim;
          continue;
        }
        std::vector<Dim> parts;
        for (const std::string& axis : left[i]) parts.push_back(dim_of(axis));
        if (weak_ == 0) solver_.Equate(dim, ProductOf(parts), Evidence::kLayer);
      }
    } else if (tensor->ranked) {
      return Unknown();
    }
  }
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < pattern->right.groups.size(); ++i) {
    if (static_cast<int>(i) == pattern->right.ellipsis) {
      if (middle.empty() && pattern->left.ellipsis >= 0 && !tensor->ranked) return Unknown();
      dims.insert(dims.end(), middle.begin(), middle.end());
      continue;
    }
    std::vector<Dim> parts;
    for (const std::string& axis : pattern->right.groups[i]) parts.push_back(dim_of(axis));
    dims.push_back(ProductOf(parts));
  }
  KnownValue* made = Tensor(std::move(dims), tensor->type);
  if (keeps) made->origin = tensor->origin;
  return made;
}

KnownValue* Evaluator::Einsum(std::string_view text, const std::vector<KnownValue*>& operands) {
  const auto pattern = EinsumPattern::Parse(text);
  if (!pattern || pattern->operands.size() != operands.size()) return Unknown();
  std::map<std::string, Dim> named;
  std::vector<Dim> middle;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const EinopsSide& side = pattern->operands[i];
    if (!operands[i]->Is(ValueKind::kTensor)) continue;
    if (side.ellipsis >= 0 && !operands[i]->ranked) continue;
    KnownValue* ranked =
        side.ellipsis >= 0
            ? operands[i]
            : Ranked(operands[i], static_cast<int>(side.groups.size()), Evidence::kLayer);
    if (ranked == nullptr ||
        ranked->dims.size() + (side.ellipsis >= 0 ? 1 : 0) < side.groups.size())
      continue;
    std::size_t next = 0;
    for (std::size_t g = 0; g < side.groups.size(); ++g) {
      if (static_cast<int>(g) == side.ellipsis) {
        middle.clear();
        const std::size_t extra = ranked->dims.size() + 1 - side.groups.size();
        for (std::size_t j = 0; j < extra; ++j) middle.push_back(ranked->dims[next++]);
        continue;
      }
      const Dim dim = ranked->dims[next++];
      if (side.groups[g].size() != 1) continue;
      const auto [found, fresh] = named.emplace(side.groups[g][0], dim);
      const auto size = solver_.KnownValue(dim);
      if (!fresh && weak_ == 0 && !(size && *size == 1)) {
        solver_.Equate(found->second, dim, Evidence::kLayer);
      }
    }
  }
  std::vector<Dim> dims;
  for (std::size_t g = 0; g < pattern->result.groups.size(); ++g) {
    if (static_cast<int>(g) == pattern->result.ellipsis) {
      dims.insert(dims.end(), middle.begin(), middle.end());
      continue;
    }
    const auto& group = pattern->result.groups[g];
    const auto found = group.size() == 1 ? named.find(group[0]) : named.end();
    dims.push_back(found == named.end() ? solver_.Fresh() : found->second);
  }
  return Tensor(std::move(dims));
}

}  // namespace kernelmill
