#include <algorithm>

#include "stages/mine/evaluate/evaluator.h"
#include "stages/mine/evaluate/operator_names.h"

namespace kernelmill {
// Returns the tensor with the given rank. The first operator that needs a rank determines that of
// an input.
KnownValue* Evaluator::Ranked(KnownValue* tensor, int rank, Evidence evidence) {
  if (!tensor->Is(ValueKind::kTensor)) return nullptr;
  if (tensor->ranked) {
    if (static_cast<int>(tensor->dims.size()) == rank) return tensor;
    Conflict();
    return nullptr;
  }
  if (weak_ > 0 || tensor->follows < 0) return nullptr;
  InputFacts& input = (*inputs_)[static_cast<std::size_t>(tensor->follows)];
  if (!input.rank) {
    input.rank = rank;
    input.rank_evidence = evidence;
  } else if (*input.rank != rank) {
    Conflict();
    return nullptr;
  }
  std::vector<Dim> dims;
  for (int i = 0; i + 1 < rank; ++i) dims.push_back(solver_.Fresh());
  if (rank > 0) dims.push_back(tensor->dims.back());
  KnownValue* made = Tensor(std::move(dims), tensor->type);
  made->origin = tensor->origin;
  return made;
}

KnownValue* Evaluator::WithLast(KnownValue* tensor, Dim last) {
  KnownValue* made = New(ValueKind::kTensor);
  *made = *tensor;
  made->origin = -1;
  made->type = ElementKind::kFloat;
  if (!made->dims.empty()) made->dims.back() = last;
  return made;
}

void Evaluator::EquateLast(KnownValue* tensor, Dim last, Evidence evidence) {
  if (!tensor->Is(ValueKind::kTensor) || tensor->dims.empty() || weak_ > 0) return;
  solver_.Equate(tensor->dims.back(), last, evidence);
  if (!tensor->ranked && tensor->follows >= 0) {
    (*inputs_)[static_cast<std::size_t>(tensor->follows)].last_known = true;
  }
}

void Evaluator::MarkIndices(KnownValue* tensor, std::int64_t high) {
  if (!tensor->Is(ValueKind::kTensor) || tensor->origin < 0 || weak_ > 0) return;
  InputFacts& input = (*inputs_)[static_cast<std::size_t>(tensor->origin)];
  input.type = ElementKind::kInteger;
  if (high > 0 && (input.high == 0 || high < input.high)) input.high = high;
}

KnownValue* Evaluator::Broadcast(KnownValue* a, KnownValue* b) {
  if (!a->Is(ValueKind::kTensor)) std::swap(a, b);
  if (!b->Is(ValueKind::kTensor)) {
    KnownValue* made = New(ValueKind::kTensor);
    *made = *a;
    made->origin = -1;
    return b->Is(ValueKind::kUnknown) && a->ranked && a->dims.empty() ? Unknown() : made;
  }
  if (!a->ranked || !b->ranked) {
    // Two inputs that are added often have the same rank, but not always: the known side is kept,
    // and nothing is inferred about the other.
    KnownValue* kept = a->ranked ? a : b;
    KnownValue* made = New(ValueKind::kTensor);
    *made = *kept;
    made->origin = -1;
    KnownValue* other = kept == a ? b : a;
    if (kept->ranked && !kept->dims.empty() && solver_.KnownValue(kept->dims.back()) != 1) {
      EquateLast(other, kept->dims.back(), Evidence::kLayer);
    }
    if (kept->ranked && kept->dims.size() < 2) {
      // A weight or a number: the result has the other operand's shape.
      *made = *other;
      made->origin = -1;
      return made;
    }
    if (!other->ranked && other->follows >= 0 && kept->ranked && weak_ == 0 &&
        kept->dims.size() > 1) {
      // An unranked input that is combined with a ranked tensor takes its shape in the next run.
      InputFacts& input = (*inputs_)[static_cast<std::size_t>(other->follows)];
      if (!input.rank) {
        input.rank = static_cast<int>(kept->dims.size());
        input.rank_evidence = Evidence::kLayer;
      }
    }
    return made;
  }
  const KnownValue* longer = a->dims.size() >= b->dims.size() ? a : b;
  const KnownValue* shorter = longer == a ? b : a;
  std::vector<Dim> dims = longer->dims;
  const std::size_t offset = longer->dims.size() - shorter->dims.size();
  for (std::size_t i = 0; i < shorter->dims.size(); ++i) {
    const Dim x = longer->dims[offset + i], y = shorter->dims[i];
    const auto size_x = solver_.KnownValue(x), size_y = solver_.KnownValue(y);
    if (size_x && *size_x == 1) {
      dims[offset + i] = y;
    } else if (!(size_y && *size_y == 1) && weak_ == 0) {
      solver_.Equate(x, y, Evidence::kLayer);
    }
  }
  return Tensor(std::move(dims));
}

KnownValue* Evaluator::Operate(std::string_view name, const Arguments& arguments,
                               const Keywords& keywords) {
  const auto keyword = [&](std::string_view wanted, std::size_t position) -> KnownValue* {
    const auto found = keywords.find(wanted);
    if (found != keywords.end()) return found->second;
    return position < arguments.size() ? arguments[position] : nullptr;
  };
  bool known = false;
  KnownValue* reshaped = Reshape(name, arguments, keywords, &known);
  if (known) return reshaped;
  if (name == "einsum" && !arguments.empty()) {
    // torch.einsum takes the subscripts first, einops.einsum last.
    const bool first = arguments[0]->Is(ValueKind::kString);
    const KnownValue* pattern = first ? arguments[0] : arguments.back();
    Arguments operands(arguments.begin() + (first ? 1 : 0), arguments.end() - (first ? 0 : 1));
    return Einsum(pattern->text, operands);
  }
  if (arguments.empty()) {
    const KnownValue* input = keyword("input", 0);
    return input != nullptr && KeepsShape(name) ? keyword("input", 0) : Unknown();
  }
  KnownValue* first = arguments[0];
  if (name == "zeros" || name == "ones" || name == "randn" || name == "rand" || name == "empty" ||
      name == "full") {
    if (first->Is(ValueKind::kTensor)) return Unknown();
    const bool list = first->Is(ValueKind::kSequence);
    return Filled(list             ? first->items
                  : name == "full" ? Arguments{first}
                                   : arguments,
                  ElementKind::kFloat);
  }
  if (name == "arange" && arguments.size() == 1) {
    return Tensor({AsDim(first)}, ElementKind::kInteger);
  }
  if (name == "eye") return Tensor({AsDim(first), AsDim(first)});
  if (name == "linspace" && arguments.size() > 2) return Tensor({AsDim(arguments[2])});
  if (name == "tensor" || name == "as_tensor" || name == "from_numpy") {
    const auto items = first->Is(ValueKind::kTensor) ? std::nullopt : Iterate(first);
    if (!items)
      return first->Is(ValueKind::kTensor)                        ? first
             : first->IsInteger() || first->Is(ValueKind::kFloat) ? Tensor({})
                                                                  : Unknown();
    if (!items->empty() && (*items)[0]->Is(ValueKind::kSequence)) return Unknown();
    return Tensor({solver_.Constant(static_cast<std::int64_t>(items->size()))});
  }
  if ((name == "cat" || name == "concat" || name == "concatenate" || name == "stack") &&
      first->Is(ValueKind::kSequence)) {
    const KnownValue* axis = keyword("dim", 1);
    if (axis == nullptr) axis = keyword("axis", 1);
    const auto at = axis == nullptr ? std::optional<std::int64_t>(0) : AsInteger(axis);
    if (!at) return Unknown();
    if (name != "stack") return Concatenate(first->items, *at);
    if (first->items.empty() || !first->items[0]->Is(ValueKind::kTensor)) return Unknown();
    KnownValue* item = first->items[0];
    for (std::size_t i = 1; i < first->items.size(); ++i) {
      if (first->items[i]->Is(ValueKind::kTensor)) item = Broadcast(item, first->items[i]);
    }
    if (!item->ranked) return Unknown();
    std::vector<Dim> dims = item->dims;
    const std::int64_t place = *at < 0 ? *at + static_cast<std::int64_t>(dims.size()) + 1 : *at;
    if (place < 0 || place > static_cast<std::int64_t>(dims.size())) return Unknown();
    dims.insert(dims.begin() + place,
                solver_.Constant(static_cast<std::int64_t>(first->items.size())));
    return Tensor(std::move(dims));
  }
  if ((name == "broadcast_tensors" || name == "meshgrid") && !arguments.empty()) return Unknown();
  if (!first->Is(ValueKind::kTensor)) {
    return arguments.size() > 1 && arguments[1]->Is(ValueKind::kTensor) && IsElementwise(name)
               ? Broadcast(first, arguments[1])
               : Unknown();
  }
  if (KeepsShape(name)) {
    KnownValue* made = New(ValueKind::kTensor);
    *made = *first;
    if (name != "to" && name != "contiguous" && name != "clone" && name != "detach")
      made->origin = -1;
    return made;
  }
  if (name == "matmul" || name == "bmm" || name == "mm") {
    if (arguments.size() < 2 || !arguments[1]->Is(ValueKind::kTensor)) return Unknown();
    const int rank = name == "bmm" ? 3 : name == "mm" ? 2 : 0;
    KnownValue* left = rank > 0 ? Ranked(first, rank, Evidence::kLayer) : first;
    KnownValue* right = rank > 0 ? Ranked(arguments[1], rank, Evidence::kLayer) : arguments[1];
    return left == nullptr || right == nullptr ? Unknown() : MatrixProduct(left, right);
  }
  if (IsReduction(name) && !(arguments.size() > 1 && arguments[1]->Is(ValueKind::kTensor))) {
    const KnownValue* axis = keyword("dim", name == "norm" ? 2 : 1);
    if (axis == nullptr) axis = keyword("axis", 99);
    const KnownValue* keep = keyword("keepdim", name == "norm" ? 3 : 2);
    KnownValue* reduced = Reduce(first, axis, keep != nullptr && Truth(keep).value_or(false));
    const bool pair = (name == "max" || name == "min" || name == "median") && axis != nullptr;
    return pair ? Sequence({reduced, reduced}) : reduced;
  }
  if (IsElementwise(name) || name == "max" || name == "min") {
    return arguments.size() > 1 ? Broadcast(first, arguments[1]) : first;
  }
  if ((name == "where" || name == "addcmul" || name == "addcdiv") && arguments.size() == 3) {
    return Broadcast(Broadcast(first, arguments[1]), arguments[2]);
  }
  if (name == "long" || name == "int" || name == "bool") {
    KnownValue* made = New(ValueKind::kTensor);
    *made = *first;
    return made;
  }
  if (name == "layer_norm" || name == "rms_norm") {
    const KnownValue* shape = keyword("normalized_shape", 1);
    if (shape != nullptr && shape->Is(ValueKind::kSequence) && !shape->items.empty()) {
      EquateLast(first, AsDim(shape->items.back()), Evidence::kLayer);
    }
    return first;
  }
  if (name == "linear" && arguments.size() > 1 && arguments[1]->Is(ValueKind::kTensor) &&
      arguments[1]->ranked && arguments[1]->dims.size() == 2) {
    EquateLast(first, arguments[1]->dims[1], Evidence::kLayer);
    return WithLast(first, arguments[1]->dims[0]);
  }
  if (name.starts_with("conv") && name.ends_with("d") && name.size() <= 16) {
    const int spatial = name.find('1') != std::string_view::npos   ? 1
                        : name.find('3') != std::string_view::npos ? 3
                                                                   : 2;
    KnownValue* ranked = Ranked(first, spatial + 2, Evidence::kLayer);
    if (ranked == nullptr) return Unknown();
    const KnownValue* weight = keyword("weight", 1);
    std::vector<Dim> dims = {ranked->dims[0], solver_.Fresh()};
    const bool grouped = keyword("groups", 6) != nullptr;
    if (weight != nullptr && weight->Is(ValueKind::kTensor) && weight->ranked &&
        weight->dims.size() == ranked->dims.size()) {
      if (!grouped) solver_.Equate(ranked->dims[1], weight->dims[1], Evidence::kLayer);
      dims[1] = weight->dims[0];
    }
    for (int i = 0; i < spatial; ++i) dims.push_back(solver_.Fresh());
    return Tensor(std::move(dims));
  }
  if (name == "max_pool2d" || name == "avg_pool2d" || name == "adaptive_avg_pool2d" ||
      name == "adaptive_max_pool2d" || name == "pixel_shuffle" || name == "grid_sample") {
    KnownValue* ranked = Ranked(first, 4, Evidence::kLayer);
    if (ranked == nullptr) return Unknown();
    return Tensor({ranked->dims[0], name == "pixel_shuffle" ? solver_.Fresh() : ranked->dims[1],
                   solver_.Fresh(), solver_.Fresh()});
  }
  if (name == "interpolate" || name == "pad") {
    if (!first->ranked || first->dims.size() < 3) return Unknown();
    std::vector<Dim> dims(first->dims.begin(), first->dims.begin() + 2);
    while (dims.size() < first->dims.size()) dims.push_back(solver_.Fresh());
    return Tensor(std::move(dims));
  }
  if (name == "scaled_dot_product_attention" && arguments.size() > 2) {
    KnownValue* key = arguments[1];
    if (first->ranked && key->Is(ValueKind::kTensor) && key->ranked) {
      solver_.Equate(first->dims.back(), key->dims.back(), Evidence::kLayer);
    }
    return arguments[2]->Is(ValueKind::kTensor) && arguments[2]->ranked && first->ranked
               ? WithLast(first, arguments[2]->dims.back())
               : Unknown();
  }
  if (name == "embedding" && arguments.size() > 1) {
    MarkIndices(first, 0);
    return Unknown();
  }
  if (name == "one_hot") {
    MarkIndices(first, AsInteger(keyword("num_classes", 1)).value_or(0));
    return Unknown();
  }
  if ((name == "gather" || name == "index_select" || name == "scatter" || name == "scatter_add") &&
      arguments.size() > 2) {
    MarkIndices(arguments[2], 2);
    return Unknown();
  }
  if ((name == "cross_entropy" || name == "nll_loss" || name == "CrossEntropyLoss" ||
       name == "NLLLoss") &&
      arguments.size() > 1) {
    // Class indices for logits (batch, classes, …).
    KnownValue* logits = first->ranked ? first : Ranked(first, 2, Evidence::kLayer);
    if (logits == nullptr || logits->dims.size() < 2) return Unknown();
    const auto classes = solver_.KnownValue(logits->dims[1]);
    MarkIndices(arguments[1], classes.value_or(2));
    KnownValue* target =
        Ranked(arguments[1], static_cast<int>(logits->dims.size()) - 1, Evidence::kLayer);
    if (target != nullptr && !target->dims.empty()) {
      solver_.Equate(target->dims[0], logits->dims[0], Evidence::kLayer);
      for (std::size_t i = 1; i < target->dims.size(); ++i) {
        solver_.Equate(target->dims[i], logits->dims[i + 1], Evidence::kLayer);
      }
    }
    return Tensor({});
  }
  if (name == "numel") return SizeOf(first->ranked ? ProductOf(first->dims) : solver_.Fresh());
  if (name == "dim" || name == "ndimension")
    return first->ranked ? Integer(static_cast<std::int64_t>(first->dims.size())) : Unknown();
  return Unknown();
}

KnownValue* Evaluator::Filled(const std::vector<KnownValue*>& sizes, ElementKind type) {
  std::vector<Dim> dims;
  for (const KnownValue* size : sizes) {
    if (size->Is(ValueKind::kSequence)) {
      for (const KnownValue* item : size->items) dims.push_back(AsDim(item));
    } else {
      dims.push_back(AsDim(size));
    }
  }
  return Tensor(std::move(dims), type);
}

KnownValue* Evaluator::MatrixProduct(KnownValue* a, KnownValue* b) {
  if (!a->Is(ValueKind::kTensor) || !b->Is(ValueKind::kTensor)) return Unknown();
  if (!b->ranked || b->dims.empty()) return Unknown();
  if (b->dims.size() == 1) {
    EquateLast(a, b->dims[0], Evidence::kLayer);
    if (!a->ranked || a->dims.empty()) return Unknown();
    return Tensor({a->dims.begin(), a->dims.end() - 1});
  }
  EquateLast(a, b->dims[b->dims.size() - 2], Evidence::kLayer);
  if (!a->ranked) return b->dims.size() == 2 ? WithLast(a, b->dims.back()) : Unknown();
  if (a->dims.size() < 2) return Unknown();
  for (std::size_t i = 0; i + 2 < a->dims.size() && a->dims.size() == b->dims.size(); ++i) {
    const auto x = solver_.KnownValue(a->dims[i]), y = solver_.KnownValue(b->dims[i]);
    if ((x && *x == 1) || (y && *y == 1) || weak_ > 0) continue;
    solver_.Equate(a->dims[i], b->dims[i], Evidence::kLayer);
  }
  std::vector<Dim> dims = a->dims.size() >= b->dims.size() ? a->dims : b->dims;
  dims[dims.size() - 2] = a->dims[a->dims.size() - 2];
  dims.back() = b->dims.back();
  return Tensor(std::move(dims));
}

KnownValue* Evaluator::Concatenate(const std::vector<KnownValue*>& tensors, std::int64_t axis) {
  std::vector<KnownValue*> ranked;
  for (KnownValue* tensor : tensors) {
    if (tensor->Is(ValueKind::kTensor) && tensor->ranked) ranked.push_back(tensor);
  }
  if (ranked.empty()) return Unknown();
  const auto rank = static_cast<std::int64_t>(ranked[0]->dims.size());
  const std::int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) return Unknown();
  // An unranked input that is concatenated with a ranked tensor has its rank.
  for (KnownValue* tensor : tensors) {
    if (tensor->Is(ValueKind::kTensor) && !tensor->ranked) {
      if (KnownValue* made = Ranked(tensor, static_cast<int>(rank), Evidence::kLayer))
        ranked.push_back(made);
    }
  }
  std::vector<Dim> dims = ranked[0]->dims;
  std::int64_t total = 0;
  bool known = ranked.size() == tensors.size();
  for (KnownValue* tensor : ranked) {
    if (static_cast<std::int64_t>(tensor->dims.size()) != rank) {
      Conflict();
      return Unknown();
    }
    for (std::int64_t i = 0; i < rank; ++i) {
      if (i != at && weak_ == 0) solver_.Equate(dims[i], tensor->dims[i], Evidence::kLayer);
    }
    const auto size = solver_.KnownValue(tensor->dims[at]);
    known &= size.has_value();
    total += size.value_or(0);
  }
  // One unknown size and constants: `cat((cls_token, x), dim = 1)`.
  if (known) {
    dims[at] = solver_.Constant(total);
  } else {
    dims[at] = solver_.Fresh();
    Dim open = -1;
    int opens = 0;
    for (const KnownValue* tensor : ranked) {
      if (!solver_.KnownValue(tensor->dims[at])) {
        open = tensor->dims[at];
        ++opens;
      }
    }
    if (opens == 1 && ranked.size() == tensors.size()) solver_.AddSum(dims[at], open, total);
  }
  return Tensor(std::move(dims));
}

