#include "generators/row_text.h"

#include <map>

#include "generators/provenance_text.h"
#include "manifests/json_fields.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr int kLabelWidth = 11;

std::string Line(std::string label, const std::string& text) {
  label.resize(kLabelWidth, ' ');
  return "  " + label + text + "\n";
}

template <typename T, typename Describe>
std::string Lines(const std::string& label, const std::vector<T>& items, Describe describe) {
  if (items.empty()) return Line(label, "none found");
  std::string text;
  for (const T& item : items) text += Line(text.empty() ? label : "", describe(item));
  return text;
}

// "linear ×3, softmax", in order of first use.
std::string OperatorsText(const Annotation& annotation) {
  std::vector<std::string> order;
  std::map<std::string, int> calls;
  for (const OperatorCall& call : annotation.operators) {
    if (calls[call.name]++ == 0) order.push_back(call.name);
  }
  std::string text;
  for (const std::string& name : order) {
    text += (text.empty() ? "" : ", ") + PrintableLine(name);
    if (calls[name] > 1) text += " ×" + std::to_string(calls[name]);
  }
  return text;
}

std::string MessageText(const Message& message) {
  std::string text = "\n  " + PrintableLine(message.role) + "\n";
  const std::string content = Printable(message.content);
  for (std::size_t start = 0; start < content.size();) {
    const std::size_t end = std::min(content.find('\n', start), content.size());
    text += "  │ " + content.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text;
}

Json TensorJson(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  return Json::Object{{"shape", ToJson(shape)}, {"dtype", dtype}};
}

}  // namespace

std::string RowText(const RowInContext& row) {
  const TrainingRecord& training = row.training;
  std::string text = row.content_id.Hex() + "\n";
  text += Line("family", std::string(FamilyName(training.family)) + ", " +
                             PrintableLine(training.backend) + ", " +
                             PrintableLine(row.attributes.split));
  text += Line("about", training.subject.Hex());
  text += Lines("origin", row.record.origins, OriginText);
  text += Lines("licence", row.record.licences, LicenceText);
  if (row.task) {
    text += Lines("inputs", row.task->inputs, [](const InputSpec& input) {
      return PrintableLine(input.name) + " " + TensorText(input.shape, input.dtype);
    });
  }
  if (row.annotation) {
    text += Lines("outputs", row.annotation->outputs,
                  [](const TensorFacts& tensor) { return TensorText(tensor.shape, tensor.dtype); });
    text += Line("operators", OperatorsText(*row.annotation));
  }
  const bool estimated = row.attributes.tokenizer == kEstimated;
  text +=
      Line("tokens", (estimated ? "about " : "") + std::to_string(row.attributes.prompt_tokens) +
                         " + " + std::to_string(row.attributes.answer_tokens) +
                         (estimated ? " (estimated from bytes)" : ""));
  for (const Message& message : training.messages) text += MessageText(message);
  return text;
}

Json RowInContext::ToJson() const {
  Json::Array swhids, inputs, outputs;
  for (const Origin& origin : record.origins) swhids.emplace_back(origin.Swhid());
  if (task) {
    for (const InputSpec& input : task->inputs) inputs.emplace_back(input.ToJson());
  }
  if (annotation) {
    for (const TensorFacts& tensor : annotation->outputs) {
      outputs.push_back(TensorJson(tensor.shape, tensor.dtype));
    }
  }
  Json::Array origins, licences;
  for (const Origin& origin : record.origins) origins.push_back(origin.ToJson());
  for (const LicenceEvidence& evidence : record.licences) licences.push_back(evidence.ToJson());
  return Json::Object{{"content_id", content_id.Hex()},  {"payload", record.payload},
                      {"attributes", record.attributes}, {"origins", std::move(origins)},
                      {"licences", std::move(licences)}, {"swhids", std::move(swhids)},
                      {"inputs", std::move(inputs)},     {"outputs", std::move(outputs)}};
}

}  // namespace kernelmill
