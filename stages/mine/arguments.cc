#include "stages/mine/arguments.h"

#include <algorithm>
#include <set>

#include "corpora/name_prior.h"
#include "parsers/python_signature.h"
#include "stages/mine/evaluate/evaluator.h"
#include "stages/mine/evaluate/layer_signatures.h"
#include "stages/mine/example_argument.h"
#include "stages/mine/input_sizes.h"
#include "stages/mine/task_policy_rewrite.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostSets = 6;
constexpr std::size_t kMostCalls = 3;
// The evaluator runs until it learns nothing new; each run decides at least one hole or one rank.
constexpr int kMostRuns = 16;
constexpr int kMostVariants = 24;

// A parameter of the constructor or of forward() that takes one argument.
struct Parameter {
  std::string name;
  std::string annotation;  // "" when there is none.
  std::optional<std::string> default_value;
  bool keyword_only = false;
};
using Parameters = std::vector<Parameter>;

// The parameters after self.
Parameters ParametersAfterSelf(const SyntaxNode& function) {
  Parameters passable;
  const std::vector<PythonParameter> parameters = ReadParameters(function);
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    const PythonParameter& parameter = parameters[i];
    if (parameter.kind == PythonParameter::Kind::kRest ||
        parameter.kind == PythonParameter::Kind::kKeywords) {
      continue;
    }
    Parameter made{std::string(parameter.name)};
    if (parameter.annotation) made.annotation = parameter.annotation.Text();
    if (parameter.default_value) made.default_value = std::string(parameter.default_value.Text());
    made.keyword_only = parameter.kind == PythonParameter::Kind::kKeywordOnly;
    passable.push_back(std::move(made));
  }
  return passable;
}

Parameters Named(const std::vector<std::string_view>& names) {
  Parameters parameters;
  for (std::string_view name : names) parameters.push_back({std::string(name)});
  return parameters;
}

Parameters ConstructorParameters(const SyntaxNode& module) {
  if (const SyntaxNode constructor = FindConstructor(module, "Model"))
    return ParametersAfterSelf(constructor);
  return Named(RequiredParameters(Evaluator(module).TorchBase("__init__")));
}

// The parameters of forward() that become inputs: those without a default, or the first one if all
// have defaults.
Parameters InputParameters(const SyntaxNode& module) {
  const SyntaxNode forward = FindInherited(module, "Model", "forward");
  if (!forward) {
    const std::string base = Evaluator(module).TorchBase("forward");
    if (base.empty()) return {};
    return base == "MultiheadAttention" ? Named({"query", "key", "value"}) : Named({"input"});
  }
  Parameters inputs = ParametersAfterSelf(forward), needed;
  for (const Parameter& parameter : inputs) {
    if (!parameter.default_value && !parameter.keyword_only) needed.push_back(parameter);
  }
  if (!needed.empty()) return needed;
  if (!inputs.empty() && !inputs[0].keyword_only) return {inputs[0]};
  for (const PythonParameter& parameter : ReadParameters(forward)) {
    if (parameter.kind == PythonParameter::Kind::kRest) return Named({parameter.name});
  }
  return {};
}

// Whether an argument contains nothing to redact or refuse. Unlike the slice, which was redacted
// already, it can come from any file of the repository.
bool IsClean(const std::string& expression) {
  return RefuseText(expression).empty() && RedactWholeText(expression).count == 0 &&
         expression.find("```") == std::string::npos;
}

// The arguments of one construction in the repository; those that are not literals become holes.
std::optional<std::vector<InitArgument>> FromCall(const PythonCall& call,
                                                  const Parameters& parameters) {
  std::vector<InitArgument> given;
  for (const Parameter& parameter : parameters) {
    given.push_back({parameter.name, "", Evidence::kCallSite});
  }
  std::size_t position = 0;
  for (const PythonArgument& argument : call.arguments) {
    if (argument.name.starts_with("*") || !IsClean(argument.expression)) return std::nullopt;
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

// Completes `given` with, in this order of preference: the default, a class of the slice, a value
// that the name suggests, a hole.
std::vector<InitArgument> Completed(std::vector<InitArgument> given, const Parameters& parameters,
                                    const SyntaxNode& module) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    InitArgument& argument = given[i];
    const Parameter& parameter = parameters[i];
    if (!argument.expression.empty()) continue;
    if (parameter.default_value) {
      argument.expression = *parameter.default_value;
      argument.evidence = Evidence::kDefault;
    } else if (const auto made = ConstructionOf(parameter.annotation, module)) {
      argument.expression = *made;
      argument.evidence = Evidence::kAnnotation;
    } else {
      argument.expression = MostCommonArgumentOf(parameter.name).value_or("?");
      argument.evidence = Evidence::kName;
    }
  }
  return given;
}

