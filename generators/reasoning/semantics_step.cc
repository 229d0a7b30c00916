#include <algorithm>
#include <iterator>
#include <map>

#include "generators/operator_words.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

using Variants = SentenceVariants;

// What operators of a family do, {op} being their name: whole clauses that begin with it.
const Variants& MeaningsOf(OperatorFamily family) {
  using enum OperatorFamily;
  static const std::map<OperatorFamily, Variants> kMeanings = {
      {kActivation,
       {"`{op}` [bends|transforms|maps] [every|each] element on its own",
        "`{op}` is a function of [one|a single] element",
        "`{op}` looks at one element and at [nothing beside it|no other]",
        "`{op}` acts [pointwise|element by element], [so it has no opinion on layout|wherever the "
        "element lies]"}},
      {kElementwise,
       {"`{op}` works [element by element|position by position]",
        "`{op}` [pairs up|combines|brings together] elements at equal coordinates",
        "`{op}` [needs|takes] one element of each operand for one of the result",
        "`{op}` is [plain |]arithmetic at [a single|one] position"}},
      {kComparison,
       {"`{op}` asks a [yes-or-no question|question with two answers] of each position",
        "`{op}` [turns|maps] elements into [truth values|answers of one bit]",
        "`{op}` compares [position by position|what lies at equal coordinates]"}},
      {kSelection,
       {"`{op}` decides [for|at] each position which value [stays|is kept]",
        "`{op}` [picks|chooses] between values [without mixing positions|one position at a time]",
        "`{op}` replaces some elements and [keeps|leaves] the rest where they are"}},
      {kCast,
       {"`{op}` changes the type and [not the value's place|nothing about places]",
        "`{op}` is a conversion of [each|every] element"}},
      {kReduction,
       {"`{op}` [folds|condenses] many elements into one",
        "`{op}` collapses [what it runs over|the dimensions that it runs over]",
        "for one result of `{op}` a [whole run|series] of elements has to be [visited|read]",
        "`{op}` accumulates, so its result is [known only|complete only] after the last element"}},
      {kArgReduction,
       {"`{op}` reports where [along a dimension|in its row] the winner sits",
        "`{op}` reduces to a position[, not to a value,| and not to a value,] so ties matter"}},
      {kScan,
       {"`{op}` carries a running [result|state] along one dimension",
        "every result of `{op}` depends on [all|the] elements [in front of|before] it"}},
      {kSoftmax,
       {"`{op}` normalises along a dimension, so each result [needs|depends on] its whole row",
        "`{op}` [couples|ties together] the elements of a row through [their|] exponentials",
        "no element of `{op}` is [known|final] before its row has been summed"}},
      {kNorm,
       {"`{op}` rescales elements by statistics that [a group of them shares|belong to a group]",
        "`{op}` is [a statistic first|first a statistic] and pointwise arithmetic [after "
        "that|then]",
        "`{op}` needs numbers about a whole group before it can [touch|finish] one element"}},
      {kMatmul,
       {"`{op}` is a sum of products for [each|every] element of its result",
        "[each|every] result of `{op}` runs along a shared dimension and adds up products",
        "`{op}` contracts a dimension that its operands [share|have in common]"}},
      {kConvolution,
       {"`{op}` [slides|moves] weights over the input and sums the products in each window",
        "one result of `{op}` [gathers|takes in] a window over all channels of its group",
        "`{op}` is a contraction whose operand is a [moving|sliding] window"}},
      {kTransposedConvolution,
       {"`{op}` spreads the input through the weights; [read|seen] from the result it is a gather",
        "an element of `{op}` collects [those|the] inputs whose window [covers|reaches] it"}},
      {kPooling,
       {"`{op}` summarises [a window|windows] of the input",
        "`{op}` replaces [each|every] window by one number",
        "`{op}` visits a small [neighbourhood|window] for [every|each] result"}},
      {kPadding,
       {"`{op}` surrounds the data with [more|further] elements",
        "`{op}` shifts coordinates and answers for those [outside|beyond the edge]"}},
      {kInterpolation,
       {"`{op}` maps a position of the result back to one in the input",
        "`{op}` samples the input at coordinates that are [worked out|computed] for each result"}},
      {kEmbedding,
       {"`{op}` looks rows up in a table by integers that come as data",
        "the addresses that `{op}` reads depend on the [contents|values] of a tensor"}},
      {kGather,
       {"`{op}` lets data decide which elements are [touched|reached]",
        "`{op}` follows indices that are [only known|known only] at run time"}},
      {kLayout,
       {"`{op}` puts the same elements in other places",
        "`{op}` computes nothing and moves [a lot|everything]",
        "`{op}` is a [question|matter] of coordinates alone"}},
      {kCreation, {"`{op}` makes elements out of [nothing but|] their coordinates"}},
      {kAttention,
       {"`{op}` scores queries against keys, normalises the scores and mixes values by them",
        "`{op}` chains two contractions with a softmax [between|in between]"}},
      {kRecurrent,
       {"`{op}` feeds each step's result into the next [one|step]",
        "the steps of `{op}` cannot overtake each other"}},
      {kLoss, {"`{op}` measures how far two tensors are apart", "`{op}` condenses a comparison"}},
      {kSort,
       {"`{op}` orders elements along a dimension",
        "`{op}` has to compare elements [of a row|with each other]"}},
      {kTriangular,
       {"`{op}` keeps one side of a diagonal", "`{op}` decides by row and column number"}},
  };
  static const Variants kUnknown = {"`{op}` does its part", "`{op}` is involved"};
  const auto found = kMeanings.find(family);
  return found == kMeanings.end() ? kUnknown : found->second;
}

