#include "generators/shape_reasoning.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "generators/symbolic_wording.h"
#include "generators/tensor_words.h"
#include "generators/wording.h"

namespace kernelmill {
namespace {

// "(2, 64, 512) float32", and the strides where they are not the dense ones: a size-1 dimension has
// no say in that.
std::string LayoutText(const TensorFacts& tensor) {
  std::string text = ShapeWords(tensor.shape) + " " + tensor.dtype;
  const std::vector<std::int64_t> dense = RowMajorStrides(tensor.shape);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (tensor.shape[i] > 1 && tensor.stride[i] != dense[i]) {
      return text + ", strides " + ShapeWords(tensor.stride) + " (a view, not contiguous)";
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

std::string OperatorsText(const Moment& moment, const Annotation& annotation,
                          const SymbolicWording& symbols) {
  std::string text;
  for (const OperatorCall* call : moment.operators) {
    if (call->outputs.empty()) continue;
    const auto index = static_cast<std::size_t>(call - annotation.operators.data());
    text += text.empty() ? "" : "; ";
    text += "`" + call->name + "` → ";
    for (std::size_t i = 0; i < call->outputs.size(); ++i) {
      text += (i > 0 ? " and " : "") + ShapeWords(call->outputs[i].shape);
      if (annotation.symbolic.followed()) {
        text += symbols.Equals(annotation.symbolic.operators[index][i]);
      }
    }
  }
  return text;
}

std::string ValueText(const LineValue& value, const Annotation& annotation,
                      const SymbolicWording& symbols) {
  std::string text = "`" + value.name + "`: " + LayoutText(value.tensor);
  if (annotation.symbolic.followed()) {
    const auto index = static_cast<std::size_t>(&value - annotation.values.data());
    text += symbols.Equals(annotation.symbolic.values[index]);
  }
  return text;
}

constexpr std::string_view kQuestionPurpose = "shape question";
const std::vector<std::string_view> kQuestions = {
    "Walk through `forward` and give the shape and dtype of every intermediate value.",
    "What shape and dtype does each value in `Model.forward` have for the inputs below?",
    "Trace the tensors through this module: for each line of `forward`, state the resulting "
    "shape, its dtype, and where the memory layout stops being contiguous.",
    "Before a kernel can be written for this module its index space must be known. Derive the "
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
    "For a port of this module I need a table of its tensors in my head: go through it and give "
    "shapes, types and layouts."};

std::string Question(const Task& task, bool symbolic, const Wording& wording) {
  std::string inputs;
  for (const InputSpec& input : task.inputs) {
    inputs += "- `" + input.name + "`: " + ShapeWords(input.shape) + " " + input.dtype + "\n";
  }
  const std::string_view ask = wording.Pick(kQuestionPurpose, kQuestions);
  const std::string_view open =
      wording.Pick("symbol question",
                   {" Give sizes that the module leaves open as symbols too.",
                    " Where a size is free, also say how it follows from the sizes of the inputs.",
                    " State the shapes both for these sizes and in general."});
  return std::string(ask) + std::string(symbolic ? open : "") + "\n\n```python\n" + task.code +
         "```\n\nInputs of `forward`:\n" + inputs;
}

}  // namespace

std::optional<TrainingRecord> WriteShapeReasoning(const Digest& task_id, const Task& task,
                                                  const Annotation& annotation, std::int64_t seed) {
  const Wording wording(task_id, seed);
  const SymbolicWording symbols(task, annotation.symbolic);
  const std::string preamble = symbols.Preamble();
  const std::vector<std::string> lines = LinesOf(task.code);
  std::string steps;
  int number = 0;
  for (const Moment& moment : MomentsOf(annotation)) {
    if (moment.line < 1 || static_cast<std::size_t>(moment.line) > lines.size()) continue;
    const std::string operators = OperatorsText(moment, annotation, symbols);
    if (operators.empty() && moment.values.empty()) continue;
    steps += std::to_string(++number) + ". `" +
             Trim(lines[static_cast<std::size_t>(moment.line) - 1]) + "`";
    if (!operators.empty()) steps += "\n   " + operators;
    for (const LineValue* value : moment.values) {
      steps += "\n   " + ValueText(*value, annotation, symbols);
    }
    steps += "\n";
  }
  if (number == 0) return std::nullopt;

  std::string answer = preamble.empty() ? "" : preamble + "\n\n";
  answer += std::string(wording.Pick(
      "shape opening", {"In order of execution:", "Line by line:", "Following the data:"}));
  answer += "\n\n" + steps + "\n";
  answer += annotation.outputs.size() == 1 ? "The result is " : "The results are ";
  for (std::size_t i = 0; i < annotation.outputs.size(); ++i) {
    answer += (i > 0 ? "; " : "") + LayoutText(annotation.outputs[i]);
    if (annotation.symbolic.followed()) answer += symbols.Equals(annotation.symbolic.outputs[i]);
  }
  answer += ".";

  TrainingRecord record;
  record.family = Family::kShapeReasoning;
  record.backend = "pytorch";
  record.prompt_template =
      "shape-" + std::to_string(wording.Index(kQuestionPurpose, kQuestions.size()));
  record.subject = task_id;
  record.messages = {{"user", Question(task, !preamble.empty(), wording)}, {"assistant", answer}};
  return record;
}

}  // namespace kernelmill