// How many arguments must be passed: all up to the last one that is not its default.
std::size_t CountNeeded(const std::vector<InitArgument>& arguments) {
  std::size_t needed = arguments.size();
  while (needed > 0 && arguments[needed - 1].evidence == Evidence::kDefault) --needed;
  return needed;
}

bool IsHole(const InitArgument& argument) { return argument.expression == "?"; }

// One trial run of the evaluator: `init` builds the module, `inputs` says what is known of its
// inputs.
struct Trial {
  std::vector<InitArgument> init;  // One per parameter.
  std::vector<InputFacts> inputs;
  int conflicts = 0;
  std::vector<InputGuess> guesses;
  std::set<std::string> objects;  // Holes that no plain value can fill.

  bool complete() const { return std::none_of(init.begin(), init.end(), IsHole); }
};

class Search {
 public:
  Search(const SyntaxNode& module, const Parameters& parameters)
      : module_(module), parameters_(parameters) {
    for (const Parameter& parameter : InputParameters(module)) {
      InputFacts input;
      input.name = parameter.name;
      FromAnnotation(parameter.annotation, &input);
      inputs_.push_back(std::move(input));
    }
  }

  bool HasInputs() const { return !inputs_.empty(); }
  std::size_t InputCount() const { return inputs_.size(); }

  // Runs until nothing changes, then chooses sizes.
  Trial Run(std::vector<InitArgument> init, std::vector<InputFacts> inputs) const {
    Trial trial{std::move(init), std::move(inputs)};
    bool ranked = false;
    for (int run = 0; run < kMostRuns; ++run) {
      Evaluator evaluator(module_);
      std::vector<HoleFacts> holes;
      KnownValue* model = evaluator.Construct(Given(trial.init), &holes);
      std::vector<InputFacts> learned = trial.inputs;
      const std::vector<KnownValue*> tensors = evaluator.Forward(model, &learned);
      const bool news = Learn(holes, &trial) || Changed(trial.inputs, learned);
      trial.inputs = learned;
      trial.conflicts = evaluator.conflicts();
      if (news) continue;
      if (!ranked) {
        ranked = true;
        if (ChooseRanks(module_, &trial.inputs)) continue;
      }
      if (FillHoles(&trial)) continue;
      trial.guesses = ChooseSizes(trial.inputs, tensors, trial.init, &evaluator);
      trial.conflicts = evaluator.conflicts();
      break;
    }
    return trial;
  }

  // Tries other numbers for arguments that only a name suggested, as long as these contradict each
  // other: a block that adds its input to its output needs in = 4 · out, or in = out.
  Trial Reconciled(const Trial& trial) const {
    Trial best = trial;
    int runs = 0;
    for (std::size_t i = 0; i < trial.init.size() && best.conflicts > 0; ++i) {
      for (const std::string& other : Alternatives(trial, i)) {
        if (++runs > kMostVariants) return best;
        std::vector<InitArgument> init = trial.init;
        init[i].expression = other;
        init[i].evidence = Evidence::kConstraint;
        if (Contradictions(init, trial.inputs) >= best.conflicts) continue;
        Trial variant = Run(std::move(init), inputs_);
        // Numbers that end the code early cause no contradictions either, so the variant must also
        // know as much as the trial.
        if (variant.conflicts < best.conflicts && Known(variant) >= Known(trial)) {
          best = std::move(variant);
        }
        if (best.conflicts == 0) break;
      }
    }
    return best;
  }

  const std::vector<InputFacts>& inputs() const { return inputs_; }

 private:
  // The arguments that the constructor is called with.
  static std::vector<GivenArgument> Given(const std::vector<InitArgument>& init) {
    std::vector<GivenArgument> arguments;
    const std::size_t needed = CountNeeded(init);
    for (std::size_t i = 0; i < init.size(); ++i) {
      const InitArgument& argument = init[i];
      // With a default of None, the module may still need a value.
      const bool none = argument.evidence == Evidence::kDefault && argument.expression == "None";
      const bool soft = none || (argument.evidence == Evidence::kName && !IsHole(argument));
      if (i < needed || none) arguments.push_back({argument.name, argument.expression, soft});
    }
    return arguments;
  }

  // How many contradictions one run finds before sizes are chosen.
  int Contradictions(const std::vector<InitArgument>& init, std::vector<InputFacts> inputs) const {
    Evaluator evaluator(module_);
    std::vector<HoleFacts> holes;
    evaluator.Forward(evaluator.Construct(Given(init), &holes), &inputs);
    return evaluator.conflicts();
  }

