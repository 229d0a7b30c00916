#include "generators/shapes/shape_reasoning.h"

#include <algorithm>
#include <vector>

#include "generators/reasoning/value_style.h"
#include "generators/shapes/shape_steps.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/symbolic_shape_text.h"
#include "generators/wording/tensor_text.h"
#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

std::string InTable(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

enum class Layout { kNumbered, kDashes, kTable, kLines, kParagraph, kTwoLevels, kComments };

// The steps as text, in order.
std::string StepsText(const std::vector<ShapeStep>& steps, Layout layout, SentenceWriter* writer) {
  std::string text;
  const bool calls = std::any_of(steps.begin(), steps.end(), [](const ShapeStep& step) {
    return !step.operators.empty();
  });
  if (layout == Layout::kTable) {
    text = writer->Choose("| [line|code|statement] |") +
           (calls ? writer->Choose(" [operators|calls] |") : "") +
           writer->Choose(" [values|tensors|bound] |\n") +
           (calls ? "| --- | --- | --- |\n" : "| --- | --- |\n");
  }
  int number = 0;
  std::string dash = writer->Choose("[: | — | → |, ]");
  for (const ShapeStep& step : steps) {
    const std::string title = Capital(step.title);
    std::string values;
    for (const std::string& value : step.values) values += (values.empty() ? "" : "; ") + value;
    const std::string both =
        step.operators + (step.operators.empty() || values.empty() ? "" : "; ") + values;
    switch (layout) {
      case Layout::kNumbered:
        text += std::to_string(++number) + ". " + title;
        if (!step.operators.empty()) text += "\n   " + step.operators;
        for (const std::string& value : step.values) text += "\n   " + value;
        text += "\n";
        break;
      case Layout::kDashes:
        // Avoid a second arrow on the line.
        if (both.find(" → ") != both.npos && dash == " → ") dash = ": ";
        text += "- " + title + dash + both + "\n";
        break;
      case Layout::kTable:
        text += "| " + InTable(title) + " | " + (calls ? InTable(step.operators) + " | " : "") +
                InTable(values) + " |\n";
        break;
      case Layout::kTwoLevels:
        text += (text.empty() ? "" : "\n") + title + "\n\n";
        if (!step.operators.empty()) text += "- " + step.operators + "\n";
        for (const std::string& value : step.values) text += "- " + value + "\n";
        break;
      default: {
        // "After `x = f(x)` (`relu`), `x` is …".
        const std::string by = step.operators.empty() ? "" : " (" + step.operators + ")";
        const SentenceValues filled = {{"code", step.title + by},
                                       {"Code", title + by},
                                       {"both", values.empty() ? "no name is bound" : values}};
        const bool lines = step.title.starts_with("lines ");
        const std::string sentence = writer->Say(
            lines ? SentenceVariants{"[In|At|Through|Along] {code} {both}.", "{Code}: {both}."}
                  : SentenceVariants{"[After|With|At] {code}, {both}.", "{Code}: {both}.",
                                     "[Then|Next|Now] {code}: {both}.",
                                     "[Now|By now|Here], at {code}, {both}."},
            filled);
        text += sentence + (layout == Layout::kParagraph ? " " : "\n");
      }
    }
  }
  if (layout == Layout::kParagraph) text.back() = '\n';
  return text;
}

// The source of forward() with a comment on every line that has a step. "" when a line cannot take
// a comment, or when lines of other functions run in between.
std::string CommentedCode(const Task& task, const std::vector<ShapeStep>& steps) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < task.code.size();) {
    const std::size_t end = std::min(task.code.find('\n', start), task.code.size());
    lines.push_back(task.code.substr(start, end - start));
    start = end + 1;
  }
  if (steps.empty() || !steps[0].entry) return "";
  std::string text;
  int next = steps[0].line;
  const std::size_t indent = lines[static_cast<std::size_t>(next) - 1].find_first_not_of(' ');
  for (const ShapeStep& step : steps) {
    if (step.line < next) return "";
    for (; next <= step.line; ++next) {
      const std::string& line = lines[static_cast<std::size_t>(next) - 1];
      if (line.find_first_of("#\\") != line.npos || line.find("\"\"\"") != line.npos) return "";
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      text += line.substr(std::min(first, indent));
      if (next < step.line) text += '\n';
    }
    std::string comment;
    for (const std::string& value : step.values) comment += (comment.empty() ? "" : "; ") + value;
    std::erase(comment, '`');
    text += comment.empty() ? "\n" : "  # " + comment + "\n";
  }
  return "```python\n" + text + "```\n";
}

