#include "stages/mine/arguments.h"

#include <algorithm>
#include <set>

#include "parsers/python_signature.h"
#include "stages/mine/evaluate/evaluator.h"
#include "stages/mine/input_sizes.h"
#include "stages/mine/name_prior.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostSets = 6;
constexpr std::size_t kMostCalls = 3;
// Runs until nothing new is learned; each decides at least one hole or one rank.
constexpr int kMostRuns = 12;

using Parameters = std::vector<PythonParameter>;

// The parameters after self that can be passed by position.
Parameters Passable(const SyntaxNode& function) {
  Parameters parameters = ReadParameters(function);
  if (!parameters.empty()) parameters.erase(parameters.begin());
  std::erase_if(parameters, [](const PythonParameter& parameter) {
    return parameter.kind == PythonParameter::Kind::kRest ||
           parameter.kind == PythonParameter::Kind::kKeywords;
  });
  return parameters;
}

// The arguments of one construction in the repository; a hole for what is no literal there.
std::optional<std::vector<InitArgument>> FromCall(const PythonCall& call,
                                                  const Parameters& parameters) {
  std::vector<InitArgument> given;
  for (const PythonParameter& parameter : parameters) {
    given.push_back({std::string(parameter.name), "", Evidence::kCallSite});
  }
  std::size_t position = 0;
  for (const PythonArgument& argument : call.arguments) {
    if (argument.name.starts_with("*")) return std::nullopt;
    std::size_t at = position;
    if (!argument.name.empty()) {
      at = static_cast<std::size_t>(
          std::find_if(given.begin(), given.end(),
                       [&](const InitArgument& a) { return a.name == argument.name; }) -
          given.begin());
    } else {
      ++position;
    }
    if (at >= given.size()) return std::nullopt;
    given[at].expression = argument.expression;
  }
  return given;
}

// Completes `given` by the ladder: default, name, hole. Arguments after the last one that must be
// passed are left out.
std::vector<InitArgument> Completed(std::vector<InitArgument> given, const Parameters& parameters) {
  std::size_t needed = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    InitArgument& argument = given[i];
    if (!argument.expression.empty()) {
      needed = i + 1;
      continue;
    }
    if (parameters[i].default_value) {
      argument.expression = parameters[i].default_value.Text();
      argument.evidence = Evidence::kDefault;
      continue;
    }
    needed = i + 1;
    const std::optional<std::string> prior = PriorOf(parameters[i].name);
    argument.expression = prior.value_or("?");
    argument.evidence = Evidence::kName;
  }
  given.resize(needed);
  return given;
}

// One trial: build the module and call it, on `init` and what is known of its inputs.
struct Trial {
  std::vector<InitArgument> init;
  std::vector<InputFacts> inputs;
  int conflicts = 0;
  std::vector<InputGuess> guesses;
  bool complete = false;  // No hole is left.
};

class Search {
 public:
  Search(const SyntaxNode& module, const Parameters& forward) : module_(module) {
    for (const PythonParameter& parameter : forward) {
      if (parameter.default_value || parameter.kind == PythonParameter::Kind::kKeywordOnly)
        continue;
      InputFacts input;
      input.name = parameter.name;
      if (parameter.annotation) FromAnnotation(parameter.annotation.Text(), &input);
      inputs_.push_back(std::move(input));
    }
  }

  bool HasInputs() const { return !inputs_.empty(); }
  std::size_t InputCount() const { return inputs_.size(); }

  // Learns until nothing changes, then chooses sizes.
  Trial Run(std::vector<InitArgument> init, std::vector<InputFacts> inputs) const {
    Trial trial{std::move(init), std::move(inputs)};
    bool defaulted = false;
    for (int run = 0; run < kMostRuns; ++run) {
      Evaluator evaluator(module_);
      std::vector<HoleFacts> holes;
      std::vector<std::pair<std::string, std::string>> arguments;
      for (const InitArgument& argument : trial.init) {
        arguments.emplace_back(argument.name, argument.expression);
      }
      Value* model = evaluator.Construct(arguments, &holes);
      std::vector<InputFacts> learned = trial.inputs;
      const std::vector<Value*> tensors = evaluator.Forward(model, &learned);
      const bool news = Learn(holes, &trial) || Changed(trial.inputs, learned);
      trial.inputs = learned;
      trial.conflicts = evaluator.conflicts();
      trial.complete = std::none_of(trial.init.begin(), trial.init.end(),
                                    [](const InitArgument& a) { return a.expression == "?"; });
      if (news) continue;
      if (!defaulted) {
        defaulted = true;
        if (ChooseRanks(module_, &trial.inputs)) continue;
      }
      trial.guesses = ChooseSizes(trial.inputs, tensors, trial.init, &evaluator);
      trial.conflicts = evaluator.conflicts();
      break;
    }
    return trial;
  }