  static void FromAnnotation(std::string_view text, InputFacts* input) {
    if (text.find("LongTensor") != std::string_view::npos) input->type = ElementKind::kInteger;
    if (text.find("BoolTensor") != std::string_view::npos) input->type = ElementKind::kBool;
  }

  static bool Changed(const std::vector<InputFacts>& a, const std::vector<InputFacts>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].rank != b[i].rank || a[i].type != b[i].type) return true;
    }
    return false;
  }

  // How many sizes have better evidence than a name.
  static int Known(const Trial& trial) {
    int known = 0;
    for (const InputGuess& guess : trial.guesses) {
      known += static_cast<int>(std::count_if(guess.sizes.begin(), guess.sizes.end(),
                                              [](Evidence e) { return e != Evidence::kName; }));
    }
    return known;
  }

  // The argument's integer when only its name suggested it.
  static std::optional<std::int64_t> WidthOf(const InitArgument& argument) {
    const std::string& text = argument.expression;
    const bool guessed =
        argument.evidence == Evidence::kName || argument.evidence == Evidence::kLayer;
    if (!guessed || text.empty() || text.size() > 5 ||
        text.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    const std::int64_t number = std::stoll(text);
    return number < 16 ? std::nullopt : std::optional(number);
  }

  static std::vector<std::string> Alternatives(const Trial& trial, std::size_t at) {
    const auto own = WidthOf(trial.init[at]);
    if (!own) return {};
    std::set<std::int64_t> others;
    for (const InitArgument& argument : trial.init) {
      const auto number = WidthOf(argument);
      if (number) others.insert(*number);
    }
    others.insert({*own * 4, *own * 2});
    others.erase(*own);
    std::vector<std::string> texts;
    for (auto other = others.rbegin(); other != others.rend(); ++other) {
      texts.push_back(std::to_string(*other));
    }
    return texts;
  }

  // Fills the remaining holes from annotations and names, the weakest evidence.
  bool FillHoles(Trial* trial) const {
    bool filled = false;
    for (std::size_t i = 0; i < trial->init.size(); ++i) {
      InitArgument& argument = trial->init[i];
      if (!IsHole(argument) || trial->objects.contains(argument.name)) continue;
      const std::string& annotation = parameters_[i].annotation;
      argument.expression = FallbackOf(argument.name, annotation);
      argument.evidence = annotation.empty() ? Evidence::kName : Evidence::kAnnotation;
      filled = true;
    }
    return filled;
  }

  static bool Learn(const std::vector<HoleFacts>& holes, Trial* trial) {
    bool news = false;
    for (const HoleFacts& hole : holes) {
      if (hole.object) trial->objects.insert(hole.name);
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
  const Parameters& parameters_;
  std::vector<InputFacts> inputs_;
};

}  // namespace

ArgumentGuess GuessArguments(const std::string& code, const std::vector<PythonCall>& calls) {
  ArgumentGuess guess;
  guess.code = WithPositionalParameters(RewriteForTaskPolicy(code), "Model", "__init__");
  guess.code = WithPositionalParameters(guess.code, "Model", "forward");
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, guess.code);
  const Parameters parameters = ConstructorParameters(tree.Root());
  const Search search(tree.Root(), parameters);
  if (!search.HasInputs()) {
    guess.detail = "forward() takes no tensor by position";
    return guess;
  }
  std::vector<std::vector<InitArgument>> inits;
  for (const PythonCall& call : calls) {
    if (inits.size() == kMostCalls) break;
    if (auto given = FromCall(call, parameters)) {
      inits.push_back(Completed(std::move(*given), parameters, tree.Root()));
    }
  }
  inits.push_back(Completed(*FromCall(PythonCall(), parameters), parameters, tree.Root()));
  std::vector<Trial> trials;
  for (const std::vector<InitArgument>& init : inits) {
    Trial trial = search.Run(init, search.inputs());
    const auto hole = std::find_if(trial.init.begin(), trial.init.end(), IsHole);
    if (hole != trial.init.end()) {
      guess.detail = "constructor argument '" + hole->name + "'";
      continue;
    }
    if (trial.conflicts > 0) trials.push_back(search.Reconciled(trial));
    trials.push_back(trial);
    // Tries other ranks for inputs whose rank is only a convention.
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
    trial.init.resize(CountNeeded(trial.init));
    ArgumentSet set{std::move(trial.init), std::move(trial.guesses)};
    if (set.inputs.size() != search.InputCount()) continue;
    if (guess.sets.size() < kMostSets && seen.insert(set.ToJson().Dump()).second) {
      guess.sets.push_back(std::move(set));
    }
  }
  return guess;
}

}  // namespace kernelmill