constexpr std::string_view kQuestionPurpose = "shape question";
const SentenceVariants kQuestions = {
    "[Walk|Go|Step] through `forward` and [give|note|tell me] the shape and dtype of [every|each] "
    "[intermediate |]value.",
    "[What|Which] shape and dtype does [each value|every variable] in `[Model.|]forward` have[ for "
    "the inputs below|]?",
    "Trace the tensors[ through this module|]: [for each line of `forward`|line by line], the "
    "[resulting |]shape, its dtype, and where the [memory |]layout stops being contiguous.",
    "[Before [a kernel|kernels] can be written [for this module |]its index space must be known|For "
    "a kernel I need the index space]. Derive the shape of every tensor[ along `forward`|].",
    "[Derive|Work out], line by line, the shapes that this [module|code] [produces|goes through].",
    "[A native kernel needs exact extents. |]Work out all tensor shapes inside `forward`.",
    "[List|Name] every tensor that exists while `forward` runs[, with its shape and dtype|: shape, "
    "dtype].",
    "[I want to|We have to] allocate [all intermediate|the] buffers of this module in advance. "
    "[Which sizes do they have|How large are they]?",
    "Annotate [`forward`|this code]: what does each line bind, [how large is it, and of which "
    "type|which size, which type]?",
    "Follow the data from the arguments [of `forward` |]to what [it returns|comes out], "
    "[naming|with] the shape after each operator.",
    "[Which|What] operators run in `forward`[, in which order,| one after the other] and what does "
    "each of them [give back|return]?",
    "[Check my understanding of this module|Help me read this module|To be sure]: what are the "
    "dimensions of [each|every] tensor in it?",
    "[Without running the code, determine|By hand:|On paper:] the extents of all values in "
    "[`forward`|it].",
    "For a port of this module I need a table of its tensors: [go through it and give |]shapes, types "
    "and layouts.",
    "[Shapes|Shapes and dtypes], please, [line by line|for every line of `forward`].",
    "[What are the sizes|Which shapes occur] between [input and output|argument and result] here?",
    "[Add comments with|Fill in|Comment] the shape of every tensor[ in `forward`|].",
    "[My port|A kernel of mine] disagrees with this module. Which shapes should I see[ at each "
    "line|, line by line]?",
    "[Run `forward` on paper|Evaluate the shapes only]: what comes out of every line?",
    "[Say for each tensor in this code how large it is and how it lies in memory.|How large is each "
    "tensor of this code, and how does it lie in memory?|Size and memory layout of every tensor, "
    "please.]"};

constexpr std::size_t kAboutLayout[] = {2, 13, 19};  // The questions that ask for layouts.
constexpr std::size_t kForComments[] = {8, 16};      // The questions that ask for comments.

