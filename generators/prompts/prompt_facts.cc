#include "generators/prompts/prompt_facts.h"

#include "corpora/kernel_backend.h"
#include "corpora/tolerance.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/symbolic_shape_text.h"
#include "generators/wording/tensor_text.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostOperators = 8, kMostParameters = 12;

bool IsWhole(std::string_view dtype) {
  return dtype == "bool" || dtype.starts_with("int") || dtype.starts_with("uint");
}

std::string Tolerance(const Annotation& facts, bool chinese, SentenceWriter* writer) {
  double tolerance = 0;
  bool whole = false;
  for (const TensorFacts& output : facts.outputs) {
    if (IsWhole(output.dtype)) {
      whole = true;
    } else {
      tolerance = std::max(tolerance, ToleranceOf(output.dtype));
    }
  }
  if (tolerance == 0) {
    return chinese ? "结果必须完全相等" : "exactly";
  }
  const SentenceValues values = {{"number", tolerance > 1e-3 ? "1e-2" : "1e-4"}};
  if (chinese) {
    return writer->Say(
               {"相对误差和绝对误差均不超过 {number}", "允许的相对误差和绝对误差均为 {number}",
                "误差要求为 rtol = atol = {number}"},
               values) +
           (whole ? "（整数结果必须相等）" : "");
  }
  return writer->Say({"within rtol={number} and atol={number}",
                      "within a relative and absolute tolerance of {number}",
                      "within {number}, both relative and absolute"},
                     values) +
         (whole ? ", and exactly where they are integers" : "");
}

// The notations of TensorIn(), and those among them that fit into a sentence.
constexpr std::size_t kStyles = 8;
constexpr std::size_t kInSentences[] = {2, 4, 6, 7};
std::string TensorIn(std::size_t style, const std::string& name,
                     const std::vector<std::int64_t>& shape, const std::string& dtype,
                     bool chinese) {
  const std::string words = ShapeText(shape), type = PrintableLine(dtype);
  switch (style) {
    case 0:
      return name + ": " + words + " " + type;
    case 1:
      return name + " " + type + words;
    case 2:
      return chinese ? type + " 张量 " + name + "（形状 " + words + "）"
                     : type + " " + name + " of shape " + words;
    case 3:
      return name + " = " + words + ", " + type;
    case 4:
      return chinese ? name + "（" + words + "，" + type + "）"
                     : name + " (" + type + ", " + words + ")";
    case 5:
      return chinese ? name + "：形状 " + words + "，类型 " + type
                     : name + ": shape " + words + ", dtype " + type;
    case 6:
      return chinese ? name + "（形状 " + words + "，" + type + "）"
                     : name + " of shape " + words + " and dtype " + type;
    default:
      return name + " " + words + " " + type;
  }
}

std::string JoinedWith(std::string_view separator, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : std::string(separator)) + item;
  return text;
}

// Consecutive inputs of one shape and dtype.
struct AlikeInputs {
  std::vector<std::string> names;
  std::vector<std::int64_t> shape;
  std::string dtype;
};

std::vector<AlikeInputs> GroupsOf(const std::vector<InputSpec>& inputs) {
  std::vector<AlikeInputs> groups;
  for (const InputSpec& input : inputs) {
    const bool alike =
        !groups.empty() && groups.back().shape == input.shape && groups.back().dtype == input.dtype;
    if (!alike) groups.push_back({{}, input.shape, input.dtype});
    groups.back().names.push_back(input.name);
  }
  return groups;
}

std::string OperatorList(const std::vector<std::string>& names, bool code, bool chinese) {
  std::vector<std::string> items;
  for (const std::string& name : names) {
    if (items.size() == kMostOperators) break;
    items.push_back(code ? "`" + name + "`" : name);
  }
  const std::string text = JoinedWith(chinese ? "、" : ", ", items);
  if (names.empty()) return chinese ? "torch 的计算算子" : "torch's operators";
  if (names.size() == items.size()) return text;
  return text + (chinese ? " 等" : " and the like");
}

// A GPU that programs for the backend run on, in English with its article.
std::string AnyGpuOf(std::string_view backend, bool chinese, SentenceWriter* writer) {
  const bool musa = backend == kMusaBackend.name;
  const std::string article = chinese ? "" : musa ? "a " : "an ";
  return article +
         writer->Choose(
             musa ? "[Moore Threads MTT S4000|Moore Threads MTT S5000|Moore Threads MTT S80]"
                  : "[NVIDIA A100|NVIDIA H100|NVIDIA L40S|NVIDIA GeForce RTX 4090]");
}

}  // namespace

