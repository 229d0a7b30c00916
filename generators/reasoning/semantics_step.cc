#include <algorithm>
#include <iterator>
#include <map>

#include "generators/operator_words.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

using Variants = std::vector<std::string_view>;

// What operators of a family do, {op} being their name: whole clauses that begin with it.
const Variants& MeaningsOf(OperatorFamily family) {
  using enum OperatorFamily;
  static const std::map<OperatorFamily, Variants> kMeanings = {
      {kActivation,
       {"`{op}` bends every element on its own", "`{op}` is a function of one element",
        "`{op}` looks at one element and at nothing beside it",
        "`{op}` acts pointwise, so it has no opinion on layout"}},
      {kElementwise,
       {"`{op}` works element by element", "`{op}` pairs up elements at equal coordinates",
        "`{op}` needs one element of each operand for one of the result",
        "`{op}` is arithmetic at a single position"}},
      {kComparison,
       {"`{op}` asks a yes-or-no question of each position",
        "`{op}` turns elements into answers of one bit", "`{op}` compares position by position"}},
      {kSelection,
       {"`{op}` decides for each position which value stays",
        "`{op}` picks between values without mixing positions",
        "`{op}` replaces some elements and keeps the rest where they are"}},
      {kCast,
       {"`{op}` changes the type and not the value's place",
        "`{op}` is a conversion of each element"}},
      {kReduction,
       {"`{op}` folds many elements into one", "`{op}` collapses what it runs over",
        "for one result of `{op}` a whole run of elements has to be visited",
        "`{op}` accumulates, so its result is known only after the last element"}},
      {kArgReduction,
       {"`{op}` reports where along a dimension the winner sits",
        "`{op}` reduces to a position, not to a value, so ties matter"}},
      {kScan,
       {"`{op}` carries a running result along one dimension",
        "every result of `{op}` depends on all elements in front of it"}},
      {kSoftmax,
       {"`{op}` normalises along a dimension, so each result needs its whole row",
        "`{op}` couples the elements of a row through their exponentials",
        "no element of `{op}` is known before its row has been summed"}},
      {kNorm,
       {"`{op}` rescales elements by statistics that a group of them shares",
        "`{op}` is a statistic first and pointwise arithmetic after that",
        "`{op}` needs numbers about a whole group before it can touch one element"}},
      {kMatmul,
       {"`{op}` is a sum of products for each element of its result",
        "each result of `{op}` runs along a shared dimension and adds up products",
        "`{op}` contracts a dimension that its operands share"}},
      {kConvolution,
       {"`{op}` slides weights over the input and sums the products in each window",
        "one result of `{op}` gathers a window over all channels of its group",
        "`{op}` is a contraction whose operand is a moving window"}},
      {kTransposedConvolution,
       {"`{op}` spreads the input through the weights; read from the result it is a gather",
        "an element of `{op}` collects those inputs whose window covers it"}},
      {kPooling,
       {"`{op}` summarises a window of the input", "`{op}` replaces each window by one number",
        "`{op}` visits a small neighbourhood for every result"}},
      {kPadding,
       {"`{op}` surrounds the data with more elements",
        "`{op}` shifts coordinates and answers for those outside"}},
      {kInterpolation,
       {"`{op}` maps a position of the result back to one in the input",
        "`{op}` samples the input at coordinates that are worked out for each result"}},
      {kEmbedding,
       {"`{op}` looks rows up in a table by integers that come as data",
        "the addresses that `{op}` reads depend on the contents of a tensor"}},
      {kGather,
       {"`{op}` lets data decide which elements are touched",
        "`{op}` follows indices that are only known at run time"}},
      {kLayout,
       {"`{op}` puts the same elements in other places", "`{op}` computes nothing and moves a lot",
        "`{op}` is a question of coordinates alone"}},
      {kCreation, {"`{op}` makes elements out of nothing but their coordinates"}},
      {kAttention,
       {"`{op}` scores queries against keys, normalises the scores and mixes values by them",
        "`{op}` chains two contractions with a softmax between them"}},
      {kRecurrent,
       {"`{op}` feeds each step's result into the next one",
        "the steps of `{op}` cannot overtake each other"}},
      {kLoss, {"`{op}` measures how far two tensors are apart", "`{op}` condenses a comparison"}},
      {kSort,
       {"`{op}` orders elements along a dimension", "`{op}` has to compare elements of a row"}},
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
    text = voice.Say({"Everything here comes down to `{op}`.",
                      "There is one operator to replace: "
                      "`{op}`.",
                      "`forward` amounts to a single `{op}`.", "The work is one call of `{op}`.",
                      "What has to be reproduced is `{op}`.",
                      "One operator does something to the data, `{op}`."},
                     {{"op", computing[0]}});
  } else if (!computing.empty()) {
    text = voice.Say(
        {"In order, `forward` applies {ops}.", "The module chains {ops}.",
         "The operators that do work are {ops}, first to last.",
         "Reading `forward` from top to bottom gives {ops}.", "Data passes through {ops}.",
         "Stripped of bookkeeping, the module is {ops} one after the other.",
         "What counts in `forward`: {ops}."},
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
    text += (text.empty() ? "" : " ") +
            voice.Say({"{views} only change how elements are addressed.",
                       "No element moves in {views}; these stay with torch or become index "
                       "arithmetic.",
                       "Beside that there is {views}, which costs nothing.",
                       "Views ({views}) are free and may remain.",
                       "The rest, {views}, is a matter of strides."},
                      {{"views", CodeList(views)}});
  }
  if (!facts.parameters.empty()) {
    std::vector<std::string> names;
    for (const ParameterFacts& parameter : facts.parameters) names.push_back(parameter.name);
    text += " " + voice.Say({"Learned tensors: {names}.", "The module owns {names}.",
                             "It reads the parameters {names}.",
                             "{names} come from the constructor, which has to stay as it is.",
                             "Its state is {names}, created in that order."},
                            {{"names", CodeList(names, subject.detail + 2)}});
  }
  return text;
}

}  // namespace kernelmill
