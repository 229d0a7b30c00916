#include "stages/admit/repair.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "stages/admit/argument_edits.h"
#include "stages/admit/call_repairs.h"
#include "stages/admit/mismatch.h"
#include "stages/admit/shape_repairs.h"
#include "stages/admit/value_repairs.h"

namespace kernelmill {
namespace {

using Proposals = std::vector<ArgumentSet>;

constexpr std::int64_t kMostSize = 1 << 16;
constexpr std::int64_t kMostElements = 1 << 24;

void Append(Proposals more, Proposals* proposals) {
  std::move(more.begin(), more.end(), std::back_inserter(*proposals));
}

bool IsSize(std::int64_t size) { return size > 0 && size <= kMostElements; }

bool IsSensible(const ArgumentSet& arguments) {
  for (const InputGuess& input : arguments.inputs) {
    std::int64_t elements = 1;
    for (std::int64_t size : input.spec.shape) {
      if (size < 1 || size > kMostSize) return false;
      elements *= size;
      if (elements > kMostElements) return false;
    }
  }
  for (const InitArgument& argument : arguments.init) {
    if (argument.evidence == Evidence::kRepair && IntegerOf(argument).value_or(1) > kMostSize) {
      return false;
    }
  }
  return true;
}

bool HasCube(const ArgumentSet& arguments) {
  return std::any_of(arguments.inputs.begin(), arguments.inputs.end(), [](const InputGuess& input) {
    const std::vector<std::int64_t>& shape = input.spec.shape;
    return shape.size() > 1 && std::equal(shape.begin() + 1, shape.end(), shape.begin());
  });
}

bool IsTooSmall(const Fault& fault) {
  for (const char* phrase : {"can't be greater than actual input size", "Output size is too small",
                             "size is too small", "Padding size should be less than",
                             "should be at least", "input image is smaller than kernel"}) {
    if (fault.message.find(phrase) != std::string::npos) return true;
  }
  return false;
}

Proposals RepairsOfFault(const ModuleSignature& signature, const ArgumentSet& arguments,
                         const Fault& fault) {
  Proposals proposals;
  Append(CallRepairs(signature, arguments, fault), &proposals);
  Append(ValueRepairs(arguments, fault), &proposals);
  if (const auto rank = FindRankMismatch(fault)) {
    Append(RankRepairs(arguments, *rank, fault), &proposals);
  }
  if (IsTooSmall(fault)) Append(LargerRepairs(arguments), &proposals);
  std::vector<Indivisible> indivisible = FindIndivisible(fault);
  std::erase_if(indivisible,
                [](const Indivisible& i) { return !IsSize(i.size) || !IsSize(i.divisor); });
  if (!indivisible.empty()) Append(DivisibilityRepairs(arguments, indivisible), &proposals);
  for (const SizeMismatch& mismatch : FindSizeMismatches(fault)) {
    if (!IsSize(mismatch.expected) || !IsSize(mismatch.got)) continue;
    Append(SizeRepairs(arguments, mismatch, fault), &proposals);
  }
  return proposals;
}

}  // namespace

Proposals ProposeRepairs(const ModuleSignature& signature, const ArgumentSet& arguments,
                         const WorkerReply& reply) {
  const ArgumentSet full = WithDefaults(signature, arguments);
  Proposals found;
  if (reply.fault) {
    found = RepairsOfFault(signature, full, *reply.fault);
  } else if (reply.end == "too_costly") {
    found = SmallerRepairs(full);
  } else if (reply.end == "ran" &&
             std::any_of(reply.outputs.begin(), reply.outputs.end(),
                         [](const OutputMeasure& output) { return !output.finite; })) {
    found = DomainRepairs(full);
  }
  Proposals proposals;
  std::set<std::string> seen = {arguments.ToJson().Dump()};
  for (ArgumentSet& changed : found) {
    ArgumentSet plain = WithoutDefaults(signature, std::move(changed));
    if (IsSensible(plain) && seen.insert(plain.ToJson().Dump()).second) {
      proposals.push_back(std::move(plain));
    }
  }
  std::stable_partition(proposals.begin(), proposals.end(),
                        [](const ArgumentSet& changed) { return !HasCube(changed); });
  return proposals;
}

}  // namespace kernelmill
