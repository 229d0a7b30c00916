#include "stages/mine/arguments.h"

#include <algorithm>

#include "parsers/python_signature.h"
#include "stages/mine/name_prior.h"

namespace kernelmill {
namespace {

// Sizes of an input that nothing else tells; all different, so that no shape is a cube.
constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kSequence = 48;
constexpr std::int64_t kHeight = 32;
constexpr std::int64_t kWidth = 40;

bool FromCall(const PythonCall& call, const std::vector<PythonParameter>& parameters,
              std::vector<InitArgument>* init) {
  std::size_t position = 0;
  std::vector<std::string> given(parameters.size());
  for (const PythonArgument& argument : call.arguments) {
    if (argument.name.starts_with("*") || argument.expression.empty()) return false;
    if (argument.name.empty()) {
      if (position >= given.size()) return false;
      given[position++] = argument.expression;
      continue;
    }
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& p) { return p.name == argument.name; });
    if (found == parameters.end()) return false;
    given[found - parameters.begin()] = argument.expression;
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].empty()) last = i + 1;
    if (given[i].empty() && !parameters[i].default_value) return false;
  }
  for (std::size_t i = 0; i < last; ++i) {
    const bool passed = !given[i].empty();
    init->push_back({std::string(parameters[i].name),
                     passed ? given[i] : std::string(parameters[i].default_value.Text()),
                     passed ? Evidence::kCallSite : Evidence::kDefault});
  }
  return true;
}

bool FromNames(const std::vector<PythonParameter>& parameters, std::vector<InitArgument>* init,
               std::string* detail) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].default_value) last = i + 1;
  }
  for (std::size_t i = 0; i < last; ++i) {
    const PythonParameter& parameter = parameters[i];
    if (parameter.default_value) {
      init->push_back({std::string(parameter.name), std::string(parameter.default_value.Text()),
                       Evidence::kDefault});
      continue;
    }
    const std::optional<std::string> prior = PriorOf(parameter.name);
    if (!prior) {
      *detail = "constructor argument '" + std::string(parameter.name) + "'";
      return false;
    }
    init->push_back({std::string(parameter.name), *prior, Evidence::kName});
  }
  return true;
}

std::int64_t Number(const std::vector<InitArgument>& init, std::initializer_list<const char*> names,
                    std::int64_t otherwise, Evidence* evidence) {
  for (const char* name : names) {
    for (const InitArgument& argument : init) {
      if (argument.name == name && !argument.expression.empty() &&
          argument.expression.find_first_not_of("0123456789") == std::string::npos) {
        *evidence = argument.evidence;
        return std::stoll(argument.expression);
      }
    }
  }
  return otherwise;
}

InputGuess FloatInput(std::string_view name, std::vector<std::int64_t> shape,
                      std::vector<Evidence> sizes, Evidence rank) {
  InputGuess guess;
  guess.spec.name = name;
  guess.spec.dtype = "float32";
  guess.spec.draw = "randn";
  guess.spec.shape = std::move(shape);
  guess.sizes = std::move(sizes);
  guess.rank = rank;
  return guess;
}

}  // namespace

ArgumentGuess GuessArguments(const std::string& code, const std::vector<PythonCall>& calls) {
  ArgumentGuess guess;
  guess.code = WithPositionalConstructor(code, "Model");
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, guess.code);
  const auto plain = [](const SyntaxNode& function) {
    std::vector<PythonParameter> parameters = ReadParameters(function);
    if (!parameters.empty()) parameters.erase(parameters.begin());
    std::erase_if(parameters, [](const PythonParameter& p) {
      return p.kind == PythonParameter::Kind::kRest || p.kind == PythonParameter::Kind::kKeywords;
    });
    return parameters;
  };
  const SyntaxNode constructor = FindConstructor(tree.Root(), "Model");
  const auto parameters = constructor ? plain(constructor) : std::vector<PythonParameter>();
  std::vector<std::vector<InitArgument>> inits;
  for (const PythonCall& call : calls) {
    std::vector<InitArgument> init;
    if (FromCall(call, parameters, &init)) inits.push_back(std::move(init));
    if (inits.size() == 2) break;
  }
  std::vector<InitArgument> named;
  if (FromNames(parameters, &named, &guess.detail)) inits.push_back(std::move(named));
  const SyntaxNode forward = FindInherited(tree.Root(), "Model", "forward");
  if (!forward) return guess;
  const bool image = guess.code.find("Conv2d") != std::string::npos ||
                     guess.code.find("BatchNorm2d") != std::string::npos;
  for (const std::vector<InitArgument>& init : inits) {
    ArgumentSet flat{init, {}}, picture{init, {}};
    for (const PythonParameter& parameter : plain(forward)) {
      if (parameter.default_value) break;
      Evidence dim_evidence = Evidence::kName;
      const std::int64_t dim =
          Number(init, {"dim", "embed_dim", "d_model", "in_features", "hidden_size", "features"},
                 512, &dim_evidence);
      flat.inputs.push_back(FloatInput(parameter.name, {kBatch, kSequence, dim},
                                       {Evidence::kName, Evidence::kName, dim_evidence},
                                       Evidence::kName));
      Evidence channel_evidence = Evidence::kName;
      const std::int64_t channels = Number(
          init, {"in_channels", "in_chs", "in_chans", "channels", "inplanes", "dim", "planes"}, 3,
          &channel_evidence);
      Evidence size_evidence = Evidence::kName;
      const std::int64_t side = Number(init, {"image_size", "img_size"}, 0, &size_evidence);
      picture.inputs.push_back(FloatInput(
          parameter.name, {kBatch, channels, side ? side : kHeight, side ? side : kWidth},
          {Evidence::kName, channel_evidence, size_evidence, size_evidence}, Evidence::kName));
    }
    guess.sets.push_back(image ? picture : flat);
    guess.sets.push_back(image ? flat : picture);
  }
  return guess;
}

}  // namespace kernelmill
