#include "generators/known_task/difficulty.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "generators/wording/operator_words.h"

namespace kernelmill {
namespace {

IndexClass ClassOfFamily(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kActivation:
    case OperatorFamily::kElementwise:
    case OperatorFamily::kComparison:
    case OperatorFamily::kSelection:
    case OperatorFamily::kCast:
    case OperatorFamily::kShape:
    case OperatorFamily::kCreation:
      return IndexClass::kElement;
    case OperatorFamily::kPadding:
    case OperatorFamily::kLayout:
    case OperatorFamily::kTriangular:
      return IndexClass::kRearranged;
    case OperatorFamily::kReduction:
    case OperatorFamily::kArgReduction:
    case OperatorFamily::kScan:
    case OperatorFamily::kSoftmax:
    case OperatorFamily::kNorm:
    case OperatorFamily::kLoss:
    case OperatorFamily::kSort:
      return IndexClass::kRows;
    default:
      return IndexClass::kWindows;
  }
}

double Part(double value) { return std::clamp(value, 0.0, 1.0); }

}  // namespace

IndexClass IndexClassOf(const Annotation& annotation) {
  IndexClass index = IndexClass::kElement;
  for (const OperatorCall& call : annotation.operators) {
    const OperatorRow* const row = OperatorCalled(call.name);
    if (row != nullptr) index = std::max(index, ClassOfFamily(row->family));
  }
  return index;
}

DifficultyFacts DifficultyFactsOf(const Task& task, const Annotation& annotation,
                                  const Candidate* answer) {
  DifficultyFacts facts;
  for (const OperatorCall& call : annotation.operators)
    facts.operators += !ComputesNothing(call.name);
  facts.index = IndexClassOf(annotation);
  std::set<std::string> dtypes;
  const auto add = [&](std::size_t rank, const std::string& dtype) {
    facts.rank = std::max(facts.rank, static_cast<std::int64_t>(rank));
    if (dtype != "float32") dtypes.insert(dtype);
  };
  for (const InputSpec& input : task.inputs) add(input.shape.size(), input.dtype);
  for (const TensorFacts& output : annotation.outputs) add(output.shape.size(), output.dtype);
  facts.dtypes = static_cast<std::int64_t>(dtypes.size());
  if (task.shape_contract == "any_shape") {
    // Assume one symbolic size where torch could not trace them.
    facts.open_sizes =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(annotation.symbolic.symbols.size()));
  }
  if (answer != nullptr) {
    for (const DesignedKernel& kernel : answer->kernels) {
      facts.fused = std::max(facts.fused, static_cast<std::int64_t>(kernel.operators.size()));
    }
  }
  return facts;
}

double DifficultyOf(const DifficultyFacts& facts, std::int64_t answer_tokens) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double tokens = std::max(number(answer_tokens), 1.0);
  const double sum =
      0.25 * Part(std::log2(1 + number(facts.operators)) / std::log2(65)) +
      0.15 * Part(number(facts.fused - 1) / 7) + 0.25 * static_cast<double>(facts.index) / 3 +
      0.05 * Part(number(facts.rank) / 5) + 0.05 * Part(number(facts.dtypes) / 2) +
      0.10 * Part(number(facts.open_sizes) / 3) + 0.15 * Part(std::log2(tokens / 128) / 8);
  return std::round(sum * 1000) / 1000;
}

}  // namespace kernelmill
