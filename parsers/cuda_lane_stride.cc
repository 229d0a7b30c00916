#include "parsers/cuda_lane_stride.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Kind = LaneStride::Kind;

// Definitions are followed through at most so many variables.
constexpr int kDeepest = 12;

LaneStride Plain(Kind kind) { return {kind, ""}; }
LaneStride Constant(std::string factor) { return {Kind::kConstant, std::move(factor)}; }

std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  // A suffix as in "4u" and "4LL" does not change the value.
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.find_first_not_of("uUlL") != rest.npos) return std::nullopt;
  return number;
}

// What holds for a value that depends on both.
LaneStride Mixed(const LaneStride& a, const LaneStride& b) {
  const bool data = a.kind == Kind::kFromData || b.kind == Kind::kFromData;
  return Plain(data ? Kind::kFromData : Kind::kUnknown);
}

LaneStride Sum(const LaneStride& a, const LaneStride& b, bool minus) {
  if (b.kind == Kind::kUniform) return a;
  if (a.kind == Kind::kUniform && !minus) return b;
  if (a.kind != Kind::kConstant || b.kind != Kind::kConstant) return Mixed(a, b);
  const auto first = NumberIn(a.factor), second = NumberIn(b.factor);
  if (!first || !second) return Plain(Kind::kUnknown);
  const std::int64_t sum = minus ? *first - *second : *first + *second;
  return sum == 0 ? Plain(Kind::kUniform) : Constant(std::to_string(sum));
}

// `text`: that of the uniform factor.
LaneStride Scaled(const LaneStride& stride, std::string_view text) {
  if (stride.factor == "1") return Constant(std::string(text));
  const auto first = NumberIn(stride.factor), second = NumberIn(text);
  if (first && second) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(*first, *second, &product)) return Plain(Kind::kUnknown);
    return product == 0 ? Plain(Kind::kUniform) : Constant(std::to_string(product));
  }
  return Constant(stride.factor + " * " + std::string(text));
}

LaneStride Product(const LaneStride& a, std::string_view a_text, const LaneStride& b,
                   std::string_view b_text) {
  if (a.kind == Kind::kUniform && b.kind == Kind::kUniform) return a;
  if (a.kind == Kind::kConstant && b.kind == Kind::kUniform) return Scaled(a, b_text);
  if (b.kind == Kind::kConstant && a.kind == Kind::kUniform) return Scaled(b, a_text);
  return Mixed(a, b);
}

bool IsCast(std::string_view name) {
  static constexpr std::string_view kTypes[] = {"int",      "unsigned", "long",     "short",
                                                "size_t",   "uint",     "int32_t",  "int64_t",
                                                "uint32_t", "uint64_t", "uint16_t", "ptrdiff_t"};
  return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
}

}  // namespace

// Reads an expression by recursive descent: sums of products of names, numbers and brackets.
class StrideReader {
 public:
  StrideReader(std::string_view text, const LaneStrides& strides, int depth)
      : text_(text), strides_(strides), depth_(depth) {}

  LaneStride Read() {
    const LaneStride stride = ReadSum();
    Skip();
    return at_ == text_.size() ? stride : Plain(Kind::kUnknown);
  }

