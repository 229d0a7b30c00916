#include "stages/admit/value_repairs.h"

#include <algorithm>
#include <iterator>

#include "stages/admit/argument_edits.h"

namespace kernelmill {
namespace {

using Proposals = std::vector<ArgumentSet>;

enum class Wanted { kNothing, kIndex, kInteger, kTruth, kReal };

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The values that an error message asks for.
Wanted WantedBy(std::string_view message) {
  static constexpr std::pair<const char*, Wanted> kPhrases[] = {
      {"argument #1 'indices' to have", Wanted::kIndex},
      {"tensors used as indices must be", Wanted::kIndex},
      {"gather(): Expected dtype int", Wanted::kIndex},
      {"Expected dtype int32/int64 for index", Wanted::kIndex},
      {"Expected dtype int64 for index", Wanted::kIndex},
      {"one_hot is only applicable to index", Wanted::kIndex},
      {"expected scalar type Long but found", Wanted::kIndex},
      {"IntTensor or LongTensor", Wanted::kIndex},
      {"only integer tensors of a single element", Wanted::kInteger},
      {"masked_fill only supports boolean", Wanted::kTruth},
      {"condition to be a boolean", Wanted::kTruth},
      {"expected to be a bool", Wanted::kTruth},
      {"expected predicate to be bool", Wanted::kTruth},
      {"Boolean-type", Wanted::kTruth},
      {"must be boolean", Wanted::kTruth},
      {"boolean mask", Wanted::kTruth},
      {"expected BoolTensor", Wanted::kTruth},
      {"bool or float", Wanted::kTruth},
      {"not implemented for 'Float'", Wanted::kTruth},
      {"not implemented for 'Long'", Wanted::kReal},
      {"not implemented for 'Int'", Wanted::kReal},
      {"not implemented for 'Bool'", Wanted::kReal},
      {"must have the same dtype", Wanted::kReal},
      {"have the same dtype, but got", Wanted::kReal},
      {"expected scalar type Float but found", Wanted::kReal},
      {"floating point", Wanted::kReal},
      {"with two bool tensors", Wanted::kReal},
      {"with a bool tensor", Wanted::kReal},
  };
  for (const auto& [phrase, wanted] : kPhrases) {
    if (Contains(message, phrase)) return wanted;
  }
  return Wanted::kNothing;
}

const char* DtypeOf(Wanted wanted) {
  switch (wanted) {
    case Wanted::kTruth:
      return "bool";
    case Wanted::kReal:
      return "float32";
    default:
      return "int64";
  }
}

// The bound of an index: the number of entries of the layer, or else the smallest dimension.
std::int64_t IndexBound(const ArgumentSet& arguments, const Fault& fault) {
  if (fault.layer) {
    if (const auto rows = fault.layer->Size("num_embeddings"); rows && *rows > 0) return *rows;
  }
  for (const InitArgument& argument : arguments.init) {
    for (const char* word : {"num_tokens", "vocab", "num_embed", "num_classes", "n_classes"}) {
      const auto value = IntegerOf(argument);
      if (Contains(argument.name, word) && value && *value > 0) return *value;
    }
  }
  std::int64_t least = 1 << 10;
  for (const InputGuess& input : arguments.inputs) {
    for (std::int64_t size : input.spec.shape) {
      if (size > 1) least = std::min(least, size);
    }
  }
  return least;
}

// The inputs, those that the failing statement mentions first.
std::vector<std::size_t> ByMention(const ArgumentSet& arguments, const Fault& fault) {
  std::vector<std::size_t> order;
  for (const LiveTensor& tensor : fault.locals) {
    for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
      if (arguments.inputs[i].spec.name == tensor.name) order.push_back(i);
    }
  }
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  return order;
}

// Removes the dimension of features, which the ids of an embedding do not have.
ArgumentSet WithoutFeatures(ArgumentSet arguments, std::size_t input) {
  InputGuess& guess = arguments.inputs[input];
  if (guess.spec.shape.size() != 3) return arguments;
  guess.spec.shape.pop_back();
  guess.sizes.pop_back();
  guess.rank = Evidence::kRepair;
  return arguments;
}

Proposals SmallerIndices(const ArgumentSet& arguments, const Fault& fault) {
  const std::int64_t bound = IndexBound(arguments, fault);
  Proposals proposals;
  for (std::size_t i : ByMention(arguments, fault)) {
    const InputSpec& spec = arguments.inputs[i].spec;
    if (spec.draw != "randint") continue;
    const std::int64_t high = bound < spec.high ? bound : std::max<std::int64_t>(2, spec.high / 8);
    proposals.push_back(WithDtype(arguments, i, spec.dtype, high));
  }
  return proposals;
}

}  // namespace

Proposals ValueRepairs(const ArgumentSet& arguments, const Fault& fault) {
  const std::string_view message = fault.message;
  if (Contains(message, "index out of range") || Contains(message, "out of bounds") ||
      Contains(message, "Class values must be smaller")) {
    return SmallerIndices(arguments, fault);
  }
  if (Contains(message, "negative entr") || Contains(message, "domain error") ||
      Contains(message, "all elements of input should be between 0 and 1")) {
    return DomainRepairs(arguments);
  }
  const Wanted wanted = WantedBy(message);
  if (wanted == Wanted::kNothing) return {};
  Proposals proposals;
  for (std::size_t i : ByMention(arguments, fault)) {
    if (arguments.inputs[i].spec.dtype == DtypeOf(wanted)) continue;
    ArgumentSet changed = WithDtype(arguments, i, DtypeOf(wanted), IndexBound(arguments, fault));
    if (wanted == Wanted::kIndex && Contains(message, "'indices'")) {
      ArgumentSet flat = WithoutFeatures(changed, i);
      if (flat != changed) proposals.push_back(std::move(flat));
    }
    proposals.push_back(std::move(changed));
  }
  return proposals;
}

Proposals DomainRepairs(const ArgumentSet& arguments) {
  ArgumentSet changed = arguments;
  for (InputGuess& input : changed.inputs) {
    if (input.spec.draw == "randn") input.spec.draw = "rand";
  }
  return {std::move(changed)};
}

}  // namespace kernelmill
