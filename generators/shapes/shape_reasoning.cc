#include "generators/shapes/shape_reasoning.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <vector>

#include "corpora/records/size_expression.h"
#include "generators/reasoning/value_style.h"
#include "generators/shapes/kernel_remarks.h"
#include "generators/shapes/shape_steps.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/symbolic_shape_text.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

std::string InTable(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

// The steps as a table or as a list, in order.
std::string StepsText(const std::vector<ShapeStep>& steps, bool table) {
  const bool calls = std::any_of(steps.begin(), steps.end(),
                                 [](const ShapeStep& step) { return !step.operators.empty(); });
  std::string text;
  if (table) {
    text = calls ? "| code | operators | values |\n| --- | --- | --- |\n"
                 : "| code | values |\n| --- | --- |\n";
  }
  int number = 0;
  for (const ShapeStep& step : steps) {
    std::string values;
    for (const std::string& value : step.values) values += (values.empty() ? "" : "; ") + value;
    if (table) {
      text += "| " + InTable(step.title) + " | " + (calls ? InTable(step.operators) + " | " : "") +
              InTable(values) + " |\n";
      continue;
    }
    text += std::to_string(++number) + ". " + step.title + "\n";
    if (!step.operators.empty()) text += "   " + step.operators + "\n";
    if (!values.empty()) text += "   " + values + "\n";
  }
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
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      const bool comment = line.substr(first).starts_with('#');  // Such a line has no step.
      const bool takes_no_comment =
          line.find_first_of("#\\") != line.npos || line.find("\"\"\"") != line.npos;
      if (takes_no_comment && !comment) return "";
      text += line.substr(std::min(first, indent));
      if (next < step.line) text += '\n';
    }
    std::string comment;
    for (const std::string& value : step.values) comment += (comment.empty() ? "" : "; ") + value;
    if (constexpr std::string_view kResult = "the result: "; comment.starts_with(kResult)) {
      comment = "returns " + comment.substr(kResult.size());
    }
    // The operators of a line whose intermediate results have other shapes than its value.
    if (step.operators.find(" → ") != std::string::npos) {
      // The last ones have the value itself as their result.
      const std::size_t last = step.operators.rfind("; ");
      const bool own = last != std::string::npos && !step.operators.ends_with(')');
      comment = (own ? step.operators.substr(0, last) : step.operators) +
                (comment.empty() ? "" : "; " + comment);
    } else if (step.operators.find("`, `") != std::string::npos && !comment.empty()) {
      // Each of them has the shape of the value.
      comment = step.operators + " → " + comment;
    }
    std::erase(comment, '`');
    text += comment.empty() ? "\n" : "  # " + comment + "\n";
  }
  return "```python\n" + text + "```\n";
}

struct ShapeQuestion {
  std::string_view text;
  bool about_operators = false;  // It asks what each operator returns.
  bool about_layout = false;     // It asks where memory is not contiguous.
  bool about_buffers = false;    // It asks for the intermediate results.
};

constexpr ShapeQuestion kQuestions[] = {
    {"What are the shape and dtype of each value in `forward` for the inputs below?"},
    {"Annotate `forward` with the shape of every tensor."},
    {"I want to write kernels for this module. Add a comment with the resulting shape to each line "
     "of `forward`."},
    {"Derive, line by line, the shapes that this module computes."},
    {"My port of this module disagrees with the original. Which shapes should I see after each "
     "line?"},
    {"I want to allocate all intermediate buffers of this module in advance. Which sizes do they "
     "have?",
     false, false, true},
    {"Which operators does `forward` run, in which order, and what does each of them return?",
     true},
    {"Trace the tensors through `forward`: shape and dtype after each line, and where the memory "
     "layout stops being contiguous.",
     false, true},
    {"How large is each tensor in `forward`, and which of them are views that are not contiguous?",
     false, true},
};

std::string Question(const Task& task, bool symbolic, const ShapeQuestion& question,
                     SentenceWriter* writer) {
  const std::string ask =
      std::string(question.text) +
      (symbolic ? " Where a size depends on the inputs, also give it as a symbol." : "");
  std::vector<std::string> inputs;
  for (const InputSpec& input : task.inputs) {
    inputs.push_back("`" + input.name + "` " + ShapeText(input.shape) + " " + input.dtype);
  }
  std::string given = inputs.size() == 1 ? "Input: " : "Inputs: ";
  if (inputs.size() > 3) {
    given += "\n";
    for (const std::string& input : inputs) given += "- " + input + "\n";
  } else {
    given += Listed(inputs) + "\n";
  }
  const std::string code = "```python\n" + task.code + "```";
  return writer->OneIn(3) ? code + "\n\n" + given + "\n" + ask
                          : ask + "\n\n" + code + "\n\n" + given;
}

