#include "generators/shape_reasoning.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "generators/symbolic_wording.h"
#include "generators/tensor_words.h"
#include "generators/voice.h"

namespace kernelmill {
namespace {

// How much is said of each line, in which words.
struct Manner {
  std::string arrow;      // Between an operator and what it makes.
  std::string colon;      // Between a name and its tensor.
  std::string view;       // Of a tensor that is not dense: " with strides {stride}".
  std::string times;      // "(×{count})": of operators that a loop runs again.
  bool operators = true;  // Every operator, or only where a line binds no value.
  bool brief = false;     // What an operator makes is not told where the line binds just that,
  std::string unchanged;  // and this is said of a name that keeps its shape and layout.
  bool symbols = true;    // Shapes in symbols wherever they stand, or only the first time.
};

// "(2, 64, 512) float32", and the strides where they are not the dense ones: a size-1 dimension has
// no say in that.
std::string LayoutText(const TensorFacts& tensor, const Manner& manner) {
  const std::string text = ShapeWords(tensor.shape) + " " + tensor.dtype;
  const std::vector<std::int64_t> dense = RowMajorStrides(tensor.shape);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (tensor.shape[i] > 1 && tensor.stride[i] != dense[i]) {
      return text + Fill(manner.view, {{"stride", ShapeWords(tensor.stride)}});
    }
  }
  return text;
}

std::vector<std::string> LinesOf(const std::string& code) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start <= code.size()) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    lines.push_back(code.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string Trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What torch did while one source line ran, in the order of execution.
struct Moment {
  int line = 0;
  std::vector<const OperatorCall*> operators;
  std::vector<const LineValue*> values;
};

// A line that binds nothing (`x.add_(1)`) follows the last line above it that does.
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

// Shapes in symbols, each of them once where that is enough.
class Symbols {
 public:
  Symbols(const Annotation& annotation, const SymbolicWording& wording, bool everywhere)
      : followed_(annotation.symbolic.followed()), everywhere_(everywhere), wording_(wording) {}

  // " = (B, N, 512)" or "".
  std::string Of(const SymbolicShape& shape) {
    const std::string text = wording_.Equals(shape);
    return everywhere_ || told_.insert(text).second ? text : "";
  }
  bool followed() const { return followed_; }

 private:
  bool followed_, everywhere_;
  const SymbolicWording& wording_;
  std::set<std::string> told_;
};

// "`linear` → (2, 8); `add`, `relu` → (2, 16)": neighbours with the same results together, and what
// a loop repeats once.
std::string OperatorsText(const Moment& moment, const Annotation& annotation, Symbols* symbols,
                          const Manner& manner) {
  if (!manner.operators && !moment.values.empty()) return "";
  std::vector<const OperatorCall*> calls;
  for (const OperatorCall* call : moment.operators) {
    if (!call->outputs.empty()) calls.push_back(call);
  }
  const auto same = [](const OperatorCall& one, const OperatorCall& other, bool named) {
    return (!named || one.name == other.name) &&
           std::equal(one.outputs.begin(), one.outputs.end(), other.outputs.begin(),
                      other.outputs.end(), [](const TensorFacts& a, const TensorFacts& b) {
                        return a.shape == b.shape;
                      });
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
  // Of a long loop whose rounds differ each result once.
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
    at = end;
    const OperatorCall& last = *calls[end - 1];
    if (manner.brief && end == calls.size() && times == 1 && moment.values.size() == 1 &&
        last.outputs.size() == 1 && last.outputs[0].shape == moment.values[0]->tensor.shape) {
      break;
    }
    text += manner.arrow;
    const auto index = static_cast<std::size_t>(&last - annotation.operators.data());
    for (std::size_t i = 0; i < last.outputs.size(); ++i) {
      text += (i > 0 ? " and " : "") + ShapeWords(last.outputs[i].shape);
      if (symbols->followed()) text += symbols->Of(annotation.symbolic.operators[index][i]);
    }
  }
  if (calls.size() < all) text += " (" + std::to_string(all) + " calls)";
  return times > 1 ? text + Fill(manner.times, {{"count", std::to_string(times)}}) : text;
}

// "`x`: (2, 8) float32", and "`q`, `k`: (2, 4, 8) float32" of neighbours that lie alike.
std::vector<std::string> ValueTexts(const Moment& moment, const Annotation& annotation,
                                    Symbols* symbols, const Manner& manner,
                                    std::map<std::string, std::string>* known) {
  std::vector<std::pair<std::string, std::string>> texts;  // Names, and what they are.
  std::string last;
  for (const LineValue* value : moment.values) {
    std::string layout = LayoutText(value->tensor, manner);
    std::string& before = (*known)[value->name];
    const bool unchanged = manner.brief && before == layout && value->name != "return";
    before = layout;
    if (unchanged) layout = manner.unchanged;
    if (!texts.empty() && layout == last) {
      texts.back().first += ", `" + value->name + "`";
      continue;
    }
    last = layout;
    std::string text = layout;
    if (symbols->followed() && !unchanged) {
      const auto index = static_cast<std::size_t>(value - annotation.values.data());
      text += symbols->Of(annotation.symbolic.values[index]);
    }
    texts.emplace_back("`" + value->name + "`", std::move(text));
  }
  std::vector<std::string> lines;
  for (const auto& [names, text] : texts) {
    std::string line = names + manner.colon + text;
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

// One line of forward() and what it does.
struct Step {
  std::string code, operators;
  std::vector<std::string> values;
};

std::string InTable(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

// In one of several layouts, in the order of the steps.
std::string StepsText(const std::vector<Step>& steps, Voice* voice) {
  enum Layout { kNumbered, kDashes, kTable, kSentences, kTwoLevels, kLayouts };
  const auto layout = static_cast<Layout>(voice->Index(kLayouts));
  std::string text;
  if (layout == kTable) {
    text = voice->Choose("| [line|code|statement] | [operators|calls] | [values|tensors|bound] |\n") +
           "| --- | --- | --- |\n";
  }
  int number = 0;
  for (const Step& step : steps) {
    std::string values;
    for (const std::string& value : step.values) values += (values.empty() ? "" : "; ") + value;
    const std::string both =
        step.operators + (step.operators.empty() || values.empty() ? "" : "; ") + values;
    switch (layout) {
      case kNumbered:
        text += std::to_string(++number) + ". `" + step.code + "`";
        if (!step.operators.empty()) text += "\n   " + step.operators;
        for (const std::string& value : step.values) text += "\n   " + value;
        text += "\n";
        break;
      case kDashes:
        text += "- `" + step.code + "`" + voice->Choose("[: | — | → |: ]") + both + "\n";
        break;
      case kTable:
        text += "| `" + InTable(step.code) + "` | " + InTable(step.operators) + " | " +
                InTable(values) + " |\n";
        break;
      case kTwoLevels:
        text += (text.empty() ? "`" : "\n`") + step.code + "`\n\n";
        if (!step.operators.empty()) text += "- " + step.operators + "\n";
        for (const std::string& value : step.values) text += "- " + value + "\n";
        break;
      default:
        text += voice->Say({"[In|At|With|After] {code}: {both}.", "{code} [gives|leads to|means|makes] "
                                                                "{both}.",
                            "[Then|Next|Now] {code}: {both}.", "{both} [in|from|by] {code}."},
                           {{"code", "`" + step.code + "`"}, {"both", both}}) +
                "\n";
    }
  }
  return text;
}

constexpr std::string_view kQuestionPurpose = "shape question";
const SentenceVariants kQuestions = {
    "[Walk|Go] through `forward` and give the shape and dtype of [every|each] intermediate value.",
    "What shape and dtype does each value in `Model.forward` have[ for the inputs below|]?",
    "Trace the tensors through this module: for each line of `forward`, [state|say] the resulting "
    "shape, its dtype, and where the memory layout stops being contiguous.",
    "Before a kernel can be written [for this module |]its index space must be known. Derive the "
    "shape of every tensor along `forward`.",
    "Derive, line by line, the shapes that this module produces.",
    "A native kernel needs exact extents. Work out all tensor shapes inside `forward`.",
    "List every tensor that exists while `forward` runs, with its shape and dtype.",
    "I want to allocate all intermediate buffers of this module in advance. Which sizes do they "
    "have?",
    "Annotate `forward`: what does each line bind, how large is it, and of which type?",
    "Follow the data from the arguments of `forward` to what it returns, naming the shape after "
    "each operator.",
    "Which operators run in `forward`, in which order, and what does each of them give back?",
    "Check my understanding of this module: what are the dimensions of each tensor in it?",
    "Without running the code, determine the extents of all values in `forward`.",
    "For a port of this module I need a table of its tensors[ in my head|]: go through it and give "
    "shapes, types and layouts.",
    "[Shapes|Shapes and dtypes], please, [line by line|for every line of `forward`].",
    "[What are the sizes|Which shapes occur] between input and output here?",
    "[Add comments with|Fill in] the shape of every tensor in `forward`.",
    "[My port|A kernel of mine] disagrees with this module. Which shapes should I see at each line?",
    "[Run `forward` on paper|Evaluate the shapes only]: what comes out of every line?",
    "Say for each tensor in this code how large it is and how it lies in memory."};

std::string Question(const Task& task, bool symbolic, std::size_t index, Voice* voice) {
  const std::string bullet = voice->Choose("[- |* ]"), colon = voice->Choose("[: | = | is |, ]");
  std::string inputs;
  for (const InputSpec& input : task.inputs) {
    inputs += bullet + "`" + input.name + "`" + colon + ShapeWords(input.shape) + " " +
              input.dtype + "\n";
  }
  const std::string ask = voice->Choose(kQuestions[index]);
  const std::string open =
      symbolic ? " " + voice->Say({"[Give|Write] sizes that the module leaves open as symbols too.",
                                   "Where a size is free, also say how it follows from the sizes "
                                   "of the inputs.",
                                   "[State|Give] the shapes both for these sizes and in general."})
               : "";
  const std::string heading =
      voice->Choose("[Inputs of `forward`|Inputs|Arguments|Called with|It gets]:\n");
  // The inputs stand behind the code or in front of it.
  if (voice->OneIn(4)) {
    return ask + open + "\n\n" + heading + inputs + "\n```python\n" + task.code + "```";
  }
  return ask + open + "\n\n```python\n" + task.code + "```\n\n" + heading + inputs;
}

}  // namespace

std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& annotation, std::int64_t seed) {
  const Wording wording(task_id, seed);
  Voice voice(wording, "shape steps");
  const SymbolicWording symbols(task, annotation.symbolic);
  const std::string preamble = symbols.Preamble(&voice);
  const std::vector<std::string> lines = LinesOf(task.code);
  const std::size_t question = wording.Index(kQuestionPurpose, kQuestions.size());
  const bool about_operators = kQuestions[question].find("operator") != std::string_view::npos;
  const Manner manner = {
      .arrow = voice.Choose("[ → | gives |: | makes | -> ]"),
      .colon = voice.Choose("[: | is | = | → ]"),
      .view = voice.Choose("[, strides {stride}[ (a view, not contiguous)| (not contiguous)|; a "
                           "view|]|, not contiguous: strides {stride}|, a view with strides "
                           "{stride}]"),
      .times = voice.Choose("[ (×{count})|; {count} times in all|, {count} times|, repeated {count} "
                            "times]"),
      .operators = about_operators || voice.Index(3) > 0,
      .brief = !about_operators && voice.Index(4) > 0,
      .unchanged = voice.Choose("[unchanged|as before|the same shape|no change]"),
      .symbols = voice.OneIn(4)};
  Symbols shown(annotation, symbols, manner.symbols);
  std::map<std::string, std::string> known;  // The last layout of each name.
  std::vector<Step> steps;
  for (const Moment& moment : MomentsOf(annotation)) {
    if (moment.line < 1 || static_cast<std::size_t>(moment.line) > lines.size()) continue;
    Step step = {Trim(lines[static_cast<std::size_t>(moment.line) - 1]),
                 OperatorsText(moment, annotation, &shown, manner),
                 ValueTexts(moment, annotation, &shown, manner, &known)};
    if (!step.operators.empty() || !step.values.empty()) steps.push_back(std::move(step));
  }
  if (steps.empty()) return std::nullopt;

  std::string answer = preamble.empty() ? "" : preamble + "\n\n";
  const std::string opening =
      voice.Say({"", "", "[In order of execution|Line by line|Following the data|In turn|From top "
                         "to bottom|As it runs]:"});
  answer += opening + (opening.empty() ? "" : "\n\n") + StepsText(steps, &voice) + "\n";
  std::string outputs;
  for (std::size_t i = 0; i < annotation.outputs.size(); ++i) {
    outputs += (i > 0 ? "; " : "") + LayoutText(annotation.outputs[i], manner);
    if (annotation.symbolic.followed()) outputs += symbols.Equals(annotation.symbolic.outputs[i]);
  }
  const bool one = annotation.outputs.size() == 1;
  // The last step can have said it.
  const bool said = one && !steps.back().values.empty() &&
                    steps.back().values.back().starts_with("`return`") && voice.Index(3) > 0;
  const SentenceVariants of_one = {"The [result|return value] is {outputs}.",
                                   "[Returned|Result|Out|Output]: {outputs}.",
                                   "`forward` returns {outputs}.",
                                   "[So|Thus] {outputs} [is returned|comes out]."};
  const SentenceVariants of_several = {"The results are {outputs}.",
                                       "[Returned|Results|Outputs]: {outputs}.",
                                       "`forward` returns {outputs}."};
  if (!said) answer += voice.Say(one ? of_one : of_several, {{"outputs", outputs}});
  while (answer.ends_with('\n')) answer.pop_back();

  TrainingRecord record;
  record.family = Family::kShapeReasoning;
  record.backend = "pytorch";
  record.prompt_template = "shape-" + std::to_string(question);
  record.subject = task_id;
  Voice asking(wording, "shape question");
  record.messages = {{"user", Question(task, !preamble.empty(), question, &asking)},
                     {"assistant", answer}};
  return record;
}

}  // namespace kernelmill
