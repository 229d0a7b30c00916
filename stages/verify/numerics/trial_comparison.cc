#include "stages/verify/numerics/trial_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "manifests/split_mix.h"
#include "stages/verify/numerics/comparison.h"
#include "stages/verify/numerics/error_pattern.h"

namespace kernelmill {
namespace {

constexpr std::size_t kShownElements = 4;
constexpr std::size_t kMaxParameterFindings = 4;
// If only a part of a tensor is compared: all elements, those at both ends, those that differ most,
// and those of a run.
constexpr std::int64_t kMostCompared = 1 << 22, kEndsCompared = 1 << 16, kRunCompared = 32;
constexpr std::int64_t kFarthestCompared = 1 << 16;

std::string TextOf(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

TrialFault CountFault(std::size_t expected, std::size_t got) {
  return {"output_count",
          "it returns " + std::to_string(got) + " tensors instead of " + std::to_string(expected),
          std::nullopt};
}
TrialFault ShapeFault(const std::vector<std::int64_t>& expected,
                      const std::vector<std::int64_t>& got) {
  return {"shape", "the output has shape " + TextOf(got) + " instead of " + TextOf(expected),
          std::nullopt};
}
TrialFault DtypeFault(const std::string& expected, const std::string& got) {
  return {"dtype", "the output is " + got + " instead of " + expected, std::nullopt};
}

VerdictDiagnosis Diagnose(std::size_t output, const TensorValues& expected, const TensorValues& got,
                          const std::vector<std::int64_t>& wrong) {
  VerdictDiagnosis diagnosis;
  diagnosis.output = static_cast<std::int64_t>(output);
  diagnosis.shape = expected.shape();
  diagnosis.wrong = static_cast<std::int64_t>(wrong.size());
  diagnosis.total = expected.size();
  const SeenPattern seen = FindErrorPattern(expected, got, wrong);
  diagnosis.pattern = seen.name;
  diagnosis.where = seen.where;
  diagnosis.elements = FirstElements(expected, got, wrong);
  return diagnosis;
}

// The tensors among a trial's inputs, in order, including those in lists, tuples and dicts.
std::vector<const Json*> InputSpecs(const Json& encoded) {
  std::vector<const Json*> specs, stack = {&encoded};
  while (!stack.empty()) {
    const Json& item = *stack.back();
    stack.pop_back();
    if (!item.is_object()) continue;
    for (std::string_view kind : {"tensor", "parameter"}) {
      if (const Json* spec = item.Find(kind)) specs.push_back(spec);
    }
    const std::size_t first = stack.size();
    for (std::string_view kind : {"list", "tuple"}) {
      const Json* items = item.Find(kind);
      if (items == nullptr) continue;
      for (const Json& one : items->as_array()) stack.push_back(&one);
    }
    if (const Json* pairs = item.Find("dict")) {
      for (const Json& pair : pairs->as_array()) stack.push_back(&pair.as_array()[1]);
    }
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  }
  return specs;
}

std::vector<std::int64_t> ElementsOf(const std::set<std::int64_t>& runs, std::int64_t size) {
  std::vector<std::int64_t> elements;
  for (const std::int64_t run : runs) {
    for (std::int64_t i = 0; i < kRunCompared; ++i) elements.push_back(run * kRunCompared + i);
  }
  for (std::int64_t i = size / kRunCompared * kRunCompared; i < size; ++i) elements.push_back(i);
  return elements;
}

// The runs with the elements that differ most from the expected ones, in proportion to these and to
// the root mean square of `sample`: one element of all may be wrong where launches meet.
std::vector<std::int64_t> FarthestRuns(const TensorValues& want, const TensorValues& got,
                                       const std::vector<std::int64_t>& sample) {
  double squares = 0.0;
  for (const std::int64_t i : sample) {
    if (const double value = want.At(i); std::isfinite(value)) squares += value * value;
  }
  const double scale = std::sqrt(squares / static_cast<double>(sample.size()));
  std::vector<std::pair<double, std::int64_t>> found;
  for (std::int64_t run = 0; run < want.size() / kRunCompared; ++run) {
    double farthest = 0.0;
    for (std::int64_t i = run * kRunCompared; i < (run + 1) * kRunCompared; ++i) {
      const double one = want.At(i), other = got.At(i), distance = std::abs(other - one);
      if (one == other || (std::isnan(one) && std::isnan(other))) continue;
      farthest = std::max(farthest,
                          std::isfinite(distance) ? distance / (scale + std::abs(one)) : HUGE_VAL);
    }
    if (farthest > 0.0) found.emplace_back(farthest, run);
  }
  const auto most = std::min(std::ssize(found), kFarthestCompared / kRunCompared);
  std::partial_sort(found.begin(), found.begin() + most, found.end(), std::greater<>());
  std::vector<std::int64_t> runs;
  for (auto it = found.begin(); it != found.begin() + most; ++it) runs.push_back(it->second);
  return runs;
}

// Short runs of elements, ascending: the first and last of a tensor with so many, those that differ
// most, and others spread at random, because a kernel may be wrong at the ends of rows alone. A
// candidate does not know the seed.
std::vector<std::int64_t> PartOf(const TensorValues& want, const TensorValues& got,
                                 std::int64_t seed) {
  const std::int64_t size = want.size();
  std::set<std::int64_t> runs;
  for (std::int64_t run = 0; run < kEndsCompared / kRunCompared; ++run) {
    runs.insert(run);
    runs.insert(size / kRunCompared - 1 - run);
  }
  auto state = static_cast<std::uint64_t>(seed);
  while (std::ssize(runs) < kMostCompared / kRunCompared) {
    runs.insert(static_cast<std::int64_t>(NextMixedBits(&state) %
                                          static_cast<std::uint64_t>(size / kRunCompared)));
  }
  if (want.shape() == got.shape() && want.dtype() == got.dtype()) {
    for (const std::int64_t run : FarthestRuns(want, got, ElementsOf(runs, size))) runs.insert(run);
  }
  return ElementsOf(runs, size);
}

bool WroteInputs(const ReferenceRun& reference, const CandidateTrial& trial) {
  const std::vector<const Json*> specs =
      InputSpecs(reference.trials[trial.asked.trial_index].inputs);
  if (specs.size() != trial.inputs.size()) return true;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Result<TensorValues> given = TensorValues::FromSpec(*specs[i], reference.inputs.bytes());
    if (!given.ok() || given->shape() != trial.inputs[i].shape() ||
        given->bytes() != trial.inputs[i].bytes()) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<TrialFault> CompareTrial(const VerifyPolicy& policy, const ReferenceRun& reference,
                                       const CandidateTrial& trial, bool in_part) {
  const ReferenceTrial& expected = reference.trials[trial.asked.trial_index];
  if (trial.outputs.size() != expected.outputs.size()) {
    return CountFault(expected.outputs.size(), trial.outputs.size());
  }
  for (std::size_t i = 0; i < trial.outputs.size(); ++i) {
    const TensorValues &want = expected.outputs[i], &got = trial.outputs[i];
    std::vector<std::int64_t> part;
    if (in_part && want.size() > kMostCompared) part = PartOf(want, got, expected.seed);
    const OutputComparison compared = CompareOutputs(expected.Output(i), got, policy.tolerance,
                                                     part.empty() ? nullptr : &part);
    switch (compared.fault) {
      case OutputFault::kNone:
        break;
      case OutputFault::kShape:
        return ShapeFault(want.shape(), got.shape());
      case OutputFault::kDtype:
        return DtypeFault(want.dtype(), got.dtype());
      case OutputFault::kValues:
        return TrialFault{"values", "", Diagnose(i, want, got, compared.wrong)};
    }
  }
  if (policy.has_rules && (in_part ? trial.wrote_inputs : WroteInputs(reference, trial))) {
    return TrialFault{"writes_inputs", "an input has other values after forward() than before",
                      std::nullopt};
  }
  return std::nullopt;
}

std::optional<TrialFault> CompareShapes(const std::vector<TensorShape>& expected,
                                        const std::vector<TensorShape>& got) {
  if (got.size() != expected.size()) return CountFault(expected.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape != expected[i].shape) return ShapeFault(expected[i].shape, got[i].shape);
    if (got[i].dtype != expected[i].dtype) return DtypeFault(expected[i].dtype, got[i].dtype);
  }
  return std::nullopt;
}

std::vector<VerdictElement> FirstElements(const TensorValues& expected, const TensorValues& got,
                                          const std::vector<std::int64_t>& wrong) {
  std::vector<VerdictElement> elements;
  for (std::size_t i = 0; i < std::min(wrong.size(), kShownElements); ++i) {
    elements.push_back(
        {expected.IndexOf(wrong[i]), WriteValue(expected, wrong[i]), WriteValue(got, wrong[i])});
  }
  return elements;
}

bool IsConstant(const ReferenceTrial& trial) {
  for (const TensorValues& output : trial.outputs) {
    for (std::int64_t i = 1; i < output.size(); ++i) {
      if (output.At(i) != output.At(0)) return false;
    }
  }
  return true;
}

std::vector<VerdictFinding> CompareParameters(const Json& expected, const Json& got) {
  const auto text = [](const Json& parameter, std::string_view key) {
    const Json* value = parameter.Find(key);
    return value == nullptr     ? std::string()
           : value->is_string() ? value->as_string()
                                : value->Dump();
  };
  std::vector<VerdictFinding> findings;
  if (!expected.is_array() || !got.is_array()) return findings;
  std::multiset<std::string> created;
  for (const Json& parameter : got.as_array()) created.insert(text(parameter, "sha256"));
  for (const Json& parameter : expected.as_array()) {
    const auto found = created.find(text(parameter, "sha256"));
    if (found != created.end()) {
      created.erase(found);
      continue;
    }
    findings.push_back({"parameter_differs", "candidate.py", 0,
                        "no parameter of it has the values of the reference's " +
                            text(parameter, "name") + " " + text(parameter, "shape") +
                            ": parameters have to be created in the same order and way"});
    if (findings.size() == kMaxParameterFindings) break;
  }
  return findings;
}

}  // namespace kernelmill
