#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/symbolic_shape_text.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

std::string TensorIn(const std::vector<std::int64_t>& shape, const std::string& dtype,
                     const ValueStyle& style) {
  return style.Shape(shape) + " " + dtype;
}

std::string InputsSentence(const ReasoningSubject& subject) {
  const ValueStyle style = subject.Style();
  std::vector<std::string> items;
  for (const InputSpec& input : subject.known.task.inputs) {
    items.push_back("`" + input.name + "` is " + TensorIn(input.shape, input.dtype, style));
  }
  return items.empty() ? "" : Capital(Listed(items)) + ".";
}

// The shapes along forward(), without repetitions, at most `most` of them.
std::string ChainSentence(const Annotation& facts, std::size_t most, const ValueStyle& style) {
  std::vector<std::string> items;
  std::vector<std::int64_t> last;
  for (const OperatorCall& call : facts.operators) {
    if (call.outputs.empty() || call.outputs[0].shape == last) continue;
    if (items.size() == most) break;
    last = call.outputs[0].shape;
    items.push_back("`" + call.name + "` gives " + style.Shape(last));
  }
  return items.size() < 2 ? "" : Capital(Listed(items)) + ".";
}

std::string OutputsSentence(const Annotation& facts, const ValueStyle& style) {
  std::vector<std::string> outputs;
  for (const TensorFacts& output : facts.outputs) {
    outputs.push_back(TensorIn(output.shape, output.dtype, style));
  }
  if (outputs.size() > 1) return "The results are " + Listed(outputs) + ".";
  const TensorFacts& only = facts.outputs[0];
  return "The result is " + outputs[0] + ": " + style.Count(ElementsIn(only.shape)) +
         " elements, " + style.Bytes(BytesIn(only.shape, only.dtype)) + ".";
}

}  // namespace

std::string ShapesStep(const ReasoningSubject& subject) {
  const Annotation& facts = subject.known.facts;
  if (facts.outputs.empty()) return "";
  const ValueStyle style = subject.Style();
  std::string text;
  for (const std::string& sentence :
       {InputsSentence(subject), ChainSentence(facts, subject.most_items + 3, style),
        OutputsSentence(facts, style)}) {
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  }
  if (subject.known.task.shape_contract == "any_shape") {
    const std::string open =
        SymbolicShapeText(subject.known.task, facts.symbolic).SymbolsAndInputs();
    text += " These sizes are only an example" + (open.empty() ? "" : " (" + open + ")") +
            ", so the host code reads every size from the tensors.";
  }
  return text;
}

}  // namespace kernelmill