  const std::vector<InputFacts>& inputs() const { return inputs_; }

 private:
  static void FromAnnotation(std::string_view text, InputFacts* input) {
    if (text.find("LongTensor") != std::string_view::npos) input->type = TensorType::kInteger;
    if (text.find("BoolTensor") != std::string_view::npos) input->type = TensorType::kBool;
  }

  static bool Changed(const std::vector<InputFacts>& a, const std::vector<InputFacts>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].rank != b[i].rank || a[i].type != b[i].type) return true;
    }
    return false;
  }

  static bool Learn(const std::vector<HoleFacts>& holes, Trial* trial) {
    bool news = false;
    for (const HoleFacts& hole : holes) {
      if (hole.expression.empty()) continue;
      for (InitArgument& argument : trial->init) {
        if (argument.name != hole.name) continue;
        argument.expression = hole.expression;
        argument.evidence = hole.evidence;
        news = true;
      }
    }
    return news;
  }

  SyntaxNode module_;
  std::vector<InputFacts> inputs_;
};

}  // namespace

ArgumentGuess GuessArguments(const std::string& code, const std::vector<PythonCall>& calls) {
  ArgumentGuess guess;
  guess.code = WithPositionalConstructor(code, "Model");
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, guess.code);
  const SyntaxNode constructor = FindConstructor(tree.Root(), "Model");
  const SyntaxNode forward = FindInherited(tree.Root(), "Model", "forward");
  const Parameters parameters = constructor ? Passable(constructor) : Parameters();
  Parameters inputs;
  if (forward) {
    inputs = Passable(forward);
  }
  const Search search(tree.Root(), inputs);
  if (forward && !search.HasInputs()) {
    guess.detail = "forward() takes no tensor by position";
    return guess;
  }
  std::vector<std::vector<InitArgument>> inits;
  for (const PythonCall& call : calls) {
    if (inits.size() == kMostCalls) break;
    if (auto given = FromCall(call, parameters))
      inits.push_back(Completed(std::move(*given), parameters));
  }
  inits.push_back(Completed(*FromCall(PythonCall(), parameters), parameters));
  std::vector<Trial> trials;
  for (const std::vector<InitArgument>& init : inits) {
    Trial trial = search.Run(init, search.inputs());
    if (!trial.complete) {
      for (const InitArgument& argument : trial.init) {
        if (argument.expression == "?")
          guess.detail = "constructor argument '" + argument.name + "'";
      }
      continue;
    }
    trials.push_back(trial);
    // Other ranks for inputs whose rank nothing but habit told.
    for (int rank : {4, 3, 2, 5}) {
      std::vector<InputFacts> variant = search.inputs();
      bool guessed = false;
      for (std::size_t i = 0; i < variant.size(); ++i) {
        if (trial.inputs[i].rank_evidence != Evidence::kName) continue;
        if (trial.inputs[i].rank == rank) continue;
        variant[i].rank = rank;
        guessed = true;
      }
      if (guessed) trials.push_back(search.Run(trial.init, variant));
    }
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.conflicts < b.conflicts; });
  std::set<std::string> seen;
  for (Trial& trial : trials) {
    ArgumentSet set{std::move(trial.init), std::move(trial.guesses)};
    if (set.inputs.size() != search.InputCount()) continue;
    if (guess.sets.size() < kMostSets && seen.insert(set.ToJson().Dump()).second) {
      guess.sets.push_back(std::move(set));
    }
  }
  return guess;
}

}  // namespace kernelmill