 private:
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(char c) {
    Skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  LaneStride ReadSum() {
    LaneStride sum = ReadProduct();
    for (;;) {
      const bool minus = Take('-');
      if (!minus && !Take('+')) return sum;
      sum = Sum(sum, ReadProduct(), minus);
    }
  }

  LaneStride ReadProduct() {
    Skip();
    std::size_t start = at_;
    LaneStride product = ReadFactor();
    std::string_view text = text_.substr(start, at_ - start);
    for (;;) {
      const bool times = Take('*');
      if (!times && !Take('/') && !Take('%')) return product;
      Skip();
      const std::size_t second = at_;
      const LaneStride factor = ReadFactor();
      const std::string_view factor_text = text_.substr(second, at_ - second);
      if (times) {
        product = Product(product, text, factor, factor_text);
      } else if (product.kind != Kind::kUniform || factor.kind != Kind::kUniform) {
        product = Mixed(product, factor);
      }
      text = text_.substr(start, at_ - start);
    }
  }

  LaneStride ReadBracket() {
    const std::size_t open = at_;
    if (!Take('(')) return Plain(Kind::kUnknown);
    const std::size_t close = std::min(text_.find(')', open), text_.size());
    if (IsCast(text_.substr(at_, close - at_))) {
      at_ = std::min(close + 1, text_.size());
      return ReadFactor();
    }
    const LaneStride inner = ReadSum();
    return Take(')') ? inner : Plain(Kind::kUnknown);
  }

  // The subscript of an array. All lanes that read the same element have the same value.
  LaneStride ReadElement() {
    const std::size_t open = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    if (at_ == text_.size()) return Plain(Kind::kUnknown);
    const std::string_view subscript = text_.substr(open + 1, at_ - open - 1);
    ++at_;
    const bool same = strides_.OfExpression(subscript, depth_ - 1).kind == Kind::kUniform;
    return Plain(same ? Kind::kUniform : Kind::kFromData);
  }

  LaneStride ReadFactor() {
    Skip();
    if (at_ == text_.size()) return Plain(Kind::kUnknown);
    if (text_[at_] == '(') return ReadBracket();
    const std::size_t start = at_;
    while (at_ < text_.size() && (IsNamePart(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (name.empty()) return Plain(Kind::kUnknown);
    if (name == "static_cast" && at_ < text_.size() && text_[at_] == '<') {
      at_ = std::min(text_.find('>', at_) + 1, text_.size());
      return ReadBracket();
    }
    if (at_ < text_.size() && text_[at_] == '[') return ReadElement();
    if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '<' || text_[at_] == ':')) {
      return IsCast(name) ? ReadBracket() : Plain(Kind::kUnknown);
    }
    return IsDigit(name[0]) ? Plain(Kind::kUniform) : strides_.OfName(name, depth_);
  }

  const std::string_view text_;
  const LaneStrides& strides_;
  const int depth_;
  std::size_t at_ = 0;
};

LaneStrides::LaneStrides(const KernelFacts& facts, std::string_view body) : facts_(facts) {
  ReadBody(body);
}

void LaneStrides::ReadBody(std::string_view body) {
  std::string name, before;  // The last two words.
  for (std::size_t at = 0; at < body.size();) {
    if (IsNameStart(body[at])) {
      std::size_t end = at;
      while (end < body.size() && IsNamePart(body[end])) ++end;
      before = std::move(name);
      name = body.substr(at, end - at);
      std::size_t sign = end;
      while (sign < body.size() && body[sign] == ' ') ++sign;
      const std::string_view rest = body.substr(sign);
      const bool compound = rest.size() > 1 && rest[1] == '=' &&
                            std::string_view("+-*/%|&^").find(rest[0]) != std::string_view::npos;
      const bool steps =
          rest.starts_with("++") || rest.starts_with("--") ||
          (at > 1 && (body.substr(at - 2, 2) == "++" || body.substr(at - 2, 2) == "--"));
      if (compound || steps || rest.starts_with("<<=") || rest.starts_with(">>=")) {
        ++changed_[name];
      } else if (rest.starts_with("= ") || (rest.starts_with("=") && !rest.starts_with("=="))) {
        ++assigned_[name];
        std::size_t value = sign + 1;
        while (value < body.size() && body[value] == ' ') ++value;
        std::size_t word = value;
        while (word < body.size() && IsNamePart(body[word])) ++word;
        if (word > value && word < body.size() && body[word] == '[') {
          const std::size_t stop = std::min(body.find(';', value), body.size());
          loaded_[name] = body.substr(value, stop - value);
        }
        const bool number =
            word > value && IsDigit(body[value]) && word < body.size() && body[word] == ';';
        const std::size_t loop = body.rfind("for (", at);
        const bool first = loop != body.npos && at - loop < 40 &&
                           body.substr(loop, at - loop).find_first_of(";)") == body.npos;
        if (number && first) counters_.insert(name);
      }
      at = end;
    } else {
      ++at;
    }
  }
}

LaneStride LaneStrides::OfExpression(std::string_view expression, int depth) const {
  return depth == 0 ? Plain(Kind::kUnknown) : StrideReader(expression, *this, depth).Read();
}

LaneStride LaneStrides::OfName(const std::string& name, int depth) const {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const LaneStride stride = LookUp(name, depth - 1);
  known_.emplace(name, stride);
  return stride;
}

LaneStride LaneStrides::LookUp(const std::string& name, int depth) const {
  const std::size_t dot = name.find('.');
  if (dot != name.npos) {
    const std::string object = name.substr(0, dot);
    if (object == "threadIdx") {
      return name == "threadIdx.x" ? Constant("1") : Plain(Kind::kUniform);
    }
    const bool uniform = object == "blockIdx" || object == "blockDim" || object == "gridDim";
    return Plain(uniform ? Kind::kUniform : Kind::kUnknown);
  }
  for (const KernelLoop& loop : facts_.loops) {
    if (loop.variable != name) continue;
    const std::size_t plus = loop.update.find("+=");
    const bool steps = loop.update.find("++") != loop.update.npos;
    if (!steps && plus == loop.update.npos) return Plain(Kind::kUnknown);
    const bool even =
        steps ||
        OfExpression(std::string_view(loop.update).substr(plus + 2), depth).kind == Kind::kUniform;
    return even ? OfExpression(loop.start, depth) : Plain(Kind::kUnknown);
  }
  const auto named = [&](const ThreadIndex& index) { return index.name == name; };
  const auto index = std::find_if(facts_.indices.begin(), facts_.indices.end(), named);
  if (index != facts_.indices.end()) {
    const auto assigned = assigned_.find(name);
    if (changed_.contains(name) || (assigned != assigned_.end() && assigned->second > 1)) {
      return Plain(Kind::kUnknown);
    }
    if (index->kind == ThreadIndex::Kind::kGridRank) return Constant("1");
    if (index->expression.find("group_index()") != index->expression.npos &&
        index->expression.find("thread") == index->expression.npos) {
      return Plain(Kind::kUniform);
    }
    return OfExpression(index->expression, depth);
  }
  const bool parameter =
      std::any_of(facts_.parameters.begin(), facts_.parameters.end(),
                  [&](const KernelParameter& one) { return one.name == name && !one.pointer; });
  if (parameter && !changed_.contains(name) && !assigned_.contains(name)) {
    return Plain(Kind::kUniform);
  }
  for (const std::string& one : facts_.template_parameters) {
    if (one.ends_with(" " + name)) return Plain(Kind::kUniform);
  }
  // The counter of a loop that starts at a number is equal in all lanes of an iteration.
  const auto assigned = assigned_.find(name);
  const bool once = assigned != assigned_.end() && assigned->second == 1;
  if (once && counters_.contains(name)) return Plain(Kind::kUniform);
  const auto loaded = loaded_.find(name);
  if (loaded == loaded_.end()) return Plain(Kind::kUnknown);
  const LaneStride stride = OfExpression(loaded->second, depth);
  if (stride.kind == Kind::kFromData) return stride;
  // Of several assignments, or a variable that changes, the expression tells only a part.
  return once && !changed_.contains(name) ? stride : Plain(Kind::kUnknown);
}

std::optional<std::int64_t> LaneStride::Number() const {
  return kind == Kind::kConstant ? NumberIn(factor) : std::nullopt;
}

LaneStride LaneStrides::Of(std::string_view expression) const {
  return OfExpression(expression, kDeepest);
}

LaneStride LaneStrides::OfAccess(const MemoryAccess& access) const {
  const std::size_t open = access.text.find('[');
  // A pointer that is no parameter was set to a place that is not followed here.
  const bool parameter =
      std::any_of(facts_.parameters.begin(), facts_.parameters.end(),
                  [&](const KernelParameter& one) { return one.name == access.array; });
  if (!parameter || open == access.text.npos || !access.text.ends_with(']') ||
      access.text.find("][") != access.text.npos) {
    return Plain(Kind::kUnknown);
  }
  LaneStride stride =
      Of(std::string_view(access.text).substr(open + 1, access.text.size() - open - 2));
  int moved = 0;
  for (const KernelStatement& offset : facts_.offsets) {
    if (!offset.text.starts_with(access.array + " ")) continue;
    ++moved;
    const std::size_t sign = offset.text.find("= ");
    if (sign == offset.text.npos) return Plain(Kind::kUnknown);
    stride = Sum(stride, Of(std::string_view(offset.text).substr(sign + 2)),
                 offset.text.find("-=") != offset.text.npos);
  }
  // Branches can move the pointer in different ways.
  const auto changes = changed_.find(access.array);
  const int all = changes == changed_.end() ? 0 : changes->second;
  return all > 1 || all != moved || assigned_.contains(access.array) ? Plain(Kind::kUnknown)
                                                                     : stride;
}

}  // namespace kernelmill
