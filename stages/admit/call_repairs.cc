#include "stages/admit/call_repairs.h"

#include <algorithm>
#include <iterator>

#include "corpora/name_prior.h"
#include "manifests/ascii.h"
#include "stages/admit/argument_edits.h"

namespace kernelmill {
namespace {

using Proposals = std::vector<ArgumentSet>;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The texts between single quotes, in order.
std::vector<std::string> Quoted(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'') continue;
    const std::size_t end = text.find('\'', i + 1);
    if (end == std::string_view::npos) break;
    words.emplace_back(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return words;
}

// A further input, named `name`.
InputGuess InputNamed(const std::string& name, const ArgumentSet& arguments) {
  InputGuess guess;
  guess.spec.name = name;
  guess.spec.dtype = "float32";
  guess.spec.draw = "randn";
  if (!arguments.inputs.empty()) guess.spec.shape = arguments.inputs.front().spec.shape;
  if (Contains(name, "mask")) {
    guess.spec.dtype = guess.spec.draw = "bool";
    if (guess.spec.shape.size() > 2) guess.spec.shape.resize(2);
  } else if (name == "t" || Contains(name, "time") || Contains(name, "sigma")) {
    guess.spec.draw = "rand";
    if (!guess.spec.shape.empty()) guess.spec.shape.resize(1);
  }
  guess.rank = Evidence::kRepair;
  guess.sizes.assign(guess.spec.shape.size(), Evidence::kRepair);
  return guess;
}

Proposals WithMoreInputs(const ModuleSignature& signature, const ArgumentSet& arguments,
                         const std::vector<std::string>& names) {
  // Inputs are positional, so all inputs up to the last missing one are added.
  std::size_t count = arguments.inputs.size();
  for (std::size_t i = count; i < signature.forward.size(); ++i) {
    const SignatureParameter& parameter = signature.forward[i];
    const bool asked = std::find(names.begin(), names.end(), parameter.name) != names.end();
    if (asked || (!parameter.default_value && count == i)) count = i + 1;
  }
  ArgumentSet changed = arguments;
  while (changed.inputs.size() < count) {
    changed.inputs.push_back(InputNamed(signature.forward[changed.inputs.size()].name, changed));
  }
  if (changed == arguments) return {};
  return {std::move(changed)};
}

Proposals WithMoreArguments(const ArgumentSet& arguments, const std::vector<std::string>& names) {
  ArgumentSet changed = arguments;
  for (const std::string& name : names) {
    const std::optional<std::string> prior = MostCommonArgumentOf(name);
    if (!prior || !IsIdentifier(name)) return {};
    changed.init.push_back({name, *prior, Evidence::kRepair});
  }
  return {std::move(changed)};
}

Proposals Missing(const ModuleSignature& signature, const ArgumentSet& arguments,
                  const Fault& fault) {
  const std::string_view message = fault.message;
  if (Contains(message, "positional argument") && Contains(message, "missing")) {
    const std::vector<std::string> names = Quoted(After(message, "missing"));
    if (Contains(message, "forward()")) return WithMoreInputs(signature, arguments, names);
    if (Contains(message, "__init__()")) return WithMoreArguments(arguments, names);
  }
  if (Contains(message, "positional argument") && Contains(message, "were given")) {
    ArgumentSet changed = arguments;
    const std::vector<std::int64_t> counts = IntegersIn(message);
    if (counts.size() < 2 || counts[counts.size() - 2] < 1) return {};
    const auto taken = static_cast<std::size_t>(counts[counts.size() - 2] - 1);  // Less self.
    if (Contains(message, "forward()") && taken < changed.inputs.size()) {
      changed.inputs.resize(taken);
      return {std::move(changed)};
    }
    if (Contains(message, "__init__()") && taken < changed.init.size()) {
      changed.init.resize(taken);
      return {std::move(changed)};
    }
  }
  return {};
}

// Constructor arguments whose name the failing statement mentions, bare or as an attribute.
std::vector<std::size_t> Mentioned(const ArgumentSet& arguments, const NamedValue& named) {
  std::string_view name = named.name;
  while (name.starts_with('_')) name.remove_prefix(1);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < arguments.init.size(); ++i) {
    if (arguments.init[i].name == name) found.push_back(i);
  }
  return found;
}

std::vector<std::string> InsteadOfNone(const std::string& name) {
  if (Contains(name, "norm")) return {"nn.LayerNorm", "nn.BatchNorm2d"};
  if (Contains(name, "act")) return {"nn.GELU", "nn.GELU()"};
  if (const auto prior = MostCommonArgumentOf(name)) return {*prior};
  return {};
}

Proposals OfNone(const ModuleSignature& signature, const ArgumentSet& arguments,
                 const Fault& fault) {
  Proposals proposals;
  std::vector<std::string> inputs;
  for (const NamedValue& named : fault.names) {
    if (named.value) continue;
    for (std::size_t i : Mentioned(arguments, named)) {
      for (const std::string& value : InsteadOfNone(named.name)) {
        proposals.push_back(WithInit(arguments, i, value));
      }
    }
    inputs.push_back(named.name);
  }
  if (fault.phase == "run" && !inputs.empty()) {
    Proposals more = WithMoreInputs(signature, arguments, inputs);
    std::move(more.begin(), more.end(), std::back_inserter(proposals));
  }
  return proposals;
}

std::string Repeated(const std::string& item, int times) {
  std::string text = "(";
  for (int i = 0; i < times; ++i) text += (i > 0 ? ", " : "") + item;
  return text + ")";
}

bool WantsSeveral(std::string_view message) {
  for (const char* phrase :
       {"'int' object is not subscriptable", "'int' object is not iterable",
        "object of type 'int' has no len", "non-iterable int object", "must be a tuple",
        "needs to be tuple", "must be tuple", "must be a list", "must be a sequence"}) {
    if (Contains(message, phrase)) return true;
  }
  return false;
}

bool WantsOne(std::string_view message) {
  for (const char* phrase :
       {"'tuple' object cannot be interpreted as an integer", "'tuple' and 'int'",
        "'int' and 'tuple'", "'list' and 'int'", "'int' and 'list'",
        "'list' object cannot be interpreted as an integer", "must be an int"}) {
    if (Contains(message, phrase)) return true;
  }
  return false;
}

Proposals OfNumber(const ArgumentSet& arguments, const Fault& fault) {
  Proposals proposals;
  const bool several = WantsSeveral(fault.message);
  if (!several && !WantsOne(fault.message)) return proposals;
  for (const NamedValue& named : fault.names) {
    if (!named.value) continue;
    for (std::size_t i : Mentioned(arguments, named)) {
      const InitArgument& argument = arguments.init[i];
      const std::optional<std::int64_t> value = IntegerOf(argument);
      if (several && value) {
        for (int times : {2, 4, 3}) {
          proposals.push_back(WithInit(arguments, i, Repeated(argument.expression, times)));
        }
      } else if (!several && !value && !IntegersIn(argument.expression).empty()) {
        const std::int64_t first = IntegersIn(argument.expression).front();
        proposals.push_back(WithInit(arguments, i, std::to_string(first)));
      }
    }
  }
  return proposals;
}

}  // namespace

Proposals CallRepairs(const ModuleSignature& signature, const ArgumentSet& arguments,
                      const Fault& fault) {
  Proposals proposals = Missing(signature, arguments, fault);
  if (!proposals.empty()) return proposals;
  if (Contains(fault.message, "NoneType")) return OfNone(signature, arguments, fault);
  return OfNumber(arguments, fault);
}

}  // namespace kernelmill
