// Relations of operators, formulas, shapes and parameters: they hold when the operator table or the
// annotation, what torch computed for the task, says the same.
#include <algorithm>
#include <set>

#include "corpora/operators/operator_table.h"
#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/operator_formulas.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// "(6, 50)" for each notation of a shape: "(6, 50)", "[6, 50]", "6×50", and "[8]" of one dimension.
std::string PlainShape(std::string_view text) {
  std::string digits;
  for (std::size_t at = 0; at < text.size(); ++at) {
    constexpr std::string_view kTimes = "×";
    if (text.substr(at).starts_with(kTimes)) {
      digits += ", ";
      at += kTimes.size() - 1;
    } else if (text[at] != '(' && text[at] != ')' && text[at] != '[' && text[at] != ']') {
      digits += text[at];
    }
  }
  if (digits.ends_with(',')) digits.pop_back();
  return digits;
}

bool IsShape(std::string_view said, const std::vector<std::int64_t>& shape) {
  return PlainShape(said) == PlainShape(ShapeText(shape));
}

// Splits "`a` …, `b` … and `c` …" before each name.
std::vector<std::string> ItemsOf(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    std::size_t end = list.size(), next = list.size();
    for (const std::string_view between : {", `", " and `"}) {
      const std::size_t at = list.find(between, 1);
      if (at < end) {
        end = at;
        next = at + between.size() - 1;
      }
    }
    items.emplace_back(list.substr(0, end));
    list.remove_prefix(next);
  }
  return items;
}

// Whether every item matches the pattern and holds.
template <typename Test>
bool EachItem(std::string_view list, std::string_view pattern, Test test) {
  for (const std::string& item : ItemsOf(list)) {
    const auto slots = MatchSentence(pattern, item);
    if (!slots || !test(*slots)) return false;
  }
  return true;
}

bool DescribesInputs(const RelationContext& context, const Slots& slots) {
  const auto& inputs = context.known.task.inputs;
  return EachItem("`" + slots.at("items"), "`{name}` is {what}", [&](const Slots& item) {
    const std::string& what = item.at("what");
    const std::size_t space = what.rfind(' ');
    return space != what.npos &&
           std::any_of(inputs.begin(), inputs.end(), [&](const InputSpec& input) {
             return input.name == item.at("name") && input.dtype == what.substr(space + 1) &&
                    IsShape(what.substr(0, space), input.shape);
           });
  });
}

bool DescribesCalls(const RelationContext& context, const Slots& slots) {
  const auto& calls = context.known.facts.operators;
  return EachItem("`" + slots.at("items"), "`{name}` gives {shape}", [&](const Slots& item) {
    return std::any_of(calls.begin(), calls.end(), [&](const OperatorCall& call) {
      return call.name == item.at("name") && !call.outputs.empty() &&
             IsShape(item.at("shape"), call.outputs[0].shape);
    });
  });
}

bool DescribesResult(const RelationContext& context, const Slots& slots) {
  const auto& outputs = context.known.facts.outputs;
  if (outputs.size() != 1) return false;
  const std::string& what = slots.at("tensor");
  const std::size_t space = what.rfind(' ');
  const std::int64_t elements = ElementsIn(outputs[0].shape);
  return space != what.npos && what.substr(space + 1) == outputs[0].dtype &&
         IsShape(what.substr(0, space), outputs[0].shape) &&
         SaysCount(slots.at("elements"), elements) &&
         SaysBytes(slots.at("bytes"), BytesIn(outputs[0].shape, outputs[0].dtype));
}

bool DescribesParameters(const RelationContext& context, const Slots& slots) {
  const auto& parameters = context.known.facts.parameters;
  return EachItem("`" + slots.at("items"), "`{name}` {shape}", [&](const Slots& item) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const ParameterFacts& parameter) {
      return parameter.name == item.at("name") && IsShape(item.at("shape"), parameter.shape);
    });
  });
}

bool ComputesInOrder(const RelationContext& context, const Slots& slots) {
  const std::vector<std::string> operators = ComputingOperators(context.known.facts);
  return "`" + slots.at("operators") == CodeList(operators);
}

bool ComputesOne(const RelationContext& context, const Slots& slots) {
  return ComputingOperators(context.known.facts) == std::vector{slots.at("operator")};
}

