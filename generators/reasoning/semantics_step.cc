#include <algorithm>
#include <iterator>
#include <map>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

using Variants = SentenceVariants;

// Variants of a clause about what an operator of the family does; {op} is its name.
const Variants& MeaningsOf(OperatorFamily family) {
  using enum OperatorFamily;
  static const std::map<OperatorFamily, Variants> kMeanings = {
      {kActivation,
       {"`{op}` [bends|transforms|maps|changes] [every|each] element [on its own|by itself|alone]",
        "`{op}` [needs|reads|takes] [one|a single] value [and gives one|for one result|at a time]",
        "`{op}` is [pointwise|elementwise|applied to one element after another]",
        "`{op}` is a function of [one|a single] element",
        "`{op}` looks at one element and at [nothing beside it|no other]",
        "`{op}` acts [pointwise|element by element], [so it has no opinion on layout|wherever the "
        "element lies]"}},
      {kElementwise,
       {"`{op}` works [element by element|position by position|on one position at a time]",
        "`{op}` is [elementwise|pointwise|done place by place]",
        "`{op}` [leaves|keeps] every element [in|at] its place",
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
       {"`{op}` [folds|condenses|brings] [many|several] elements [into one|to one value]",
        "`{op}` [runs|goes] over [a dimension|elements] and [keeps|leaves] one value",
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
        "`{op}` [couples|ties together] the elements of a row through [their |]exponentials",
        "no element of `{op}` is [known|final] before its row has been summed"}},
      {kNorm,
       {"`{op}` rescales elements by statistics that [a group of them shares|belong to a group]",
        "`{op}` is [a statistic first|first a statistic] and pointwise arithmetic [after "
        "that|then]",
        "`{op}` needs numbers about a whole group before it can [touch|finish] one element"}},
      {kMatmul,
       {"`{op}` is a sum of products for [each|every] element of its result",
        "`{op}` [multiplies|pairs] rows [with|and] columns and [adds up|sums]",
        "[each|every] result of `{op}` runs along a shared dimension and adds up products",
        "`{op}` contracts a dimension that its operands [share|have in common]"}},
      {kConvolution,
       {"`{op}` [slides|moves] weights over the input and sums the products in each window",
        "`{op}` [multiplies|weighs] a window[ for every result|] and adds up",
        "one result of `{op}` [gathers|takes in] a window over all channels of its group",
        "`{op}` is a contraction whose operand is a [moving|sliding] window"}},
      {kTransposedConvolution,
       {"`{op}` spreads the input through the weights; [read|seen] from the result it is a gather",
        "an element of `{op}` collects [those|the] inputs whose window [covers|reaches] it"}},
      {kPooling,
       {"`{op}` summarises [a window|windows] of the input",
        "`{op}` [goes|moves] over [small |]windows, one value [each|a window]",
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
        "`{op}` [copies|moves] elements[ and changes none|, no value changes|]",
        "`{op}` computes nothing and moves [a lot|everything]",
        "`{op}` is a [question|matter] of coordinates alone"}},
      {kCreation, {"`{op}` makes elements out of [nothing but |]their coordinates"}},
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

// A phrase about the operator's result that continues a clause about the operator; often "".
std::string ResultPhrase(const Annotation& facts, const std::string& name, SentenceWriter* writer) {
  const auto call =
      std::find_if(facts.operators.begin(), facts.operators.end(),
                   [&](const OperatorCall& item) { return item.name == name; });
  if (call == facts.operators.end() || call->outputs.empty() || writer->OneIn(3)) return "";
  const TensorFacts& output = call->outputs[0];
  const ValueStyle style(writer->wording());
  return writer->Say({"; {shape} [comes out|follows|is what it leaves|is what comes of it]",
                      " (→ {shape}[ {dtype}|])", "; [its result is|out comes|that makes] {shape}",
                      "; {elements} [results|values|elements] [in all|of {dtype}|come out]",
                      "; it [leaves|makes|returns|hands on] {shape}[, {dtype}|]"},
                     {{"shape", style.Shape(output.shape)},
                      {"dtype", output.dtype},
                      {"elements", style.Count(ElementsIn(output.shape))}});
}

// A sentence on the operators that forward() calls.
std::string Overview(const Annotation& facts, const std::vector<std::string>& computing,
                     SentenceWriter* writer) {
  const bool one = computing.size() == 1;
  const TensorFacts* const output = facts.outputs.empty() ? nullptr : &facts.outputs[0];
  const ValueStyle style(writer->wording());
  const SentenceValues values = {
      {"ops", CodeList(computing)},
      {"op", computing[0]},
      {"last", computing.back()},
      {"shape", output == nullptr ? "" : style.Shape(output->shape)},
      {"elements", output == nullptr ? "" : style.Count(ElementsIn(output->shape))}};
  if (one) {
    return writer->Say(
        {"[Everything|All|The whole of it|What there is to do|The work] [here |in this module |in "
         "`forward` |]comes down to [one|a single|just one] [operator|call|operation][:|,] "
         "`{op}`.",
         "[There is|It has|I see|We have] [one|a single|just one|only one] "
         "[operator|operation|call]"
         " [to [replace|write|do natively]|that computes][: |, ]`{op}`.",
         "`forward` [amounts to|is nothing but|is no more than|consists of|boils down to|wraps|"
         "runs] [a single |one |one call of |]`{op}`.",
         "`{op}` is [all|everything] [that |]`forward` [does|computes|asks for|contains].",
         "`{op}`[ with {elements} results|, {shape} at its end,|, once,|] is the [whole "
         "[job|task|module|program]|[work|task] [here|to do]].",
         "What [has|needs] to be [reproduced|computed|rewritten|moved into a kernel] is `{op}`[ "
         "alone| and nothing else|, with the result {shape}|].",
         "[A|The] [module|class] [around|about|for] [one|a single] `{op}`[, nothing more|; it "
         "returns {shape}|; {elements} elements come out|].",
         "[One|A single|Only one] operator [does something to|touches|changes|works on] the data"
         "[: |, |; it is ]`{op}`.",
         "[Replace|Rewrite|Rebuild|Take over] `{op}`[: that is [all|it]|; [nothing else|no more] "
         "is "
         "computed|, and `Model` is done|]."},
        values);
  }
  return writer->Say(
      {"[In order|First to last|One after the other|From top to bottom], `forward` "
       "[applies|runs|calls|goes through|does] {ops}.",
       "The module [chains|strings together|composes|is a chain of|is built from|runs through] "
       "{ops}[, {shape} at the end|].",
       "[What [counts|matters|computes]|The arithmetic|The work|The substance] [in `forward` |of "
       "it |]is {ops}[, in this order|].",
       "[Reading|Following|Walking through] `forward` [from top to bottom |line by line |]gives "
       "{ops}.",
       "[Data|The data|What comes in] [passes|goes|flows|runs] through {ops}[ and leaves as "
       "{shape}|].",
       "[Stripped of|Without|Leaving out] bookkeeping[, the module is|, what remains is|:] {ops}"
       "[ one after the other| in sequence|].",
       "{ops}: [that is|these make|so runs] [the module|`forward`|`Model`][ from front to back|].",
       "[It begins with|First comes] `{op}` and [ends with|last] `{last}`; [the whole chain is|in "
       "full|all of it]: {ops}.",
       "{elements} [elements|results] [come out of|are what is left after] {ops}."},
      values);
}

std::string ViewsSentence(const std::vector<std::string>& views, SentenceWriter* writer) {
  return writer->Say(
      {"[Only|Nothing but|No more than] [addressing|numbering|the way to an element] [changes|is "
       "different] in {views}.",
       "No element moves in {views}[; [these stay|this stays] with torch|, so that is left to "
       "torch|, which is index arithmetic|].",
       "[Beside that|Apart from that|Otherwise|In addition] there is {views}[, which [costs|moves] "
       "nothing|: free|, a matter of strides|].",
       "[Left to|To stay with|A matter for|Handled by] torch: {views}.",
       "[The rest|What else there is], {views}, is [a [matter|question] of strides|addressing|"
       "bookkeeping|no work for a kernel]."},
      {{"views", CodeList(views)}});
}

std::string ParametersSentence(const ReasoningSubject& subject, SentenceWriter* writer) {
  const std::vector<ParameterFacts>& parameters = subject.known.facts.parameters;
  const ValueStyle style = subject.Style();
  std::vector<std::string> names, shapes;
  for (const ParameterFacts& parameter : parameters) {
    names.push_back(parameter.name);
    shapes.push_back("`" + parameter.name + "` " + style.Shape(parameter.shape));
  }
  const std::size_t most = subject.most_items + 2;
  if (shapes.size() > most) shapes.resize(most);
  const ParameterFacts& drawn = parameters[writer->Index(parameters.size())];
  return writer->Say(
      {"[Learned tensors|Weights|Parameters|State|From the constructor]: {names}.",
       "The module [owns|holds|brings|has|keeps] {shapes}.",
       "It reads [the parameters|its weights|what it has learnt][:| from] {names}.",
       "[The constructor|`__init__`] [creates|makes|gives] {names}[ and [has to stay|stays] as it "
       "is|, in that order|].",
       "Its [state|memory|weights]: {shapes}.",
       "`{one}` [has|holds|counts|is] {elements} elements[ of {dtype}|][, {shape}|]; [it is|so are "
       "all parameters] [passed to the kernel|handed over|an argument]."},
      {{"names", CodeList(names, most)},
       {"shapes", Listed(shapes)},
       {"one", drawn.name},
       {"dtype", drawn.dtype},
       {"shape", style.Shape(drawn.shape)},
       {"elements", style.Count(ElementsIn(drawn.shape))}});
}

}  // namespace

std::string SemanticsStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "semantics");
  const Annotation& facts = subject.known.facts;
  const std::vector<std::string> computing = ComputingOperators(facts);
  std::vector<std::string> views;
  for (const OperatorCall& call : facts.operators) {
    if (ComputesNothing(call.name) && !SometimesCopies(call.name) &&
        std::find(views.begin(), views.end(), call.name) == views.end()) {
      views.push_back(call.name);
    }
  }
  if (computing.empty() && views.empty()) return "";
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  const bool joined = writer.OneIn(3);  // Whether all clauses form one sentence.
  std::size_t told = 0;
  std::vector<OperatorFamily> families;
  std::vector<std::string> clauses;
  for (const std::string& name : computing) {
    const OperatorRow* const row = OperatorCalled(name);
    if (row == nullptr || told == subject.most_items || !row->words.like_family) continue;
    // One operator of a family is enough.
    if (std::find(families.begin(), families.end(), row->family) != families.end()) continue;
    families.push_back(row->family);
    const std::string clause = writer.Say(MeaningsOf(row->family), {{"op", name}});
    clauses.push_back(joined ? clause : clause + ResultPhrase(facts, name, &writer));
    ++told;
  }
  // With a single operator the clause about it can replace the overview.
  const bool overview =
      !computing.empty() && (computing.size() > 1 || clauses.empty() || writer.Index(3) > 0);
  if (overview) add(Overview(facts, computing, &writer));
  if (overview && computing.size() == 1 && writer.OneIn(2)) clauses.clear();
  if (joined) {
    std::string sentence;
    for (std::size_t i = 0; i < clauses.size(); ++i) sentence += (i > 0 ? "; " : "") + clauses[i];
    if (!sentence.empty()) add(sentence + ".");
  } else {
    writer.Shuffle(&clauses);
    for (const std::string& clause : clauses) add(clause + ".");
  }
  if (!views.empty()) add(ViewsSentence(views, &writer));
  if (!facts.parameters.empty() && (views.empty() || writer.OneIn(2))) {
    add(ParametersSentence(subject, &writer));
  }
  return text;
}

}  // namespace kernelmill
