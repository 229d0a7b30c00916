#include "generators/record_text/row_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "generators/record_text/provenance_text.h"
#include "generators/wording/tensor_text.h"
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

// "1 launch", "2 launches".
std::string Counted(std::size_t count, const std::string& what) {
  const std::string plural = what.ends_with("ch") ? "es" : "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : plural);
}

std::string KernelText(const KernelSource& kernel) {
  std::string text = PrintableLine(kernel.name) + ", " + Counted(kernel.launches.size(), "launch") +
                     ", " + Counted(kernel.bindings.size(), "binding");
  std::string missing;
  for (const std::string& name : kernel.missing) missing += (missing.empty() ? "" : ", ") + name;
  return text + (missing.empty() ? "" : "; without " + PrintableLine(missing));
}

Json TensorJson(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  return Json::Object{{"shape", ToJson(shape)}, {"dtype", dtype}};
}

}  // namespace

std::string MessageText(const Message& message, std::size_t lines) {
  std::string text = "\n  " + PrintableLine(message.role) + "\n";
  const std::string content = Printable(message.content);
  std::size_t line = 0;
  for (std::size_t start = 0; start < content.size(); ++line) {
    const std::size_t end = std::min(content.find('\n', start), content.size());
    if (lines == 0 || line < lines) text += "  │ " + content.substr(start, end - start) + "\n";
    start = end + 1;
  }
  if (lines > 0 && line > lines) text += "  │ … " + Counted(line - lines, "more line") + "\n";
  return text;
}

std::string RowText(const RowInContext& row, std::size_t lines) {
  const TrainingRecord& training = row.training;
  std::string text = row.content_id.Hex() + "\n";
  text += Line("family", std::string(FamilyName(training.family)) + ", " +
                             PrintableLine(training.backend) + ", " +
                             PrintableLine(row.attributes.split));
  text += Line("about", training.task_id.Hex());
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
  if (row.kernel) text += Line("kernel", KernelText(*row.kernel));
  const bool estimated = row.attributes.tokenizer == kEstimated;
  text +=
      Line("tokens", (estimated ? "about " : "") + std::to_string(row.attributes.prompt_tokens) +
                         " + " + std::to_string(row.attributes.answer_tokens) +
                         (estimated ? " (estimated from bytes)" : ""));
  for (const Message& message : training.messages) text += MessageText(message, lines);
  return text;
}

std::string RowLine(const RowInContext& row) {
  constexpr std::size_t kIdDigits = 12, kFamilyWidth = 17, kTokenWidth = 13;
  std::string line = row.content_id.Hex().substr(0, kIdDigits) + "  ";
  std::string family(FamilyName(row.training.family));
  family.resize(std::max(family.size() + 1, kFamilyWidth), ' ');
  std::string tokens = std::to_string(row.attributes.prompt_tokens) + " + " +
                       std::to_string(row.attributes.answer_tokens);
  tokens.resize(std::max(tokens.size() + 1, kTokenWidth), ' ');
  line += family + tokens;
  line += row.record.origins.empty() ? "no origin" : OriginText(row.record.origins.front());
  if (row.record.origins.size() > 1) {
    line += " and " + std::to_string(row.record.origins.size() - 1) + " more";
  }
  std::set<std::string> licences;
  for (const LicenceEvidence& evidence : row.record.licences) licences.insert(evidence.spdx);
  for (const std::string& licence : licences) {
    line += (licence == *licences.begin() ? "; " : ", ") + PrintableLine(licence);
  }
  return line + "\n";
}

Json RowInContext::ToJson() const {
  Json::Array swhids, inputs, outputs;
  for (const Origin& origin : record.origins) {
    if (origin.mined()) swhids.emplace_back(origin.Swhid());
  }
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