bool OnlyIndexes(const RelationContext&, const Slots& slots) {
  const std::vector<std::string> names = NamesInList("`" + slots.at("operators"));
  return !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return ComputesNothing(name);
  });
}

bool DefinesScalars(const RelationContext& context, const Slots& slots) {
  std::string_view rest = slots.at("definitions");
  while (!rest.empty()) {
    // A formula can contain a semicolon only within backticks.
    const std::size_t end = std::min(rest.find("; `"), rest.size());
    const std::string definition(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
    auto said = MatchSentence("`{operator}` computes `{formula}`", definition);
    if (!said) said = MatchSentence("`{operator}` computes `{formula}`, {note}", definition);
    if (!said || FormulaOf(said->at("operator")) != said->at("formula")) return false;
    if (const auto note = said->find("note");
        note != said->end() && NoteOf(said->at("operator")) != note->second) {
      return false;
    }
    const auto& plans = context.candidate.kernels;
    const bool planned = std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel& plan) {
      return std::find(plan.operators.begin(), plan.operators.end(), said->at("operator")) !=
             plan.operators.end();
    });
    if (!planned) return false;
  }
  return true;
}

bool IsOf(const std::string& name, const std::set<OperatorFamily>& families) {
  const OperatorRow* const row = OperatorCalled(name);
  return row != nullptr && families.contains(row->family);
}

// Whether every operator that the sentence names, or the only one of the module, is of a family.
bool AllAreOf(const RelationContext& context, const Slots& slots,
              const std::set<OperatorFamily>& families) {
  const std::string& said = slots.at("operators");
  const std::vector<std::string> names =
      said == "It" ? ComputingOperators(context.known.facts) : NamesInList(said);
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return IsOf(name, families);
  });
}

template <OperatorFamily family>
bool AllAre(const RelationContext& context, const Slots& slots) {
  return AllAreOf(context, slots, {family});
}

bool AreElementwise(const RelationContext& context, const Slots& slots) {
  using enum OperatorFamily;
  return AllAreOf(context, slots, {kActivation, kElementwise, kComparison, kSelection, kCast});
}

bool ShiftsExponentials(const RelationContext&, const Slots& slots) {
  const OperatorRow* const row = FindOperator(slots.at("operator"));
  return row != nullptr && row->traits.shifts_exponentials;
}

bool AddsUp(const RelationContext& context, const Slots& slots) {
  return slots.at("operator") == SummingOperator(context.candidate);
}

template <OperatorFamily... families>
bool PlansOperator(const RelationContext& context, const Slots& slots) {
  const std::string& name = slots.at("operator");
  const auto& plans = context.candidate.kernels;
  return IsOf(name, {families...}) &&
         std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel& plan) {
           return std::find(plan.operators.begin(), plan.operators.end(), name) !=
                  plan.operators.end();
         });
}

}  // namespace