// What the shapes mean for kernels: at most so many sentences, those first that the question asks
// for.
std::string Remarks(const Task& task, const Annotation& annotation,
                    const SymbolicShapeText& symbols, const ShapeQuestion& asks,
                    const ValueStyle& style) {
  constexpr std::size_t kMost = 3, kFew = 2;
  const std::string strided = StridedValue(annotation);
  std::vector<std::string> all;
  if (asks.about_layout) {
    all.push_back(strided.empty() ? "All tensors above are contiguous, in row-major order."
                                  : strided);
  }
  if (asks.about_buffers) {
    all.push_back(IntermediateBuffers(annotation, symbols, style));
  } else {
    all.push_back(LargestResult(task, annotation, style));
  }
  all.push_back(FusibleRun(annotation, style));
  all.push_back(ReductionRemark(task, annotation, style));
  if (!asks.about_layout) all.push_back(strided);
  std::erase(all, "");
  if (all.size() < kFew) all.push_back(LeastTraffic(task, annotation, style));
  if (all.size() > kMost) all.resize(kMost);
  std::string text;
  for (const std::string& sentence : all) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

// A sentence about the outputs.
std::string Outcome(const Annotation& annotation, const SymbolicShapeText& symbols,
                    const ShapeStyle& style) {
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < annotation.outputs.size(); ++i) {
    outputs.push_back(LayoutText(annotation.outputs[i], style));
    if (annotation.symbolic.followed()) {
      outputs.back() += symbols.EqualsSuffix(annotation.symbolic.outputs[i]);
    }
  }
  return "`forward` returns " + Listed(outputs) + ".";
}

// Whether an input has a size that was followed as a number and that nothing in the module fixes:
// no parameter, no argument of the constructor and no number in its text. It depends on the inputs
// then, and symbols for the other sizes would tell half of it.
bool HasUnexplainedNumber(const Task& task, const Annotation& annotation) {
  const std::string& code = task.code;
  const std::size_t model = code.find("class Model(");
  const bool fixed = !annotation.parameters.empty() ||
                     code.find("def get_init_inputs():\n    return []") == code.npos;
  if (fixed || model == code.npos) return false;
  const std::string text = code.substr(model, code.find("\n\n\n", model) - model);
  for (const SymbolicShape& shape : annotation.symbolic.inputs) {
    for (const std::string& size : shape) {
      if (!IsPlainNumber(size) || size == "1") continue;
      if (!std::regex_search(text, std::regex("\\b" + size + "\\b"))) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& given, std::int64_t seed) {
  const Wording wording(task_id, seed);
  Annotation annotation = given;
  if (HasUnexplainedNumber(task, annotation)) annotation.symbolic = {};
  const SymbolicShapeText symbols(task, annotation.symbolic);
  const std::string preamble = symbols.Preamble();
  const std::size_t question = wording.Index("shape question", std::size(kQuestions));
  const ShapeQuestion& asks = kQuestions[question];
  ShapeStyle style = ShapeStyleFor(annotation, asks.about_operators);
  std::vector<ShapeStep> steps = ShapeStepsOf(task, annotation, symbols, style);
  if (steps.empty()) return std::nullopt;

  std::string body;
  if (!asks.about_operators) {
    style.brief = false;  // Every line gets a comment.
    style.operators = true;
    body = CommentedCode(task, ShapeStepsOf(task, annotation, symbols, style));
    style.brief = true;
    style.operators = false;
  }
  if (body.empty()) {
    // The question has the inputs.
    if (steps[0].entry && steps.size() > 1) steps.erase(steps.begin());
    body = StepsText(steps, wording.Index("shape table", 2) == 0);
  }
  std::string answer = preamble;
  if (!style.dtypes) {
    answer +=
        (answer.empty() ? "" : " ") + ("All tensors below are " + OnlyDtype(annotation) + ".");
  }
  const bool commented = body.starts_with("```");  // With a comment at the return statement.
  answer += (answer.empty() ? "" : "\n\n") + body + "\n";
  if (!commented) answer += Outcome(annotation, symbols, style);
  const std::string remarks = Remarks(task, annotation, symbols, asks, ValueStyle(wording));
  if (!remarks.empty()) answer += (commented ? "" : "\n\n") + remarks;
  while (answer.ends_with('\n')) answer.pop_back();

  TrainingRecord record;
  record.family = Family::kShapeReasoning;
  record.backend = kPytorch;
  record.prompt_template = "shape-" + std::to_string(question);
  record.task_id = task_id;
  SentenceWriter asking(wording, "shape question");
  std::string asked = Question(task, !preamble.empty(), asks, &asking);
  while (asked.ends_with('\n')) asked.pop_back();
  record.messages = {{"user", std::move(asked)}, {"assistant", answer}};
  return record;
}

}  // namespace kernelmill
