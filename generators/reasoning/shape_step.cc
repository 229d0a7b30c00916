#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/symbolic_shape_text.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The tensor in one of six notations; `form` selects it.
std::string TensorIn(const std::vector<std::int64_t>& shape, const std::string& dtype,
                     std::size_t form, const ValueStyle& style) {
  const std::string words = style.Shape(shape);
  switch (form) {
    case 0:
      return words + " " + dtype;
    case 1:
      return dtype + " " + words;
    case 2:
      return words;
    case 3:
      return words + " (" + style.Count(ElementsIn(shape)) + " elements)";
    case 4:
      return words + " " + dtype + " = " + style.Bytes(BytesIn(shape, dtype));
    default:
      return words + " with strides " + ShapeText(RowMajorStrides(shape));
  }
}

std::string InputsText(const Task& task, SentenceWriter* writer) {
  constexpr std::size_t kForms = 6;
  const std::size_t form = writer->Index(kForms);
  const ValueStyle style(writer->wording());
  const std::string between =
      writer->Choose(form == 2 ? "[ | is | of | = ]" : "[ |: | is | as | = ]");
  std::vector<std::string> items;
  for (const InputSpec& input : task.inputs) {
    items.push_back("`" + input.name + "`" + between + TensorIn(input.shape, input.dtype, form, style));
  }
  return Listed(items);
}

// The shapes along forward(), without repetitions, at most `most` of them.
std::string ShapeChain(const Annotation& facts, std::size_t most, SentenceWriter* writer) {
  const std::string arrow = writer->Choose("[ → | gives | makes |: | leaves | to ]");
  const std::string comma = writer->Choose("[, |; | and then |, then ]");
  const ValueStyle style(writer->wording());
  std::string text;
  std::vector<std::int64_t> last;
  std::size_t told = 0;
  for (const OperatorCall& call : facts.operators) {
    if (call.outputs.empty() || call.outputs[0].shape == last) continue;
    if (told++ == most) return text + ", …";
    last = call.outputs[0].shape;
    text += (text.empty() ? "" : comma) + ("`" + call.name + "`" + arrow + style.Shape(last));
  }
  return told > 1 ? text : "";
}

// A worked example of the index mapping: one element with its coordinates and its position.
std::string WorkedExample(const ReasoningSubject& subject, SentenceWriter* writer) {
  const std::vector<std::int64_t>& shape = subject.known.facts.outputs[0].shape;
  const std::int64_t elements = ElementsIn(shape);
  if (shape.size() < 2 || elements < 2 || elements == INT64_MAX) return "";
  const auto position =
      static_cast<std::int64_t>(writer->Index(static_cast<std::size_t>(elements)));
  const std::vector<std::int64_t> strides = RowMajorStrides(shape);
  std::vector<std::int64_t> coordinates;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    coordinates.push_back(position / strides[i] % shape[i]);
  }
  const SentenceValues values = {{"position", std::to_string(position)},
                                 {"coordinates", ShapeText(coordinates)},
                                 {"strides", ShapeText(strides)},
                                 {"shape", ShapeText(shape)}};
  return writer->Say(
      {"[Position|Number|Flat position|Element] {position}[ of {shape}|] [is|means|has|stands at] "
       "{coordinates}.",
       "[For example|To check|As a test|Say], {coordinates} [lies|sits|is found] at [position "
       "|offset |]{position}.",
       "With [the |row-major |]strides {strides}, {coordinates} [is|becomes|comes to|lies at] "
       "[position |]{position}.",
       "[As a check|A sample|One example|A number to test with]: [strides {strides}, so |]position "
       "{position} [has the coordinates|is at|is] {coordinates}.",
       "[Taken apart|Split up|Decomposed|Divided by {strides}], position {position} [gives|is|"
       "becomes] {coordinates}.",
       "{coordinates} and [position|flat index|offset] {position} [name|are|mean] the same "
       "element[ of {shape}|].",
       "{position} [→|↔|is the same as] {coordinates}[ in {shape}|, the strides being "
       "{strides}|]."},
      values);
}

std::string Inputs(const ReasoningSubject& subject, SentenceWriter* writer) {
  return writer->Say(
      {"[Given|Inputs|Arguments|In|Input|At the start]: {inputs}.",
       "[It starts|We start|Everything starts|It all begins] [from|with] {inputs}.",
       "`forward` [receives|takes|is given|gets|reads] {inputs}.",
       "[What comes in is|There is|Its argument is|We are given|I have] {inputs}.",
       "{inputs}: [so much for the input|that is what `forward` gets|this goes in]."},
      {{"inputs", InputsText(subject.known.task, writer)}});
}