void AddMeaningRelations(std::vector<RelationForm>* forms) {
  using enum OperatorFamily;
  const auto add = [&](std::vector<std::string_view> trigger, std::string pattern, auto holds) {
    forms->push_back({std::move(trigger), std::move(pattern), holds});
  };
  const std::vector<std::string_view> computes = {"`forward` computes"};
  add(computes, "`forward` computes one operator, `{operator}`.", ComputesOne);
  add(computes, "`forward` computes `{operators}, in this order.", ComputesInOrder);
  const std::vector<std::string_view> indexed = {"only how elements are indexed"};
  add(indexed, "`{operators} changes only how elements are indexed; no data moves.", OnlyIndexes);
  add(indexed, "`{operators} change only how elements are indexed; no data moves.", OnlyIndexes);
  add({"For one element"}, "For one element: {definitions}.", DefinesScalars);
  // What families of operators do; each sentence has its operators first.
  struct Meaning {
    std::string_view trigger, one, several;
    bool (*holds)(const RelationContext& context, const Slots& slots);
  };
  static constexpr Meaning kMeanings[] = {
      {"elementwise",
       " is elementwise: each output element depends only on the input elements at "
       "its position.",
       " are elementwise: each output element depends only on the input elements at its position.",
       AreElementwise},
      {"along the reduced dimensions",
       " combines all elements along the reduced dimensions into one.",
       " combine all elements along the reduced dimensions into one.", AllAre<kReduction>},
      {"on its whole row",
       " normalises along a dimension, so each output element depends on its whole row.",
       " normalise along a dimension, so each output element depends on its whole row.",
       AllAre<kSoftmax>},
      {"along the shared dimension",
       " is a contraction: each output element is a sum of products along the shared dimension.",
       " are contractions: each output element is a sum of products along the shared dimension.",
       AllAre<kMatmul>},
      {"all channels of its group",
       " sums, for each output element, the products of the weights and a window of the input over "
       "all channels of its group.",
       " sum, for each output element, the products of the weights and a window of the input over "
       "all channels of its group.",
       AllAre<kConvolution>},
      {"window of the input to one element", " reduces each window of the input to one element.",
       " reduce each window of the input to one element.", AllAre<kPooling>},
      {"statistics over",
       " normalises with statistics over a group of elements, so the whole "
       "group has to be read before its first output element is known.",
       " normalise with statistics over groups of elements, so a whole group has to be read before "
       "its first output element is known.",
       AllAre<kNorm>},
      {"one side of a diagonal",
       " keeps the elements on one side of a diagonal and sets the others to zero.",
       " keep the elements on one side of a diagonal and set the others to zero.",
       AllAre<kTriangular>},
  };
  for (const Meaning& meaning : kMeanings) {
    for (const std::string_view what : {meaning.one, meaning.several}) {
      add({meaning.trigger}, "{operators}" + std::string(what), meaning.holds);
    }
  }
  for (const std::string_view shape : {"` is (", "` is ["}) {
    add({shape}, "`{items}.", DescribesInputs);
  }
  add({"` is ", "×"}, "`{items}.", DescribesInputs);
  add({"` gives "}, "`{items}.", DescribesCalls);
  add({"The result is"}, "The result is {tensor}: {elements} elements, {bytes}.", DescribesResult);
  const std::vector<std::string_view> all = {"The parameters are"};
  add(all,
      "The parameters are `{items}; the constructor creates them in the order of the reference, so "
      "that the same seed gives the same values.",
      DescribesParameters);
  add({"The parameter is"},
      "The parameter is `{items}; the constructor creates it as the reference does.",
      DescribesParameters);
  add({"Among the parameters are"},
      "Among the parameters are `{items}; the constructor creates them in the order of the "
      "reference, so that the same seed gives the same values.",
      DescribesParameters);
  add({"subtracts the"},
      "`{operator}` subtracts the maximum before `exp`, so every exponent is at most zero and "
      "nothing overflows.",
      ShiftsExponentials);
  add({"The additions of"},
      "The additions of `{operator}` run in another order than in torch, so the last bits can "
      "differ, which the tolerance allows.",
      AddsUp);
  add({"The additions of"},
      "The additions of `{operator}` run in another order than in torch, so the last bits can "
      "differ.",
      AddsUp);
  add({"Without the shift by"},
      "Without the shift by the maximum, `{operator}` is right for small scores and overflows for "
      "large ones.",
      PlansOperator<kSoftmax>);
  add({"In `"},
      "In `{operator}` the small constant is added to the variance under the root, and the "
      "variance is taken around the mean: the difference of two large sums would lose digits.",
      PlansOperator<kNorm>);
  add({"Swapping the two indices"},
      "Swapping the two indices of a factor of `{operator}` goes unnoticed for square matrices, so "
      "the kernel has to be tested with sizes that differ.",
      PlansOperator<kMatmul>);
  add({"Padding of `"},
      "Padding of `{operator}` means an address outside of the input: such an element counts as "
      "zero and must not be read.",
      PlansOperator<kConvolution>);
  add({"The accumulator of"},
      "The accumulator of `{operator}` must start at the neutral element of the operation, which "
      "is zero only for sums.",
      PlansOperator<kReduction>);
  add({"The indices of"},
      "The indices of `{operator}` are 64-bit integers; a kernel that reads them as 32-bit "
      "integers gets every second one wrong.",
      PlansOperator<kEmbedding, kGather>);
}

}  // namespace kernelmill
