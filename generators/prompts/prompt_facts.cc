#include "generators/prompts/prompt_facts.h"

#include "corpora/tolerance.h"
#include "generators/fenced_code.h"
#include "generators/lowering/dialect.h"
#include "generators/operator_words.h"
#include "generators/symbolic_wording.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostOperators = 8, kMostParameters = 12;

bool IsWhole(std::string_view dtype) {
  return dtype == "bool" || dtype.starts_with("int") || dtype.starts_with("uint");
}

std::string Tolerance(const Annotation& facts, bool chinese) {
  double tolerance = 0;
  bool whole = false;
  for (const TensorFacts& output : facts.outputs) {
    if (IsWhole(output.dtype)) {
      whole = true;
    } else {
      tolerance = std::max(tolerance, ToleranceOf(output.dtype));
    }
  }
  if (tolerance == 0) return chinese ? "结果必须逐元素完全相等" : "exactly, element for element";
  const std::string number = tolerance > 1e-3 ? "1e-2" : "1e-4";
  if (chinese) {
    return "相对误差和绝对误差均不超过 " + number + (whole ? "（整数结果必须相等）" : "");
  }
  return "within " + number + ", relative and absolute" +
         (whole ? ", and exactly where they are whole numbers" : "");
}

std::string JoinedWith(std::string_view separator, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : std::string(separator)) + item;
  return text;
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

}  // namespace

PromptFacts PromptFactsOf(const KnownTask& known, std::string_view backend,
                          PromptLanguage language) {
  const bool chinese = language == PromptLanguage::kChinese;
  const bool musa = backend == "musa";
  PromptFacts facts;
  facts["backend"] = musa ? "MUSA" : "CUDA";
  facts["device"] = backend;
  facts["loader"] = musa ? "`torch_musa.utils.musa_extension.load_inline`"
                         : "`torch.utils.cpp_extension.load_inline`";
  facts["reference"] = Fenced("python", known.task.code);
  std::string list,
      table = chinese ? "| 输入 | 形状 | 数据类型 |\n" : "| input | shape | dtype |\n";
  table += "| --- | --- | --- |\n";
  std::vector<std::string> line, plain, outputs;
  for (const InputSpec& input : known.task.inputs) {
    const std::string tensor = TensorText(input.shape, input.dtype);
    list += "- `" + input.name + "`: " + tensor + "\n";
    line.push_back("`" + input.name + "` " + tensor);
    plain.push_back(input.name + " " + tensor);
    table += "| `" + input.name + "` | " + ShapeWords(input.shape) + " | " + input.dtype + " |\n";
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
  facts["tolerance"] = Tolerance(known.facts, chinese);
  const std::string sizes = SymbolicWording(known.task, known.facts.symbolic).OpenSizes();
  facts["open_sizes"] = sizes.empty() ? "" : chinese ? "（" + sizes + "）" : " (" + sizes + ")";
  for (auto& [name, value] : facts) {
    while (value.ends_with('\n')) value.pop_back();
  }
  return facts;
}

}  // namespace kernelmill