std::string GpuInWords(const KnownDevice& device) {
  return (device.maker == "NVIDIA" ? "an " : "a ") + std::string(device.maker) + " " +
         std::string(device.name);
}

PromptFacts PromptFactsOf(const KnownTask& known, std::string_view backend, PromptLanguage language,
                          SentenceWriter* writer) {
  const bool chinese = language == PromptLanguage::kChinese;
  PromptFacts facts;
  const KernelBackend& platform = *FindKernelBackend(backend);
  facts["backend"] = platform.title;
  facts["device"] = backend;
  facts["gpu"] = AnyGpuOf(backend, chinese, writer);
  const KnownDevice& known_device = KnownDeviceOf(backend);
  facts["gpu_with_peaks"] =
      std::string(chinese ? "" : "an ") + std::string(known_device.name) + (chinese ? "（" : " (") +
      std::string(chinese ? known_device.peaks_in_chinese : known_device.peaks) +
      (chinese ? "）" : ")");
  const std::string module(platform.loader_module);
  facts["loader"] = "`" + module + ".load_inline`";
  // The short form is enough for a reader who knows the platform's extension module.
  facts["loader_short"] = writer->OneIn(2)
                              ? facts["loader"]
                              : writer->Choose(chinese ? "[`load_inline`|`" + module + "`]"
                                                       : "[`load_inline`|`load_inline` of `" +
                                                             module + "`|`" + module + "`]");
  facts["reference"] = Fenced("python", known.task.code);
  const std::size_t style = kInSentences[writer->Index(std::size(kInSentences))];
  const std::size_t list_style = writer->Index(kStyles);
  std::string list,
      table = writer->Choose(chinese ? "| [输入|名称|张量] | 形状 | [数据类型|类型] |\n"
                                     : "| [input|name|tensor] | [shape|size] | "
                                       "[dtype|type] |\n");
  table += "| --- | --- | --- |\n";
  const std::string bullet = writer->Choose("[- |* ]");
  std::vector<std::string> line, plain, outputs;
  for (const AlikeInputs& alike : GroupsOf(known.task.inputs)) {
    std::vector<std::string> code;
    for (const std::string& name : alike.names) code.push_back("`" + name + "`");
    const std::string names = JoinedWith(chinese ? "、" : ", ", code);
    list += bullet + TensorIn(list_style, names, alike.shape, alike.dtype, chinese) + "\n";
    line.push_back(TensorIn(style, names, alike.shape, alike.dtype, chinese));
    plain.push_back(
        TensorIn(style, JoinedWith(", ", alike.names), alike.shape, alike.dtype, chinese));
  }
  for (const InputSpec& input : known.task.inputs) {
    table += "| `" + input.name + "` | " + ShapeText(input.shape) + " | " + input.dtype + " |\n";
  }
  for (const TensorFacts& output : known.facts.outputs) {
    outputs.push_back(TensorText(output.shape, output.dtype));
  }
  facts["inputs_list"] = list;
  facts["inputs_table"] = table;
  facts["inputs_line"] = JoinedWith(chinese ? "、" : ", ", line);
  facts["inputs_plain"] = JoinedWith(", ", plain);
  facts["outputs_line"] = JoinedWith(chinese ? "、" : ", ", outputs);
  std::string parameters;
  std::size_t shown = 0;
  for (const ParameterFacts& parameter : known.facts.parameters) {
    if (shown++ == kMostParameters) break;
    parameters +=
        "- `" + parameter.name + "`: " + TensorText(parameter.shape, parameter.dtype) + "\n";
  }
  if (parameters.empty()) parameters = "- none\n";
  if (known.facts.parameters.size() > kMostParameters) parameters += "- …\n";
  facts["parameters_list"] = parameters;
  const std::vector<std::string> operators = ComputingOperators(known.facts);
  facts["operators"] = OperatorList(operators, true, chinese);
  facts["operators_plain"] = OperatorList(operators, false, chinese);
  facts["tolerance"] = Tolerance(known.facts, chinese, writer);
  const SymbolicShapeText symbolic(known.task, known.facts.symbolic);
  const std::string sizes =
      writer->OneIn(2) ? symbolic.InputsWithValues() : symbolic.SymbolsAndInputs();
  facts["open_sizes"] = sizes.empty() ? "" : chinese ? "（" + sizes + "）" : " (" + sizes + ")";
  for (auto& [name, value] : facts) {
    while (value.ends_with('\n')) value.pop_back();
  }
  return facts;
}

}  // namespace kernelmill
