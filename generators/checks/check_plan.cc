#include "generators/checks/check_plan.h"

#include <algorithm>
#include <map>

#include "corpora/operators/aten_names.h"
#include "corpora/records/size_expression.h"
#include "corpora/tolerance.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostCases = 4;

bool IsFloat(std::string_view dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

// Names that the text of a check uses itself.
bool IsTaken(std::string_view name) {
  static constexpr std::string_view kTaken[] = {
      "torch", "Model",   "ModelNew", "model",  "reference", "candidate", "expected", "actual",
      "case",  "label",   "inputs",   "compare", "want",     "got",       "copy",     "seed",
      "new",   "outcome", "first",    "again",  "failures",  "cases",     "tensor",   "check"};
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
    for (const SymbolicSize& size : SymbolicSizesOf(known_)) {
      Resize(size, "tails", ":-1", "one less",
             "of " + std::to_string(size.value) + " one is left off, so that " +
                 std::to_string(size.value - 1) +
                 " no longer fills what was laid out for the whole: a missing guard or a size that "
                 "is written into the kernel shows");
      Resize(size, "single", ":1", "a single one",
             "with one instead of " + std::to_string(size.value) +
                 " most threads have nothing to do, and must do nothing");
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const InputSpec& input = known_.task.inputs[i];
      const std::string& name = names_[i];
      const int rank = static_cast<int>(input.shape.size());
      if (rank >= 2 && input.shape[rank - 1] > 1 && input.shape[rank - 2] > 1) {
        Replace(
            i, "layout", "transposed memory of " + name,
            name + ".transpose(-2, -1).contiguous().transpose(-2, -1)",
            FillPlaceholders(
                wording_.Pick("check why layout",
                              {"`{x}` keeps its values and has other strides: a kernel that "
                               "takes its memory for contiguous reads the wrong elements",
                               "the strides of `{x}` are no longer those of its shape, so that "
                               "plain pointer arithmetic goes astray",
                               "callers pass transposed tensors, and `{x}` may be one of them"}),
                {{"x", name}}));
      }
      if (rank >= 1 && input.shape[0] > 1 && input.shape[0] <= 4096) {
        Replace(
            i, "offset", "other memory in front of " + name,
            "torch.cat([" + name + "[:1], " + name + "])[1:]",
            FillPlaceholders(
                wording_.Pick("check why offset",
                              {"`{x}` begins inside of its storage, which pointers have to follow",
                               "a pointer to the storage and one to `{x}` differ here",
                               "slices of a batch start somewhere in the middle of memory"}),
                {{"x", name}}));
      }
    }
    const auto& inputs = known_.task.inputs;
    const auto drawn = [&](std::string_view draw) {
      return std::any_of(inputs.begin(), inputs.end(), [&](const InputSpec& input) {
        return input.draw == draw && (draw == "randint" || IsFloat(input.dtype));
      });
    };
    if (drawn("randn")) {
      Map("randn", "large_values", "large values", "100 * ", "",
          "values a hundred times as large bring out what overflows or saturates");
      Map("randn", "ties", "ties", "", ".round()",
          "rounded values are equal to each other in many places, where comparisons have to "
          "decide as the reference does");
      Map("randn", "signs", "negative values only", "-", ".abs()",
          "without a positive value a maximum that starts at zero is wrong");
      Map("randn", "zeros", "zeros", "torch.zeros_like(", ")",
          "zeros show a division or a logarithm that lacks its guard");
    }
    if (drawn("rand")) {
      Map("rand", "small_values", "small values", "0.01 * ", "",
          "small values show constants that were added in the wrong place");
      Map("rand", "equal_values", "equal values", "torch.full_like(", ", 0.5)",
          "where all values are equal every sum and mean is known");
    }
    if (drawn("randint")) IndexEnds();
    return std::move(cases_);
  }

 private:
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
    made.aspect.what = what + " in " + Listed(where);
    Add(std::move(made));
  }

  void Replace(std::size_t input, const std::string& aspect, const std::string& label,
               const std::string& text, const std::string& why) {
    CheckCase made{{aspect, label, why}, names_};
    made.inputs[input] = text;
    Add(std::move(made));
  }

  // Adds a case for every input with this draw.
  void Map(std::string_view draw, const std::string& aspect, const std::string& label,
           const std::string& before, const std::string& behind, const std::string& why) {
    CheckCase made{{aspect, label, why}, names_};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const InputSpec& input = known_.task.inputs[i];
      if (input.draw != draw || !IsFloat(input.dtype)) continue;
      made.inputs[i] = before + names_[i] + behind;
    }
    Add(std::move(made));
  }

  void IndexEnds() {
    for (const auto& [aspect, last] : {std::pair("first_index", false), {"last_index", true}}) {
      CheckCase made{
          {aspect, last ? "the last index everywhere" : "the first index everywhere",
           last ? "the largest valid index reaches the last row, and an index that is one too far "
                  "leaves the tensor"
                : "all indices are the same, so that writes to one place meet"},
          names_};
      for (std::size_t i = 0; i < names_.size(); ++i) {
        const InputSpec& input = known_.task.inputs[i];
        if (input.draw != "randint") continue;
        made.inputs[i] = "torch.full_like(" + names_[i] + ", " +
                         std::to_string(last ? input.high - 1 : input.low) + ")";
      }
      Add(std::move(made));
    }
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
      {"fresh_values", "inputs of the seeds " + Listed(numbers),
       say("fresh", {"what does not come from the inputs, or stands still from an earlier call, "
                     "cannot be right for all of them",
                     "one draw may hide an error that another shows",
                     "results that were precomputed or cached agree once at most"})}};
  for (const CheckCase& item : cases) aspects.push_back(item.aspect);
  if (watches_inputs) {
    aspects.push_back({"inputs_kept", "the inputs afterwards",
                       say("inputs", {"a kernel that works in place would change what its caller "
                                      "still needs",
                                      "`Model` leaves them alone, so its replacement has to",
                                      "a write beyond the output may land in one of them"})});
  }
  if (calls_again) {
    aspects.push_back({"second_call", "a second call, behind one with zeros",
                       say("again", {"a buffer that is kept between calls, or not cleared, gives "
                                     "something else the second time",
                                     "sums that are not set to zero before a launch go on growing",
                                     "an implementation with a memory of its own gives itself away"})});
  }
  if (!forbidden_operators.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& name : forbidden_operators) quoted.push_back('`' + name + '`');
    aspects.push_back({"operators", "torch's own " + Listed(quoted),
                       say("operators", {"where one of them runs, torch has done the work and not "
                                         "the kernel",
                                         "calling them back would pass every comparison",
                                         "they are what the kernels are there to replace"})});
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
  if (wording.Index("check operators", 2) == 0)
    plan.forbidden_operators = ComputingAten(known.facts);
  return plan;
}

}  // namespace kernelmill
