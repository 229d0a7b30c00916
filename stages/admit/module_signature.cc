#include "stages/admit/module_signature.h"

#include "parsers/python_signature.h"

namespace kernelmill {
namespace {

std::vector<SignatureParameter> ParametersOf(const SyntaxNode& function) {
  std::vector<SignatureParameter> parameters;
  if (!function) return parameters;
  bool first = true;
  for (const PythonParameter& parameter : ReadParameters(function)) {
    const bool is_self = std::exchange(first, false);
    if (is_self) continue;
    if (parameter.kind == PythonParameter::Kind::kRest ||
        parameter.kind == PythonParameter::Kind::kKeywords) {
      break;
    }
    SignatureParameter& added = parameters.emplace_back();
    added.name = parameter.name;
    if (parameter.default_value) added.default_value = parameter.default_value.Text();
  }
  return parameters;
}

}  // namespace

ModuleSignature ReadModuleSignature(const std::string& code) {
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, code);
  return {ParametersOf(FindConstructor(tree.Root(), "Model")),
          ParametersOf(FindInherited(tree.Root(), "Model", "forward"))};
}

ArgumentSet WithDefaults(const ModuleSignature& signature, ArgumentSet arguments) {
  for (std::size_t i = arguments.init.size(); i < signature.init.size(); ++i) {
    const SignatureParameter& parameter = signature.init[i];
    if (!parameter.default_value) break;
    arguments.init.push_back({parameter.name, *parameter.default_value, Evidence::kDefault});
  }
  return arguments;
}

ArgumentSet WithoutDefaults(const ModuleSignature& signature, ArgumentSet arguments) {
  while (!arguments.init.empty() && arguments.init.size() <= signature.init.size()) {
    const InitArgument& last = arguments.init.back();
    const SignatureParameter& parameter = signature.init[arguments.init.size() - 1];
    if (last.evidence != Evidence::kDefault || parameter.default_value != last.expression) break;
    arguments.init.pop_back();
  }
  return arguments;
}

}  // namespace kernelmill
