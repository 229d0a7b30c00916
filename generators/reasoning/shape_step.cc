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

// Where one element lies: numbers to check an index mapping by.
std::string WorkedExample(const ReasoningSubject& subject, Voice* voice) {
  const std::vector<std::int64_t>& shape = subject.known.facts.outputs[0].shape;
  const std::int64_t elements = ElementsIn(shape);
  if (shape.size() < 2 || elements < 2 || elements == INT64_MAX) return "";
  const auto position = static_cast<std::int64_t>(voice->Index(static_cast<std::size_t>(elements)));
  const std::vector<std::int64_t> strides = RowMajorStrides(shape);
  std::vector<std::int64_t> coordinates;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    coordinates.push_back(position / strides[i] % shape[i]);
  }
  const SentenceValues values = {{"position", std::to_string(position)},
                                 {"coordinates", ShapeWords(coordinates)},
                                 {"strides", ShapeWords(strides)},
                                 {"shape", ShapeWords(shape)}};
  return voice->Say(
      {"Position {position} of {shape} [is|means] {coordinates}.",
       "[For example|To check], {coordinates} [lies|sits] at position {position}.",
       "With [the |]strides {strides}, {coordinates} [is|becomes] position {position}.",
       "[As a check|A sample]: strides {strides}, so position {position} [has the coordinates|is "
       "at] "
       "{coordinates}.",
       "[Taken apart|Split up], position {position} gives {coordinates}.",
       "{coordinates} and position {position} [name|are] the same element[ of {shape}|]."},
      values);
}

}  // namespace

std::string ShapeStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "shapes");
  const Task& task = subject.known.task;
  const Annotation& facts = subject.known.facts;
  if (facts.outputs.empty()) return "";
  std::string text;
  if (!task.inputs.empty()) {
    text +=
        voice.Say({"[Given|Inputs|Arguments|In]: {inputs}.",
                   "[It starts|We start|Everything starts] from {inputs}.",
                   "`forward` [receives|takes|is given] {inputs}.", "What comes in is {inputs}."},
                  {{"inputs", InputsText(task)}});
  }
  if (const std::string chain = ShapeChain(facts, subject.detail + 3); !chain.empty()) {
    text += " " + voice.Say({"[Along the way|In between|On the way]: {chain}.",
                             "[Extents|Shapes|Sizes] [change|develop|go on] as {chain}.",
                             "[Step by step|In sequence], {chain}.", "[From there|Then] {chain}."},
                            {{"chain", chain}});
  }
  std::vector<std::string> outputs;
  for (const TensorFacts& output : facts.outputs) {
    outputs.push_back(ShapeWords(output.shape) + " " + output.dtype);
  }
  const SentenceValues values = {{"outputs", Listed(outputs)},
                                 {"elements", CountText(ElementsIn(facts.outputs[0].shape))}};
  text += (text.empty() ? "" : " ") +
          (outputs.size() == 1
               ? voice.Say({"Out comes {outputs}: {elements} elements.",
                            "The result is {outputs}, [which is|that is|or] {elements} elements.",
                            "{elements} elements [have to be|are to be|get] written, as {outputs}.",
                            "That [makes|gives|leaves] {outputs}, {elements} elements [in all|in "
                            "total|altogether].",
                            "It returns {outputs} with {elements} elements.",
                            "The [output|result] has the shape and type {outputs}; it [counts|has|"
                            "holds] {elements} elements."},
                           values)
               : voice.Say({"The results are {outputs}; the first [counts|has|holds] {elements} "
                            "elements.",
                            "Out come {outputs}, {elements} elements in the first [of them|one]."},
                           values));
  if (voice.Index(4) > 0) {
    const std::string example = WorkedExample(subject, &voice);
    if (!example.empty()) text += " " + example;
  }
  if (task.shape_contract != "any_shape") return text;
  const std::string open = SymbolicWording(task, facts.symbolic).OpenSizes();
  return text + " " +
         voice.Say(
             {"Sizes are open, so every extent is [read|taken] from the tensors [when it runs|"
              "at run time]",
              "None of these numbers may be [compiled in|written into the code]",
              "The host [asks|reads] the tensors for their sizes at [each|every] call",
              "These are [one instance|an example] only"}) +
         (open.empty() ? "." : " (" + open + ").");
}

}  // namespace kernelmill