std::string Question(const Task& task, bool symbolic, std::size_t index, SentenceWriter* writer) {
  const std::string ask = writer->Choose(kQuestions[index]);
  const std::string open =
      symbolic
          ? " " + writer->Say(
                      {"[Give|Write] sizes that the module leaves open as symbols[ too|].",
                       "Where a size is free, [also say|say] how it follows from the inputs.",
                       "[State|Give] shapes [both |]for these sizes and in general.",
                       "[In|Also in] symbols, [please|where sizes can vary].",
                       "[Numbers and|With] letters for [free|open] sizes.",
                       "[Which sizes depend on the input?|Mark sizes that come from the input.]",
                       "[Sizes|Those] that [vary|can change] get [names|a letter].",
                       "[Symbols|Letters] too.", "Also for [any|other] sizes.",
                       "[And in general?|In general, too.]", "[Keep|Leave] open what is open."})
          : "";
  // Several inputs on one line, or as a list.
  std::vector<std::string> inputs;
  const std::string form = writer->Choose(
      "[{name}: {shape} {dtype}|{name} = {shape} {dtype}|{name} {dtype}{shape}|{dtype} {name} "
      "{shape}|{name} ({dtype}, {shape})|{name}: {dtype} of shape {shape}|{name} {shape}, "
      "{dtype}]");
  for (const InputSpec& input : task.inputs) {
    inputs.push_back(FillPlaceholders(form, {{"name", "`" + input.name + "`"},
                                             {"shape", ShapeText(input.shape)},
                                             {"dtype", input.dtype}}));
  }
  std::string given;
  if (inputs.size() > 3 || writer->OneIn(3)) {
    const std::string bullet = writer->Choose("[- |* |]");
    given = writer->Choose("[Inputs of `forward`|Inputs|Arguments|Called with|It gets|Given]:\n");
    if (bullet.empty()) given += "\n";
    for (const std::string& input : inputs) {
      given += bullet + input + (bullet.empty() && input != inputs.back() ? "  \n" : "\n");
    }
  } else {
    given = writer->Say({"[Inputs|Input|In|Given|Arguments|It gets|Called with|For]: {inputs}.",
                         "{inputs} [goes in|is passed|comes in].",
                         "[The call passes|It is called with|Take|Let the input be] {inputs}."},
                        {{"inputs", Listed(inputs)}}) +
            "\n";
    if (inputs.size() > 1) {
      for (const auto& [one, several] : {std::pair(" goes in.", " go in."),
                                         std::pair(" is passed.", " are passed."),
                                         std::pair(" comes in.", " come in.")}) {
        const std::string end = std::string(one) + "\n";
        if (given.ends_with(end)) given = given.substr(0, given.size() - end.size()) + several + "\n";
      }
    }
  }
  const std::string code = "```python\n" + task.code + "```";
  switch (writer->Index(4)) {
    case 0:
      return ask + open + "\n\n" + given + "\n" + code;
    case 1:
      return code + "\n\n" + given + "\n" + ask + open;
    default:
      return ask + open + "\n\n" + code + "\n\n" + given;
  }
}