KnownValue* Evaluator::Reduce(KnownValue* tensor, const KnownValue* axis, bool keep) {
  if (axis == nullptr || axis->Is(ValueKind::kNone)) return Tensor({});
  std::vector<const KnownValue*> axes = {axis};
  if (axis->Is(ValueKind::kSequence)) axes.assign(axis->items.begin(), axis->items.end());
  std::int64_t largest = 0;
  std::vector<std::int64_t> at;
  for (const KnownValue* item : axes) {
    const auto value = AsInteger(item);
    if (!value) return Unknown();
    at.push_back(*value);
    largest = std::max(largest, *value);
  }
  if (!tensor->ranked) {
    // mean((2, 3)) reduces images.
    if (largest == 3 && at.size() == 2) {
      KnownValue* ranked = Ranked(tensor, 4, Evidence::kLayer);
      if (ranked == nullptr) return Unknown();
      tensor = ranked;
    } else if (at.size() == 1 && at[0] == -1 && keep) {
      return WithLast(tensor, solver_.Constant(1));
    } else {
      return Unknown();
    }
  }
  const auto rank = static_cast<std::int64_t>(tensor->dims.size());
  std::vector<bool> gone(tensor->dims.size(), false);
  for (std::int64_t value : at) {
    const std::int64_t index = value < 0 ? value + rank : value;
    if (index < 0 || index >= rank) {
      Conflict();
      return Unknown();
    }
    gone[static_cast<std::size_t>(index)] = true;
  }
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < tensor->dims.size(); ++i) {
    if (!gone[i]) dims.push_back(tensor->dims[i]);
    if (gone[i] && keep) dims.push_back(solver_.Constant(1));
  }
  return Tensor(std::move(dims));
}

}  // namespace kernelmill