// Whose family's words do not fit, or that move elements only at times.
constexpr std::string_view kSpecial[] = {
    "glu",   "prelu",    "one_hot",      "outer",     "kron", "tensordot",
    "diag",  "trace",    "diff",         "fold",      "take", "diag_embed",
    "clone", "bilinear", "searchsorted", "bucketize", "sinc"};
constexpr std::string_view kAtTimes[] = {"reshape", "flatten",    "contiguous", "getitem",
                                         "dropout", "reshape_as", "view_as"};

template <std::size_t size>
bool IsAmong(const std::string_view (&names)[size], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace

std::string SemanticsStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "semantics");
  const Annotation& facts = subject.known.facts;
  const std::vector<std::string> computing = ComputingOperators(facts);
  std::vector<std::string> views;
  for (const OperatorCall& call : facts.operators) {
    if (IsFreeOfWork(call.name) && !IsAmong(kAtTimes, call.name) &&
        std::find(views.begin(), views.end(), call.name) == views.end()) {
      views.push_back(call.name);
    }
  }
  if (computing.empty() && views.empty()) return "";
  std::string text;
  if (computing.size() == 1) {
    text = voice.Say({"[Everything here|All of it|The whole module] comes down to [one|a single] "
                      "`{op}`.",
                      "There is [one|a single] operator to [replace|write]: `{op}`.",
                      "`forward` [amounts to|is nothing but|consists of] a single `{op}`.",
                      "The work is one call of `{op}`.",
                      "What [has|needs] to be [reproduced|computed] is `{op}`.",
                      "[Only one|One] operator does something to the data, `{op}`."},
                     {{"op", computing[0]}});
  } else if (!computing.empty()) {
    text = voice.Say(
        {"In order, `forward` [applies|runs|calls] {ops}.",
         "The module [chains|strings together|composes] {ops}.",
         "The operators that [do work|count|compute] are {ops}, first to last.",
         "[Reading|Following] `forward` from top to bottom gives {ops}.",
         "[Data|The data] [passes|goes] through {ops}.",
         "Stripped of bookkeeping, the module is {ops} [one after the other|in sequence].",
         "What [counts|matters] in `forward`: {ops}."},
        {{"ops", CodeList(computing)}});
  }
  std::size_t told = 0;
  std::vector<OperatorFamily> families;
  std::vector<std::string> clauses;
  for (const std::string& name : computing) {
    const OperatorRow* const row = OperatorCalled(name);
    if (row == nullptr || told == subject.detail || IsAmong(kSpecial, row->name)) continue;
    // One of a kind is enough.
    if (std::find(families.begin(), families.end(), row->family) != families.end()) continue;
    families.push_back(row->family);
    clauses.push_back(voice.Say(MeaningsOf(row->family), {{"op", name}}));
    ++told;
  }
  if (voice.OneIn(2)) {
    std::string joined;
    for (std::size_t i = 0; i < clauses.size(); ++i) joined += (i > 0 ? "; " : "") + clauses[i];
    if (!joined.empty()) text += " " + Capital(joined) + ".";
  } else {
    for (const std::string& clause : clauses) text += " " + Capital(clause) + ".";
  }
  if (!views.empty()) {
    text +=
        (text.empty() ? "" : " ") +
        voice.Say({"{views} only [change|affect] how elements are addressed.",
                   "No element moves in {views}; [these stay|this stays] with torch or [becomes|"
                   "turns into] index arithmetic.",
                   "[Beside that|Apart from that|Otherwise] there is {views}, which [costs|moves] "
                   "nothing.",
                   "Views ({views}) are free and may [remain|stay].",
                   "The rest, {views}, is a [matter|question] of strides."},
                  {{"views", CodeList(views)}});
  }
  if (!facts.parameters.empty()) {
    std::vector<std::string> names;
    for (const ParameterFacts& parameter : facts.parameters) names.push_back(parameter.name);
    text +=
        " " + voice.Say({"[Learned tensors|Weights|Parameters]: {names}.",
                         "The module [owns|holds|brings] {names}.",
                         "It reads [the parameters|its weights] {names}.",
                         "{names} come from the constructor, which [has to stay|stays] as it is.",
                         "Its [state|memory] is {names}, created in that order."},
                        {{"names", CodeList(names, subject.detail + 2)}});
  }
  return text;
}

}  // namespace kernelmill