// Further remarks about sizes and memory, one sentence each.
std::vector<std::string> Remarks(const Task& task, const Annotation& annotation, bool about_layout,
                                 const Wording& wording, SentenceWriter* writer) {
  const ValueStyle style(wording);
  std::vector<std::string> remarks;
  const auto views = [](const TensorFacts& tensor) {
    const std::vector<std::int64_t> dense = RowMajorStrides(tensor.shape);
    for (std::size_t i = 0; i < dense.size(); ++i) {
      if (tensor.shape[i] > 1 && tensor.stride[i] != dense[i]) return true;
    }
    return false;
  };
  if (about_layout) {
    const LineValue* first = nullptr;
    for (const LineValue& value : annotation.values) {
      if (first == nullptr && views(value.tensor)) first = &value;
    }
    if (first == nullptr) {
      remarks.push_back(writer->Say(
          {"[Everything|All of it] is contiguous.", "No tensor [is strided|has strides of a view].",
           "[Each|Every] tensor lies dense in row-major order.",
           "The layout stays contiguous[ throughout| from end to end]."}));
    } else {
      remarks.push_back(
          writer->Say({"Line {line} is the first that [binds|gives] a view that is not "
                       "contiguous[: {name}|].",
                       "[Contiguous|Dense] up to line {line}, where {name} [is not|has "
                       "other strides].",
                       "{name} (line {line}) is the first [strided|not contiguous] one."},
                      {{"line", std::to_string(first->line)}, {"name", "`" + first->name + "`"}}));
    }
    return remarks;
  }
  std::int64_t input_bytes = 0;
  for (const InputSpec& input : task.inputs) {
    input_bytes = std::max(input_bytes, BytesIn(input.shape, input.dtype));
  }
  const LineValue* largest = nullptr;
  for (const LineValue& value : annotation.values) {
    const std::int64_t bytes = BytesIn(value.tensor.shape, value.tensor.dtype);
    if (bytes > input_bytes && value.name != "return" &&
        (largest == nullptr || bytes > BytesIn(largest->tensor.shape, largest->tensor.dtype))) {
      largest = &value;
    }
  }
  if (largest != nullptr) {
    remarks.push_back(writer->Say(
        {"[Largest|Most memory] is {name} of line {line}: {bytes}.",
         "{name} (line {line}) [takes the most|is the largest], {count} elements.",
         "[The peak is|It peaks at] line {line}, where {name} has {count} elements ({bytes}).",
         "{bytes} for {name} at line {line} is the most that one tensor takes."},
        {{"name", "`" + largest->name + "`"},
         {"line", std::to_string(largest->line)},
         {"bytes", style.Bytes(BytesIn(largest->tensor.shape, largest->tensor.dtype))},
         {"count", style.Count(ElementsIn(largest->tensor.shape))}}));
  }
  std::int64_t results = 0, result_bytes = 0;
  for (const TensorFacts& output : annotation.outputs) {
    results += ElementsIn(output.shape);
    result_bytes += BytesIn(output.shape, output.dtype);
  }
  remarks.push_back(writer->Say(
      {"[A thread a result|One result a thread] [makes|means|would be] {count} threads.",
       "[That is|So there are] {count} results to write[, {bytes}|].",
       "[To be written|Returned] in all: {bytes}[ ({count} elements)|].",
       "A grid over the result has {count} points.",
       "{count} elements, {bytes}, leave the module."},
      {{"count", style.Count(results)}, {"bytes", style.Bytes(result_bytes)}}));
  const ParameterFacts* weight = nullptr;
  for (const ParameterFacts& parameter : annotation.parameters) {
    if (weight == nullptr || ElementsIn(parameter.shape) > ElementsIn(weight->shape)) {
      weight = &parameter;
    }
  }
  if (weight != nullptr && weight->shape.size() > 1) {
    remarks.push_back(
        writer->Say({"[Of the weights|Among the parameters] {name} is the largest, {shape}.",
                     "{name} {shape} [is|makes] the largest [weight|parameter].",
                     "[The largest weight|Its largest parameter] is {name}: {shape}[, {bytes}|].",
                     "Weights: {total} numbers, {count} of them in {name} {shape}."},
                    {{"name", "`" + weight->name + "`"},
                     {"shape", ShapeText(weight->shape)},
                     {"bytes", style.Bytes(BytesIn(weight->shape, weight->dtype))},
                     {"count", style.Count(ElementsIn(weight->shape))},
                     {"total", style.Count(annotation.ParameterCount())}}));
  }
  writer->Shuffle(&remarks);
  remarks.resize(std::min(remarks.size(), writer->Index(3)));
  return remarks;
}

// A sentence about the outputs.
std::string Outcome(const Annotation& annotation, const SymbolicShapeText& symbols,
                    const ShapeStyle& style, SentenceWriter* writer) {
  std::string outputs;
  for (std::size_t i = 0; i < annotation.outputs.size(); ++i) {
    outputs += (i > 0 ? "; " : "") + LayoutText(annotation.outputs[i], style);
    if (annotation.symbolic.followed())
      outputs += symbols.EqualsSuffix(annotation.symbolic.outputs[i]);
  }
  const SentenceVariants of_one = {
      "The [result|return value] is {outputs}.",   "[Returned|Result|Out|Output]: {outputs}.",
      "`forward` returns {outputs}.",              "[So|Thus] {outputs} [is returned|comes out].",
      "[At the end|In the end] there is {outputs}.", "{outputs} [leaves|is what leaves] `forward`."};
  const SentenceVariants of_several = {"The results are {outputs}.",
                                       "[Returned|Results|Outputs]: {outputs}.",
                                       "`forward` returns {outputs}.",
                                       "[So|Thus] {outputs} [are returned|come out]."};
  return writer->Say(annotation.outputs.size() == 1 ? of_one : of_several, {{"outputs", outputs}});
}

Layout LayoutOf(std::size_t question, bool about_operators, SentenceWriter* writer) {
  if (IsOneOf(question, kForComments) || (!about_operators && writer->OneIn(7))) {
    return Layout::kComments;
  }
  constexpr Layout kLayouts[] = {Layout::kNumbered, Layout::kDashes,    Layout::kTable,
                                 Layout::kLines,    Layout::kParagraph, Layout::kTwoLevels};
  return kLayouts[writer->Index(std::size(kLayouts))];
}

}  // namespace

