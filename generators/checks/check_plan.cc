#include "generators/checks/check_plan.h"

#include <algorithm>
#include <map>

#include "corpora/operators/aten_names.h"
#include "corpora/records/size_expression.h"
#include "corpora/tolerance.h"
#include "generators/checks/value_cases.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostCases = 4;

bool IsFloat(std::string_view dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

// Names that the text of a check uses itself.
bool IsTaken(std::string_view name) {
  static constexpr std::string_view kTaken[] = {
      "torch",  "Model",    "ModelNew", "model",   "reference", "candidate", "expected",
      "actual", "case",     "label",    "inputs",  "compare",   "want",      "got",
      "copy",   "seed",     "new",      "outcome", "names",     "ALLOWED",   "first",
      "again",  "failures", "cases",    "tensor",  "check",     "spread",    "results_agree"};
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

// A symbolic size of the inputs, with the dimensions that have it.
struct SymbolicSize {
  std::int64_t value = 0;
  std::vector<std::pair<std::size_t, int>> places;  // Pairs of input and dimension.
};

// The symbolic sizes that always are a whole dimension, and that no constraint says must be
// divisible.
std::vector<SymbolicSize> SymbolicSizesOf(const KnownTask& known) {
  const SymbolicShapes& shapes = known.facts.symbolic;
  std::vector<SymbolicSize> open;
  if (!shapes.followed() || known.task.shape_contract != "any_shape") return open;
  for (const SizeSymbol& symbol : shapes.symbols) {
    const auto mentions = [&](const std::string& text) {
      return RenameSymbols(text, {{symbol.name, "~"}}) != text;
    };
    if (std::any_of(shapes.constraints.begin(), shapes.constraints.end(), mentions)) continue;
    SymbolicSize size{symbol.value, {}};
    bool alone = true;
    for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
      for (std::size_t d = 0; d < shapes.inputs[i].size(); ++d) {
        const std::string& text = shapes.inputs[i][d];
        if (text == symbol.name) {
          size.places.emplace_back(i, static_cast<int>(d));
        } else {
          alone = alone && !mentions(text);
        }
      }
    }
    if (alone && !size.places.empty() && symbol.value > 1) open.push_back(size);
  }
  return open;
}

// The operators that torch dispatched, without those that only allocate, view or copy.
std::vector<std::string> ComputingAten(const Annotation& facts) {
  std::vector<std::string> names;
  for (const DispatchCount& operation : facts.aten) {
    const std::string name(AtenName(operation.name.substr(operation.name.find('.') + 1)));
    if (IsAtenBookkeeping(name) || IsAtenCopy(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The operators that a candidate may run: those that only allocate, view or copy. What puts tensors
// beside each other may be all of the task, and is allowed where the reference does no such thing.
std::vector<std::string> AllowedAten(const Annotation& facts) {
  const bool joins =
      std::any_of(facts.aten.begin(), facts.aten.end(), [](const DispatchCount& operation) {
        return IsAtenJoin(AtenName(operation.name.substr(operation.name.find('.') + 1)));
      });
  std::vector<std::string> names;
  for (const std::string_view name : LayoutAtenNames()) {
    if (!joins || !IsAtenJoin(name)) names.emplace_back(name);
  }
  return names;
}

std::string QuotedNames(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    if (quoted.size() == kMost) break;
    quoted.push_back('`' + name + '`');
  }
  return quoted.empty() ? "the reference's operators" : Listed(quoted);
}

std::string Slice(const std::string& name, int dimension, const std::string& bounds) {
  std::string text = name + "[";
  for (int d = 0; d < dimension; ++d) text += ":, ";
  return text + bounds + "]";
}

class CasePlanner {
 public:
  CasePlanner(const KnownTask& known, const std::vector<std::string>& names, const Wording& wording)
      : known_(known), names_(names), wording_(wording) {}

  std::vector<CheckCase> All() {
    const std::vector<SymbolicSize> sizes = SymbolicSizesOf(known_);
    const bool together = OddTogether(sizes);
    for (const SymbolicSize& size : sizes) {
      // The smaller size is odd, so that no block or tile of several elements divides it.
      const std::int64_t less = size.value % 2 == 0 ? 1 : 2;
      if (size.value > kFewest && !together) {
        Resize(
            size, "tails", ":-" + std::to_string(less), " shortened by " + std::to_string(less),
            FillPlaceholders(
                wording_.Pick("check why tails",
                              {"{now} instead of {was} elements leave the last block or tile "
                               "partly empty, so a kernel without a guard reads or writes out "
                               "of bounds, and one with the size written into it is wrong",
                               "{now} is odd, so the last block or tile is only partly full: a "
                               "missing bounds check or a hard-coded {was} shows",
                               "a kernel that assumes whole tiles, or exactly {was} elements, "
                               "fails at {now}"}),
                {{"now", std::to_string(size.value - less)}, {"was", std::to_string(size.value)}}));
      }
      Resize(size, "single", ":1", " cut to one element",
             FillPlaceholders(
                 wording_.Pick("check why single",
                               {"with 1 element instead of {was}, loops over it run once, and the "
                                "threads beyond it must not touch memory",
                                "at size 1 a grid that is rounded down has no block at all, and "
                                "threads without an element must not write"}),
                 {{"was", std::to_string(size.value)}}));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const InputSpec& input = known_.task.inputs[i];
      const std::string& name = names_[i];
      const int rank = static_cast<int>(input.shape.size());
      const bool matrix = rank >= 2 && input.shape[rank - 1] > 1 && input.shape[rank - 2] > 1;
      if (matrix && ComesTransposed(i)) {
        Replace(i, "layout", name + " with contiguous memory", name + ".contiguous()",
                FillPlaceholders(
                    wording_.Pick("check why contiguous",
                                  {"get_inputs() returns `{x}` as a view with other strides; a "
                                   "kernel that takes these for granted reads the wrong elements "
                                   "of a fresh tensor",
                                   "the strides of the view that get_inputs() returns as `{x}` are "
                                   "no part of the module, so a fresh tensor with the same values "
                                   "has to give the same result"}),
                    {{"x", name}}));
      } else if (matrix) {
        Replace(
            i, "layout", name + " with transposed memory",
            name + ".transpose(-2, -1).contiguous().transpose(-2, -1)",
            FillPlaceholders(
                wording_.Pick("check why layout",
                              {"`{x}` has the same values with other strides: a kernel that "
                               "assumes contiguous memory reads the wrong elements",
                               "callers pass transposed tensors, and a kernel that computes "
                               "addresses from the shape of `{x}` alone mixes up its elements",
                               "the last dimension of `{x}` is not contiguous here, so the host "
                               "code must copy it or pass its strides"}),
                {{"x", name}}));
      }
      if (rank >= 1 && ElementsIn(input.shape) > 1) {
        Replace(i, "offset", name + " one element behind the start of its storage",
                "torch.cat([" + name + ".flatten()[:1], " + name + ".flatten()])[1:].view(" + name +
                    ".shape)",
                FillPlaceholders(
                    wording_.Pick("check why offset",
                                  {"`{x}` does not begin at a multiple of 16 bytes, so loads of 16 "
                                   "bytes that do not test for it fail or read other elements",
                                   "a slice of a larger tensor may begin anywhere: wide loads need "
                                   "a test of the alignment, and the first element is the one at "
                                   "`data_ptr()`",
                                   "fresh tensors are aligned, so only a view like this one takes "
                                   "the path for tensors that are not"}),
                    {{"x", name}}));
      }
    }
    for (CheckCase& made : ValueCases(known_, names_, wording_)) Add(std::move(made));
    return std::move(cases_);
  }

 private:
  static constexpr std::int64_t kFewest = 4;  // Fewer need no tile.

  // A case in which all sizes that may vary are odd, where there are several; whether it was added.
  bool OddTogether(const std::vector<SymbolicSize>& sizes) {
    CheckCase made{{"tails", "", ""}, names_};
    std::vector<std::string> was, now;
    for (const SymbolicSize& size : sizes) {
      if (size.value <= kFewest) continue;
      const std::int64_t less = size.value % 2 == 0 ? 1 : 2;
      was.push_back(std::to_string(size.value));
      now.push_back(std::to_string(size.value - less));
      for (const auto& [input, dimension] : size.places) {
        if (input >= names_.size()) return false;
        std::string& text = made.inputs[input];
        text = Slice(text == names_[input] ? text : "(" + text + ")", dimension,
                     ":-" + std::to_string(less));
      }
    }
    if (was.size() < 2) return false;
    made.aspect.what = "odd sizes (" + Listed(now) + " instead of " + Listed(was) + ")";
    made.aspect.why = wording_.Pick(
        "check why odd",
        {"along every dimension that may vary the last block or tile is only partly full, so a "
         "missing bounds check or a size that is written into the code shows wherever it is",
         "no block, tile or vector of several elements divides any of these sizes, and sizes that "
         "all differ from the usual ones tell exchanged ones apart"});
    Add(std::move(made));
    return true;
  }

  // Whether the task's own draw of the input has a last dimension that is not contiguous.
  bool ComesTransposed(std::size_t input) const {
    for (const LineValue& value : known_.facts.values) {
      if (value.name != known_.task.inputs[input].name) continue;
      const std::vector<std::int64_t>& stride = value.tensor.stride;
      return value.tensor.shape == known_.task.inputs[input].shape && !stride.empty() &&
             stride.back() != 1;
    }
    return false;
  }
  void Add(CheckCase made) { cases_.push_back(std::move(made)); }

  void Resize(const SymbolicSize& size, const std::string& aspect, const std::string& bounds,
              const std::string& what, const std::string& why) {
    CheckCase made{{aspect, "", why}, names_};
    std::vector<std::string> where;
    for (const auto& [input, dimension] : size.places) {
      if (input >= names_.size()) return;
      // The size may occur in two dimensions of one input.
      std::string& text = made.inputs[input];
      text = text == names_[input] ? Slice(text, dimension, bounds)
                                   : Slice("(" + text + ")", dimension, bounds);
      where.push_back("dimension " + std::to_string(dimension) + " of " + names_[input]);
    }
    made.aspect.what = Listed(where) + what;
    Add(std::move(made));
  }

  void Replace(std::size_t input, const std::string& aspect, const std::string& label,
               const std::string& text, const std::string& why) {
    CheckCase made{{aspect, label, why}, names_};
    made.inputs[input] = text;
    Add(std::move(made));
  }

  const KnownTask& known_;
  const std::vector<std::string>& names_;
  const Wording& wording_;
  std::vector<CheckCase> cases_;
};

// Chooses at most one case per aspect. Cases of sizes and layouts come before those of values.
std::vector<CheckCase> Choose(std::vector<CheckCase> all, const Wording& wording) {
  std::map<std::string, std::vector<std::size_t>> of_aspect;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (of_aspect[all[i].aspect.name].empty()) order.push_back(all[i].aspect.name);
    of_aspect[all[i].aspect.name].push_back(i);
  }
  while (order.size() > kMostCases) {
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(wording.Index(
                                    "check drops " + std::to_string(order.size()), order.size())));
  }
  std::vector<CheckCase> chosen;
  for (const std::string& aspect : order) {
    const auto& places = of_aspect[aspect];
    chosen.push_back(all[places[wording.Index("check " + aspect, places.size())]]);
  }
  return chosen;
}

}  // namespace

std::vector<CheckAspect> CheckPlan::Aspects(const Wording& wording) const {
  const auto say = [&](std::string_view part, const std::vector<std::string_view>& variants) {
    return std::string(wording.Pick(std::string("check why ") + std::string(part), variants));
  };
  std::vector<std::string> numbers;
  for (const int seed : seeds) numbers.push_back(std::to_string(seed));
  std::vector<CheckAspect> aspects = {
      {"fresh_values", "inputs drawn with the seeds " + Listed(numbers),
       say("fresh", {"results that were computed in advance or cached from an earlier call cannot "
                     "match all draws",
                     "an error that depends on the values may not show in a single draw",
                     "a candidate that ignores its inputs matches one draw at most"})}};
  for (const CheckCase& item : cases) aspects.push_back(item.aspect);
  if (spreads_constants) {
    aspects.push_back(
        {"parameters", "parameters that do not keep their constant initial values",
         say("constants", {"while all elements of a weight are equal, a kernel that "
                           "reads the wrong one, or the first for all, goes "
                           "unnoticed",
                           "a weight that is the same number for every channel cannot "
                           "tell the channels apart"})});
  }
  if (watches_inputs) {
    aspects.push_back({"inputs_kept", "whether the inputs are unchanged after the call",
                       say("inputs", {"a kernel that works in place overwrites tensors that its "
                                      "caller still needs",
                                      "`Model` does not modify its inputs, so `ModelNew` must not "
                                      "either"})});
  }
  if (calls_again) {
    aspects.push_back(
        {"second_call", "a second call after one with zeros",
         say(adds_up ? "again with sums" : "again",
             adds_up
                 ? std::vector<std::string_view>{"an accumulator that is not set to zero before "
                                                 "each launch changes the "
                                                 "result of the second call, and a call must not "
                                                 "overwrite the tensor "
                                                 "that an earlier one returned",
                                                 "sums that are kept between calls grow, and a "
                                                 "candidate that returns "
                                                 "one persistent buffer overwrites its first "
                                                 "result, of which the check "
                                                 "keeps a copy"}
                 : std::vector<std::string_view>{
                       "a candidate that returns one persistent buffer overwrites its first "
                       "result, of which the check keeps a copy",
                       "a buffer that is kept between calls shows old values in the second "
                       "call, or is overwritten while the caller still uses the first result"})});
  }
  if (!allowed_operators.empty()) {
    aspects.push_back(
        {"operators", "which ATen operators the candidate runs",
         say("operators", {"PyTorch itself must not do the work: every operator is "
                           "refused that does more than allocate, view or copy, "
                           "because {named} could be called under several names",
                           "a candidate that falls back to {named}, or to other "
                           "operators that compute the same, would match every "
                           "result, so only allocations, views and copies may run"})});
    std::string& why = aspects.back().why;
    why = FillPlaceholders(why, {{"named", QuotedNames(computing_operators)}});
  }
  return aspects;
}

CheckPlan PlanCheck(const KnownTask& known, std::string_view backend, const Wording& wording) {
  CheckPlan plan;
  plan.device = backend;
  bool single = true;
  for (const InputSpec& input : known.task.inputs) {
    plan.inputs.push_back(IsTaken(input.name) ? input.name + "_in" : input.name);
    single = single && (input.dtype == "float32" || !IsFloat(input.dtype));
  }
  plan.seeds_models = !known.facts.parameters.empty();
  // Weights with one dimension, such as those of norms and of PReLU, begin as one constant.
  plan.spreads_constants = std::any_of(
      known.facts.parameters.begin(), known.facts.parameters.end(), [](const auto& parameter) {
        return parameter.shape.size() == 1 && parameter.shape[0] > 1 &&
               !parameter.name.ends_with("bias") && IsFloat(parameter.dtype);
      });
  plan.several_outputs = known.facts.outputs.size() > 1;
  double tolerance = 0;
  bool whole = false;
  for (const TensorFacts& output : known.facts.outputs) {
    if (IsFloat(output.dtype)) {
      tolerance = std::max(tolerance, ToleranceOf(output.dtype));
      single = single && output.dtype == "float32";
    } else {
      whole = true;
    }
  }
  plan.all_integers = tolerance == 0;
  plan.some_integers = whole && tolerance > 0;
  plan.tolerance = tolerance;
  plan.in_double = single && !whole && !plan.several_outputs;
  const std::size_t first = wording.Index("check first seed", 40);
  for (std::size_t i = 0; i < 2 + wording.Index("check seeds", 3); ++i) {
    plan.seeds.push_back(static_cast<int>(first + i));
  }
  plan.cases = Choose(CasePlanner(known, plan.inputs, wording).All(), wording);
  plan.watches_inputs = wording.Index("check inputs", 3) != 0;
  plan.calls_again = !plan.several_outputs && wording.Index("check repeats", 2) == 0;
  plan.computing_operators = ComputingOperators(known.facts);
  plan.adds_up = std::any_of(plan.computing_operators.begin(), plan.computing_operators.end(),
                             [](const std::string& name) {
                               const OperatorRow* const row = OperatorCalled(name);
                               return row != nullptr && row->traits.adds_up;
                             });
  if (wording.Index("check operators", 4) != 0 && !plan.computing_operators.empty() &&
      !ComputingAten(known.facts).empty())
    plan.allowed_operators = AllowedAten(known.facts);
  return plan;
}

}  // namespace kernelmill
