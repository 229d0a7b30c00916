#include "generators/reasoning/reasoning_steps.h"
#include "generators/symbolic_wording.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

std::string InputsText(const Task& task) {
  std::vector<std::string> items;
  for (const InputSpec& input : task.inputs) {
    items.push_back("`" + input.name + "` " + ShapeWords(input.shape) + " " + input.dtype);
  }
  return Listed(items);
}

// Shapes along forward() that differ from the one before, as far as `most` go.
std::string ShapeChain(const Annotation& facts, std::size_t most) {
  std::string text;
  std::vector<std::int64_t> last;
  std::size_t told = 0;
  for (const OperatorCall& call : facts.operators) {
    if (call.outputs.empty() || call.outputs[0].shape == last) continue;
    if (told++ == most) return text + ", …";
    last = call.outputs[0].shape;
    text += (text.empty() ? "" : ", ") + ("`" + call.name + "` → " + ShapeWords(last));
  }
  return told > 1 ? text : "";
}

}  // namespace

std::string ShapeStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "shapes");
  const Task& task = subject.known.task;
  const Annotation& facts = subject.known.facts;
  if (facts.outputs.empty()) return "";
  const TensorFacts& out = facts.outputs[0];
  std::string text;
  if (!task.inputs.empty()) {
    text += voice.Say({"In come {inputs}.", "The arguments are {inputs}.", "Given: {inputs}.",
                       "{inputs} arrive.", "Inputs: {inputs}.", "It starts from {inputs}."},
                      {{"inputs", InputsText(task)}});
  }
  if (const std::string chain = ShapeChain(facts, subject.detail + 3); !chain.empty()) {
    text += " " + voice.Say({"Along the way: {chain}.", "Extents change as {chain}.",
                             "Step by step, {chain}.", "From there, {chain}."},
                            {{"chain", chain}});
  }
  std::vector<std::string> outputs;
  for (const TensorFacts& output : facts.outputs) {
    outputs.push_back(ShapeWords(output.shape) + " " + output.dtype);
  }
  text += " " + voice.Say({"Out comes {outputs}, {elements} elements in the first result.",
                           "The result is {outputs}; its first tensor counts {elements} elements.",
                           "That leaves {outputs}: {elements} elements to be written, where there "
                           "are several for the first.",
                           "What is returned, {outputs}, begins with {elements} elements."},
                          {{"outputs", Listed(outputs)},
                           {"elements", NumberText(ElementsIn(out.shape))}});
  if (facts.outputs.size() == 1) {
    // The simpler sentence for the simpler case.
    text.erase(text.rfind(". ") == text.npos ? 0 : text.rfind(". ") + 1);
    text +=
        (text.empty() ? "" : " ") +
        voice.Say({"Out comes {output}: {elements} elements.",
                   "The result is {output}, which is {elements} elements.",
                   "{elements} elements have to be written, as {output}.",
                   "That makes {output}, {elements} elements in all.",
                   "It returns {output} with {elements} elements.",
                   "The output has the shape and type {output}; it counts {elements} elements."},
                  {{"output", outputs[0]}, {"elements", NumberText(ElementsIn(out.shape))}});
  }
  if (task.shape_contract != "any_shape") return text;
  const std::string open = SymbolicWording(task, facts.symbolic).OpenSizes();
  text += " " +
          voice.Say({"Sizes are open, so every extent is read from the tensors when it runs",
                     "None of these numbers may be compiled in",
                     "The host asks the tensors for their sizes at each call",
                     "These are one instance only"}) +
          (open.empty() ? "." : " (" + open + ").");
  return text;
}

}  // namespace kernelmill
