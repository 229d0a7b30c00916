#include <algorithm>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {

KnownValue* Evaluator::SliceSequence(KnownValue* sequence, const SyntaxNode& slice, Scope* scope) {
  // start:stop:step, each optional; the colons separate them.
  std::optional<std::int64_t> parts[3];
  int part = 0;
  for (const SyntaxNode& child : slice.AllChildren()) {
    if (child.Is(":")) {
      if (++part > 2) return Unknown();
      continue;
    }
    parts[part] = AsInteger(Evaluate(child, scope));
    if (!parts[part]) return Unknown();
  }
  const auto size = static_cast<std::int64_t>(sequence->items.size());
  const std::int64_t step = parts[2].value_or(1);
  if (step != 1 && step != -1) return Unknown();
  const auto clamp = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size);
  };
  std::vector<KnownValue*> items;
  if (step == -1) {
    if (parts[0] || parts[1]) return Unknown();
    items.assign(sequence->items.rbegin(), sequence->items.rend());
  } else {
    const std::int64_t first = clamp(parts[0].value_or(0));
    const std::int64_t last = clamp(parts[1].value_or(size));
    for (std::int64_t i = first; i < last; ++i) items.push_back(sequence->items[i]);
  }
  return Sequence(std::move(items));
}

KnownValue* Evaluator::Subscript(const SyntaxNode& node, Scope* scope) {
  KnownValue* value = Evaluate(node.Field("value"), scope);
  std::vector<SyntaxNode> indices;
  const SyntaxNode object = node.Field("value");
  for (const SyntaxNode& child : node.Children()) {
    if (child.First() != object.First()) indices.push_back(child);
  }
  if (indices.empty()) return Unknown();
  if (value->Is(ValueKind::kTensor)) return IndexTensor(value, indices, scope);
  if (value->Is(ValueKind::kHole)) {
    FillHole(value, "(64, 128)", Evidence::kConstraint);
    return Unknown();
  }
  FillSoft(value, 0);
  if (value->Is(ValueKind::kMethod) && value->text == "shape") {
    const auto index = AsInteger(Evaluate(indices[0], scope));
    if (index && *index == -1) return SizeOf(value->target->dims.back());
    return indices[0].Is("slice") ? Unknown() : SizeOf(solver_.Fresh());
  }
  if (value->Is(ValueKind::kObject) && value->layer != nullptr) value = value->layer;
  if (indices[0].Is("slice")) {
    return value->Is(ValueKind::kSequence) || value->Is(ValueKind::kLayer)
               ? SliceSequence(value, indices[0], scope)
               : Unknown();
  }
  const KnownValue* index = Evaluate(indices[0], scope);
  if (index->Is(ValueKind::kString)) {
    const auto found = value->attributes.find(index->text);
    return found == value->attributes.end() ? Unknown() : found->second;
  }
  const auto at = AsInteger(index);
  if (!at) return Unknown();
  if (value->Is(ValueKind::kDictionary)) {
    const auto found = value->attributes.find(std::to_string(*at));
    return found == value->attributes.end() ? Unknown() : found->second;
  }
  const auto size = static_cast<std::int64_t>(value->items.size());
  const std::int64_t position = *at < 0 ? *at + size : *at;
  return position >= 0 && position < size ? value->items[position] : Unknown();
}

std::optional<Dim> Evaluator::SliceDim(Dim dim, const SyntaxNode& slice, Scope* scope) {
  std::optional<std::int64_t> bounds[3];
  int position = 0;
  bool computed = false, bounded = false;
  for (const SyntaxNode& child : slice.AllChildren()) {
    if (child.Is(":")) {
      if (++position > 2) return std::nullopt;
      continue;
    }
    bounded = true;
    bounds[position] = AsInteger(Evaluate(child, scope));
    computed |= !bounds[position];
  }
  const auto size = solver_.KnownValue(dim);
  if (!bounded) return dim;
  if (computed || bounds[2]) return solver_.Fresh();
  if (size) {
    const auto clamp = [&](std::int64_t i) {
      return std::clamp(i < 0 ? i + *size : i, std::int64_t{0}, *size);
    };
    const std::int64_t count = clamp(bounds[1].value_or(*size)) - clamp(bounds[0].value_or(0));
    return count > 0 ? solver_.Constant(count) : solver_.Fresh();
  }
  if (!bounds[1] || (!bounds[0] && *bounds[1] < 0)) {
    // x[1:] and x[:-1] lose a known number of elements.
    const std::int64_t lost = bounds[1] ? *bounds[1] : -*bounds[0];
    const Dim rest = solver_.Fresh();
    if (lost < 0) solver_.AddSum(rest, dim, lost);
    return rest;
  }
  return *bounds[1] > 0 ? solver_.Constant(*bounds[1] - bounds[0].value_or(0)) : solver_.Fresh();
}

KnownValue* Evaluator::IndexTensor(KnownValue* tensor, const std::vector<SyntaxNode>& indices,
                                   Scope* scope) {
  std::vector<SyntaxNode> parts = indices;
  if (parts.size() == 1 && parts[0].Is("tuple")) parts = parts[0].Children();
  if (!tensor->ranked) {
    // Only subscripts that keep the last dimension are followed, not x[..., i] or x[:, :n].
    for (const SyntaxNode& part : parts) Evaluate(part, scope);
    return Unknown();
  }
  std::size_t used = 0;
  for (const SyntaxNode& part : parts) {
    if (!part.Is("ellipsis") && !part.Is("none")) ++used;
  }
  if (used > tensor->dims.size()) {
    Conflict();
    return Unknown();
  }
  std::vector<Dim> dims;
  std::size_t next = 0;
  for (const SyntaxNode& part : parts) {
    if (part.Is("ellipsis")) {
      const std::size_t skipped = tensor->dims.size() - used;
      for (std::size_t i = 0; i < skipped; ++i) dims.push_back(tensor->dims[next++]);
      continue;
    }
    if (part.Is("none")) {
      dims.push_back(solver_.Constant(1));
      continue;
    }
    const Dim dim = tensor->dims[next++];
    if (part.Is("slice")) {
      const std::optional<Dim> rest = SliceDim(dim, part, scope);
      if (!rest) return Unknown();
      dims.push_back(*rest);
      continue;
    }
    KnownValue* index = Evaluate(part, scope);
    if (index->IsInteger() || index->Is(ValueKind::kSize)) continue;
    if (index->Is(ValueKind::kNone)) {
      dims.push_back(solver_.Constant(1));
      --next;
      continue;
    }
    return Unknown();  // Tensors and lists as indices.
  }
  while (next < tensor->dims.size()) dims.push_back(tensor->dims[next++]);
  KnownValue* result = Tensor(std::move(dims), tensor->type);
  result->origin = tensor->origin;
  return result;
}

}  // namespace kernelmill
