#include <algorithm>
#include <map>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// What the operators of a family do, as a predicate for one operator and one for several.
struct Meaning {
  std::string_view one, several;
};

const Meaning* MeaningOf(OperatorFamily family) {
  using enum OperatorFamily;
  constexpr Meaning kElement = {
      "is elementwise: each output element depends only on the input elements at its position",
      "are elementwise: each output element depends only on the input elements at its position"};
  static const std::map<OperatorFamily, Meaning> kMeanings = {
      {kActivation, kElement},
      {kElementwise, kElement},
      {kComparison, kElement},
      {kSelection, kElement},
      {kCast, kElement},
      {kReduction,
       {"combines all elements along the reduced dimensions into one",
        "combine all elements along the reduced dimensions into one"}},
      {kArgReduction,
       {"returns the position of an element along a dimension, so ties have to be broken as torch "
        "does",
        "return positions of elements along a dimension, so ties have to be broken as torch does"}},
      {kScan,
       {"is a scan: each output element depends on all elements before it along one dimension",
        "are scans: each output element depends on all elements before it along one dimension"}},
      {kSoftmax,
       {"normalises along a dimension, so each output element depends on its whole row",
        "normalise along a dimension, so each output element depends on its whole row"}},
      {kNorm,
       {"normalises with statistics over a group of elements, so the whole group has to be read "
        "before its first output element is known",
        "normalise with statistics over groups of elements, so a whole group has to be read before "
        "its first output element is known"}},
      {kMatmul,
       {"is a contraction: each output element is a sum of products along the shared dimension",
        "are contractions: each output element is a sum of products along the shared dimension"}},
      {kConvolution,
       {"sums, for each output element, the products of the weights and a window of the input over "
        "all channels of its group",
        "sum, for each output element, the products of the weights and a window of the input over "
        "all channels of its group"}},
      {kTransposedConvolution,
       {"sums, for each output element, the products of the weights with all input elements whose "
        "window covers it",
        "sum, for each output element, the products of the weights with all input elements whose "
        "window covers it"}},
      {kPooling,
       {"reduces each window of the input to one element",
        "reduce each window of the input to one element"}},
      {kPadding,
       {"copies the input and fills positions outside of it",
        "copy the input and fill positions outside of it"}},
      {kInterpolation,
       {"computes each output element from the input elements around its source position",
        "compute each output element from the input elements around its source position"}},
      {kEmbedding,
       {"reads the rows of a table that an index tensor names",
        "read the rows of a table that an index tensor names"}},
      {kGather,
       {"accesses elements at positions that an index tensor holds",
        "access elements at positions that an index tensor holds"}},
      {kLayout,
       {"moves elements to other positions and computes nothing",
        "move elements to other positions and compute nothing"}},
      {kCreation,
       {"fills a new tensor from the coordinates alone",
        "fill new tensors from the coordinates alone"}},
      {kAttention,
       {"computes scores of queries and keys, takes a softmax over the keys and sums the values "
        "with these weights",
        "compute scores of queries and keys, take a softmax over the keys and sum the values with "
        "these weights"}},
      {kRecurrent,
       {"computes its time steps one after the other, because each needs the state of the one "
        "before",
        "compute their time steps one after the other, because each needs the state of the one "
        "before"}},
      {kLoss,
       {"compares two tensors element by element and reduces the differences",
        "compare two tensors element by element and reduce the differences"}},
      {kSort, {"orders the elements along a dimension", "order the elements along a dimension"}},
      {kTriangular,
       {"keeps the elements on one side of a diagonal and sets the others to zero",
        "keep the elements on one side of a diagonal and set the others to zero"}},
  };
  const auto found = kMeanings.find(family);
  return found == kMeanings.end() ? nullptr : &found->second;
}

// A sentence about the operators that a predicate fits.
struct Statement {
  const Meaning* meaning;
  std::vector<std::string> names;
};

std::vector<Statement> StatementsAbout(const std::vector<std::string>& computing) {
  std::vector<Statement> statements;
  for (const std::string& name : computing) {
    const OperatorRow* const row = OperatorCalled(name);
    const Meaning* const meaning =
        row == nullptr || !row->words.like_family ? nullptr : MeaningOf(row->family);
    if (meaning == nullptr) continue;
    auto at = std::find_if(statements.begin(), statements.end(), [&](const Statement& statement) {
      return statement.meaning->one == meaning->one;
    });
    if (at == statements.end()) at = statements.insert(at, {meaning, {}});
    at->names.push_back(name);
  }
  return statements;
}

bool IsElementwise(const Statement& statement) {
  return statement.meaning->one == MeaningOf(OperatorFamily::kElementwise)->one;
}

std::string ParametersSentence(const ReasoningSubject& subject) {
  const ValueStyle style = subject.Style();
  constexpr std::size_t kMost = 6;
  std::vector<std::string> shapes;
  for (const ParameterFacts& parameter : subject.known.facts.parameters) {
    if (shapes.size() == kMost) break;
    shapes.push_back("`" + parameter.name + "` " + style.Shape(parameter.shape));
  }
  if (shapes.empty()) return "";
  const std::size_t all = subject.known.facts.parameters.size();
  return std::string(all == 1      ? "The parameter is "
                     : all > kMost ? "Among the parameters are "
                                   : "The parameters are ") +
         Listed(shapes) +
         (all == 1
              ? "; the constructor creates it as the reference does."
              : "; the constructor creates them in the order of the reference, so that the same "
                "seed gives the same values.");
}

}  // namespace

std::string SemanticsStep(const ReasoningSubject& subject) {
  const Annotation& facts = subject.known.facts;
  const std::vector<std::string> computing = ComputingOperators(facts);
  std::vector<std::string> views;
  for (const OperatorCall& call : facts.operators) {
    if (ComputesNothing(call.name) && !SometimesCopies(call.name) &&
        std::find(views.begin(), views.end(), call.name) == views.end()) {
      views.push_back(call.name);
    }
  }
  if (computing.empty()) return "";
  std::string text = computing.size() == 1
                         ? "`forward` computes one operator, `" + computing[0] + "`."
                         : "`forward` computes " + CodeList(computing) + ", in this order.";
  std::size_t told = 0;
  for (const Statement& statement : StatementsAbout(computing)) {
    if (told++ == subject.most_items) break;
    // What "elementwise" means is worth a word only beside operators that are not.
    if (statement.names.size() == computing.size() && IsElementwise(statement)) break;
    const bool one = statement.names.size() == 1;
    text += " " + (one && computing.size() == 1 ? "It" : CodeList(statement.names)) + " " +
            std::string(one ? statement.meaning->one : statement.meaning->several) + ".";
  }
  if (!views.empty()) {
    text += " " + CodeList(views) + (views.size() == 1 ? " changes" : " change") +
            " only how elements are indexed; no data moves.";
  }
  const std::string parameters = ParametersSentence(subject);
  return parameters.empty() ? text : text + " " + parameters;
}

}  // namespace kernelmill