std::string Outputs(const Annotation& facts, SentenceWriter* writer) {
  constexpr std::size_t kForms = 3;
  const std::size_t form = writer->Index(kForms);
  const ValueStyle style(writer->wording());
  std::vector<std::string> outputs;
  for (const TensorFacts& output : facts.outputs) {
    outputs.push_back(TensorIn(output.shape, output.dtype, form, style));
  }
  const SentenceValues values = {
      {"outputs", Listed(outputs)},
      {"elements", style.Count(ElementsIn(facts.outputs[0].shape))},
      {"bytes", style.Bytes(BytesIn(facts.outputs[0].shape, facts.outputs[0].dtype))}};
  if (outputs.size() > 1) {
    return writer->Say({"The results are {outputs}[; the first [counts|has|holds] {elements} "
                        "elements|].",
                        "Out come {outputs}[, {elements} elements in the first[ of them| one]|].",
                        "[Returned|Results|Outputs]: {outputs}.",
                        "It [returns|gives|produces] {outputs}[ ({bytes} the first)|]."},
                       values);
  }
  return writer->Say(
      {"Out [comes|goes] {outputs}[: {elements} elements|, {bytes}|].",
       "The [result|output|return value] is {outputs}[, [which is|that is|or] [{elements} "
       "elements|{bytes}]|].",
       "{elements} [elements|values|numbers] [have to be|are to be|get|must be] [written|stored|"
       "computed], [as|namely|in] {outputs}.",
       "That [makes|gives|leaves|comes to] {outputs}[, {elements} elements [in all|in total|"
       "altogether|to write]|].",
       "It [returns|gives back|produces|writes] {outputs}[ with {elements} elements|: {bytes}"
       "|].",
       "[Output|Result|Out|Returned]: {outputs}[; {elements} elements|; {bytes}|].",
       "{outputs} [is returned|comes back|is to be filled|is the result][, {elements} elements|]."},
      values);
}

std::string SymbolicSizesText(const ReasoningSubject& subject, SentenceWriter* writer) {
  const std::string open =
      SymbolicShapeText(subject.known.task, subject.known.facts.symbolic).SymbolsAndInputs();
  return writer->Say(
             {"[Sizes|Extents|Dimensions] are [open|free|not fixed][, so every extent is [read|"
              "taken] from the tensors [when it runs|at run time]|]",
              "None of [these|the] numbers may be [compiled in|written into the code|constants]",
              "The host [asks|reads] the tensors for their sizes [at each|with every] call",
              "[These|The numbers] are [one instance|an example|a sample] only",
              "[Other sizes|More sizes than these] [will come|have to work|are to be taken]",
              "[Take|Read] [sizes|extents] from the tensors"}) +
         (open.empty() ? "." : " (" + open + ").");
}

}  // namespace

std::string ShapesStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "shapes");
  const Annotation& facts = subject.known.facts;
  if (facts.outputs.empty()) return "";
  std::vector<std::string> sentences;
  const bool inputs = !subject.known.task.inputs.empty() && writer.Index(6) > 0;
  if (inputs) sentences.push_back(Inputs(subject, &writer));
  if (const std::string chain = ShapeChain(facts, subject.most_items + 3, &writer);
      !chain.empty()) {
    sentences.push_back(
        writer.Say({"[Along the way|In between|On the way|Inside]: {chain}.",
                    "[Extents|Shapes|Sizes] [change|develop|go on] as [follows: |]{chain}.",
                    "[Step by step|In sequence|One by one|In turn], {chain}.",
                    "[From there|Then|Next|After that|So]: {chain}.", "{chain}."},
                   {{"chain", chain}}));
  }
  if (!inputs || writer.Index(6) > 0) {
    const auto place = writer.OneIn(4) ? sentences.begin() : sentences.end();
    sentences.insert(place, Outputs(facts, &writer));
  }
  if (writer.Index(4) > 0) {
    const std::string example = WorkedExample(subject, &writer);
    if (!example.empty()) sentences.push_back(example);
  }
  if (subject.known.task.shape_contract == "any_shape") {
    const auto place = writer.OneIn(4) ? sentences.begin() : sentences.end();
    sentences.insert(place, SymbolicSizesText(subject, &writer));
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

}  // namespace kernelmill
