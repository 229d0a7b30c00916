#include "generators/shapes/shape_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "generators/wording/tensor_text.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

using SymbolStyle = ShapeStyle::Symbols;

std::string Trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The operators that torch ran and the values that were bound on one source line, in order.
struct Moment {
  int line = 0;
  std::vector<const OperatorCall*> operators;
  std::vector<const LineValue*> values;
};

// The lines in order of execution. A line that binds no value (`x.add_(1)`) follows the nearest
// line above it that binds one.
std::vector<Moment> MomentsOf(const Annotation& annotation) {
  std::map<int, Moment> by_line;
  for (const OperatorCall& call : annotation.operators) {
    by_line[call.line].operators.push_back(&call);
  }
  for (const LineValue& value : annotation.values) by_line[value.line].values.push_back(&value);
  std::vector<std::pair<const LineValue*, Moment>> placed;
  const LineValue* place = nullptr;
  for (auto& [line, moment] : by_line) {
    moment.line = line;
    if (!moment.values.empty()) place = moment.values.front();
    placed.emplace_back(place, std::move(moment));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Moment> moments;
  for (auto& [first, moment] : placed) moments.push_back(std::move(moment));
  return moments;
}

// Writes shapes with their symbols in the style of the row.
class Shapes {
 public:
  Shapes(const Annotation& annotation, const SymbolicShapeText& wording, const ShapeStyle& style)
      : followed_(annotation.symbolic.followed()), style_(style), wording_(wording) {}

  // "(2, 64) float32 = (B, 64)".
  std::string Layout(const TensorFacts& tensor, const SymbolicShape* symbols) {
    if (!followed_) return LayoutText(tensor, style_);
    if (style_.symbols != SymbolStyle::kMerged) {
      return LayoutText(tensor, style_) + SymbolsOf(*symbols);
    }
    const std::string plain = ShapeText(tensor.shape);
    return wording_.WithValues(*symbols, tensor.shape) +
           LayoutText(tensor, style_).substr(plain.size());
  }
  // "(2, 64) = (B, 64)".
  std::string Shape(const TensorFacts& tensor, const SymbolicShape* symbols) {
    if (!followed_) return ShapeText(tensor.shape);
    if (style_.symbols == SymbolStyle::kMerged) return wording_.WithValues(*symbols, tensor.shape);
    return ShapeText(tensor.shape) + SymbolsOf(*symbols);
  }
  // A text that is equal for tensors with equal descriptions.
  std::string Key(const TensorFacts& tensor, const SymbolicShape* symbols) const {
    return LayoutText(tensor, style_) + tensor.dtype +
           (followed_ ? wording_.EqualsSuffix(*symbols) : "");
  }
  bool followed() const { return followed_; }

 private:
  std::string SymbolsOf(const SymbolicShape& shape) {
    const std::string text = wording_.EqualsSuffix(shape);
    const bool told = !told_.insert(text).second;
    return told && style_.symbols == SymbolStyle::kOnce ? "" : text;
  }

  bool followed_;
  const ShapeStyle& style_;
  const SymbolicShapeText& wording_;
  std::set<std::string> told_;
};

// "`linear` → (2, 8); `add`, `relu` → (2, 16)". Consecutive operators with equal results share one,
// and the body of a loop is written once.
std::string OperatorsText(const Moment& moment, const std::string& code,
                          const Annotation& annotation, Shapes* shapes, const ShapeStyle& style) {
  if (!style.operators && !moment.values.empty()) return "";
  std::vector<const OperatorCall*> calls;
  for (const OperatorCall* call : moment.operators) {
    if (!call->outputs.empty()) calls.push_back(call);
  }
  const auto same = [](const OperatorCall& one, const OperatorCall& other, bool named) {
    return (!named || one.name == other.name) &&
           std::equal(
               one.outputs.begin(), one.outputs.end(), other.outputs.begin(), other.outputs.end(),
               [](const TensorFacts& a, const TensorFacts& b) { return a.shape == b.shape; });
  };
  std::size_t period = 1;
  for (; period < calls.size(); ++period) {
    bool repeats = calls.size() % period == 0;
    for (std::size_t i = period; repeats && i < calls.size(); ++i) {
      repeats = same(*calls[i], *calls[i - period], true);
    }
    if (repeats) break;
  }
  const std::size_t times = calls.empty() ? 1 : calls.size() / period;
  calls.resize(std::min(period, calls.size()));
  // For a long loop with differing iterations, write each distinct result once.
  constexpr std::size_t kMost = 10;
  const std::size_t all = calls.size();
  if (all > kMost) {
    std::vector<const OperatorCall*> distinct;
    for (const OperatorCall* call : calls) {
      const bool told = std::any_of(distinct.begin(), distinct.end(), [&](const OperatorCall* one) {
        return same(*one, *call, true);
      });
      if (!told) distinct.push_back(call);
    }
    calls = std::move(distinct);
  }
  std::string text;
  for (std::size_t at = 0; at < calls.size();) {
    std::size_t end = at + 1;
    while (end < calls.size() && same(*calls[end], *calls[at], false)) ++end;
    text += text.empty() ? "" : "; ";
    for (std::size_t i = at; i < end; ++i) {
      text += (i > at ? ", `" : "`") + calls[i]->name + "`";
    }
    // The code of the line names the operator already.
    const bool seen = at == 0 && end == 1 && code.find(calls[0]->name) != std::string::npos;
    at = end;
    const OperatorCall& last = *calls[end - 1];
    if (!style.every_result && end == calls.size() && times == 1 && moment.values.size() == 1 &&
        last.outputs.size() == 1 && last.outputs[0].shape == moment.values[0]->tensor.shape) {
      if (seen) text.clear();
      break;
    }
    text += style.arrow;
    const auto index = static_cast<std::size_t>(&last - annotation.operators.data());
    for (std::size_t i = 0; i < last.outputs.size(); ++i) {
      const SymbolicShape* const symbols =
          shapes->followed() ? &annotation.symbolic.operators[index][i] : nullptr;
      text += (i > 0 ? " and " : "") + shapes->Shape(last.outputs[i], symbols);
    }
  }
  if (calls.size() < all) text += " (" + std::to_string(all) + " calls)";
  return times > 1 ? text + FillPlaceholders(style.times, {{"count", std::to_string(times)}})
                   : text;
}

// " is (2, 8)" becomes " are (2, 8)".
std::string ForSeveral(const std::string& text) {
  for (const auto& [one, several] :
       {std::pair(" is ", " are "), std::pair(" has ", " have "), std::pair(" stays", " stay"),
        std::pair(" keeps ", " keep "), std::pair(" does ", " do "),
        std::pair(" matches ", " match ")}) {
    if (text.starts_with(one)) return several + text.substr(std::string_view(one).size());
  }
  return text;
}

// The tensor that a name is bound to after a line.
struct KnownName {
  std::string name, key;
};

// "`x`: (2, 8) float32"; consecutive names with equal tensors share one entry: "`q`, `k`: (2, 4, 8)
// float32". Sets `*unchanged` to whether every name kept its shape and layout.
std::vector<std::string> ValueTexts(const Moment& moment, const Annotation& annotation,
                                    Shapes* shapes, const ShapeStyle& style,
                                    std::vector<KnownName>* known, bool* unchanged) {
  std::vector<std::pair<std::string, std::string>> texts;  // Names and their descriptions.
  std::string last;
  *unchanged = !moment.values.empty();
  for (const LineValue* value : moment.values) {
    const auto index = static_cast<std::size_t>(value - annotation.values.data());
    const SymbolicShape* const symbols =
        shapes->followed() ? &annotation.symbolic.values[index] : nullptr;
    const std::string key = shapes->Key(value->tensor, symbols);
    const auto named = [&](const KnownName& one) { return one.name == value->name; };
    const auto before = std::find_if(known->begin(), known->end(), named);
    const bool same = before != known->end() && before->key == key && value->name != "return";
    *unchanged = *unchanged && same;
    std::string text;
    if (style.brief && same) {
      text = style.unchanged;
    }
    if (before != known->end()) known->erase(before);
    known->push_back({value->name, key});
    const std::string name = value->name == "return" ? "the result" : "`" + value->name + "`";
    if (!texts.empty() && key == last) {
      texts.back().first += ", " + name;
      continue;
    }
    last = key;
    const bool short_form = !text.empty();
    if (!short_form) text = shapes->Layout(value->tensor, symbols);
    texts.emplace_back(name, (short_form ? " " : style.colon) + text);
  }
  std::vector<std::string> lines;
  for (const auto& [names, text] : texts) {
    std::string line = names + (names.find("`, ") == std::string::npos ? text : ForSeveral(text));
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

// Combines consecutive steps that change nothing.
std::vector<ShapeStep> Grouped(const std::vector<ShapeStep>& steps,
                               const std::vector<bool>& unchanged, const ShapeStyle& style) {
  std::vector<ShapeStep> grouped;
  for (std::size_t at = 0; at < steps.size();) {
    std::size_t end = at;
    while (end < steps.size() && unchanged[end] &&
           (end == at || steps[end].line > steps[end - 1].line)) {
      ++end;
    }
    if (end - at < 2) {
      grouped.push_back(steps[at++]);
      continue;
    }
    const std::vector<ShapeStep> group(steps.begin() + static_cast<std::ptrdiff_t>(at),
                                       steps.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::string> titles;
    for (const ShapeStep& one : group) titles.push_back(one.title);
    ShapeStep step = {group.back().line, Listed(titles), "", {style.group}};
    grouped.push_back(std::move(step));
    at = end;
  }
  return grouped;
}

}  // namespace

std::string LayoutText(const TensorFacts& tensor, const ShapeStyle& style) {
  const std::string text = ShapeText(tensor.shape) + (style.dtypes ? " " + tensor.dtype : "");
  const std::vector<std::int64_t> dense = RowMajorStrides(tensor.shape);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    // The stride of a dimension of size 1 does not matter.
    if (tensor.shape[i] > 1 && tensor.stride[i] != dense[i]) {
      return text + FillPlaceholders(style.view, {{"stride", ShapeText(tensor.stride)}});
    }
  }
  return text;
}

std::string OnlyDtype(const Annotation& annotation) {
  std::set<std::string> dtypes;
  for (const LineValue& value : annotation.values) dtypes.insert(value.tensor.dtype);
  for (const TensorFacts& output : annotation.outputs) dtypes.insert(output.dtype);
  for (const OperatorCall& call : annotation.operators) {
    for (const TensorFacts& output : call.outputs) dtypes.insert(output.dtype);
  }
  return dtypes.size() == 1 ? *dtypes.begin() : "";
}

ShapeStyle ShapeStyleFor(const Annotation& annotation, bool about_operators) {
  ShapeStyle style;
  style.operators = style.every_result = about_operators;
  style.brief = !about_operators;
  style.dtypes = OnlyDtype(annotation).empty();
  return style;
}

std::vector<ShapeStep> ShapeStepsOf(const Task& task, const Annotation& annotation,
                                    const SymbolicShapeText& symbols, const ShapeStyle& style) {
  const std::vector<std::string_view> lines = LinesOf(task.code);
  Shapes shapes(annotation, symbols, style);
  std::vector<KnownName> known;
  std::vector<ShapeStep> steps;
  std::vector<bool> unchanged;
  for (const Moment& moment : MomentsOf(annotation)) {
    if (moment.line < 1 || static_cast<std::size_t>(moment.line) > lines.size()) continue;
    const std::string code = Trim(std::string(lines[static_cast<std::size_t>(moment.line) - 1]));
    bool same = false;
    ShapeStep step = {moment.line, "`" + code + "`",
                      OperatorsText(moment, code, annotation, &shapes, style),
                      ValueTexts(moment, annotation, &shapes, style, &known, &same)};
    if (step.operators.empty() && step.values.empty()) continue;
    // Skip the arguments of an inner function that are known already.
    if (same && style.brief && code.starts_with("def ")) continue;
    // A line with an intermediate result is worth a step.
    const bool quiet = same && style.brief && step.operators.find('(') == std::string::npos;
    step.entry = code.starts_with("def forward(");
    steps.push_back(std::move(step));
    unchanged.push_back(quiet);
  }
  return Grouped(steps, unchanged, style);
}

}  // namespace kernelmill