std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& annotation, std::int64_t seed) {
  const Wording wording(task_id, seed);
  SentenceWriter writer(wording, "shape steps");
  const SymbolicShapeText symbols(task, annotation.symbolic);
  const std::string preamble = symbols.Preamble(&writer);
  const std::size_t question = wording.Index(kQuestionPurpose, kQuestions.size());
  const bool about_operators = kQuestions[question].find("operator") != std::string_view::npos;
  ShapeStyle style = ChooseShapeStyle(annotation, about_operators, &writer);
  const Layout layout = LayoutOf(question, about_operators, &writer);
  if (layout == Layout::kLines || layout == Layout::kParagraph) {
    style.colon = writer.Choose("[ is | has ]");
    style.like = writer.Choose("[|is like {other}|has the shape of {other}|matches {other}]");
    style.unchanged = writer.Choose("[stays|keeps its shape|stays as it is|does not change]");
  }
  std::vector<ShapeStep> steps = ShapeStepsOf(task, annotation, symbols, style);
  if (steps.empty()) return std::nullopt;

  std::string body;
  if (layout == Layout::kComments) {
    style.brief = false;  // Every line gets a comment.
    body = CommentedCode(task, ShapeStepsOf(task, annotation, symbols, style));
  }
  const bool commented = !body.empty();
  if (!commented) {
    // The inputs are in the question.
    const bool known = steps[0].entry && steps.size() > 2 && writer.Index(4) > 0;
    const bool dense = std::all_of(
        steps[0].values.begin(), steps[0].values.end(),
        [](const std::string& value) { return value.find("stride") == std::string::npos; });
    if (known && dense) steps.erase(steps.begin());
    body = StepsText(steps, layout == Layout::kComments ? Layout::kDashes : layout, &writer);
  }
  std::string answer = preamble;
  const std::string dtype = style.dtypes ? "" : OnlyDtype(annotation);
  if (!dtype.empty()) {
    answer +=
        (answer.empty() ? "" : " ") +
        writer.Say({"[All|All of it|Everything] is {dtype}.", "[Dtype|Type] throughout: {dtype}.",
                    "[No line|Nothing] changes the dtype, {dtype}.",
                    "[Every tensor is|All tensors are] {dtype}.",
                    "{dtype} [all the way|everywhere|from end to end].",
                    "[It stays|The dtype stays] {dtype}.", "The dtype is {dtype}[ all along|].",
                    "[Only|Just] {dtype} [occurs|comes up].",
                    "[As for dtypes|Dtypes]: {dtype}, [nothing else|always]."},
                   {{"dtype", dtype}});
  }
  const std::string opening =
      writer.Say({"", "", "",
                  "[In order of execution|Line by line|Following the data|In turn|From top "
                  "to bottom|As it runs]:"});
  if (!opening.empty()) answer += (answer.empty() ? "" : " ") + opening;
  answer += (answer.empty() ? "" : "\n\n") + body + "\n";
  // The last step may have described the output.
  const bool said =
      annotation.outputs.size() == 1 && style.symbols != ShapeStyle::Symbols::kMerged &&
      !commented && !steps.back().values.empty() &&
      steps.back().values.back().starts_with("the result") &&
      steps.back().values.back().find('(') != std::string::npos && writer.Index(3) > 0;
  std::vector<std::string> closing;
  if (!said) closing.push_back(Outcome(annotation, symbols, style, &writer));
  for (const std::string& remark :
       Remarks(task, annotation, IsOneOf(question, kAboutLayout), wording, &writer)) {
    closing.push_back(remark);
  }
  for (const std::string& sentence : closing) answer += sentence + " ";
  while (answer.ends_with('\n') || answer.ends_with(' ')) answer.pop_back();

  TrainingRecord record;
  record.family = Family::kShapeReasoning;
  record.backend = kPytorch;
  record.prompt_template = "shape-" + std::to_string(question);
  record.task_id = task_id;
  SentenceWriter asking(wording, "shape question");
  std::string asked = Question(task, !preamble.empty(), question, &asking);
  while (asked.ends_with('\n')) asked.pop_back();
  record.messages = {{"user", std::move(asked)}, {"assistant", answer}};
  return record;
}

}  // namespace kernelmill
