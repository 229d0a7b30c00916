#include "stages/verify/gates/gate.h"

#include <algorithm>

namespace kernelmill {
namespace {

using enum VerdictStatus;

// The statuses with which any run of a candidate may end, and `more`.
std::vector<GateEnding> EndingsOfRuns(std::vector<GateEnding> more) {
  for (const VerdictStatus status : {kCrashed, kTimedOut, kIllegalAddress, kOutOfBounds, kRace,
                                     kUndefinedBehaviour, kUnsupported, kUndecided}) {
    more.push_back({status});
  }
  return more;
}

bool Allows(const GateEnding& ending, VerdictStatus status, std::string_view reason) {
  return ending.status == status &&
         (ending.reasons.empty() ||
          std::find(ending.reasons.begin(), ending.reasons.end(), reason) != ending.reasons.end());
}

const Gate& GateOf(GateId id) {
  return *std::find_if(AllGates().begin(), AllGates().end(),
                       [id](const Gate& gate) { return gate.id == id; });
}

}  // namespace

const std::vector<Gate>& AllGates() {
  static const std::vector<Gate> kGates = {
      {GateId::kExtract,
       "extract",
       GateId::kExtract,
       "a message without code, or code that is not Python or does not define `ModelNew`",
       {{kNoAnswer}},
       ParseCode},
      {GateId::kLegality,
       "legality",
       GateId::kLegality,
       "work done by torch, its layers, NumPy or a vendor's library; a fallback when the kernel "
       "fails; access to the judging program. The text, the built library and every run are "
       "examined",
       {{kIllegal}},
       JudgeText},
      {GateId::kReference,
       "reference",
       GateId::kLegality,
       "a task that does not run or cannot be compared; it says nothing about the candidate",
       {{kReferenceFailed}, {kUnsupported, {"constructor_arguments"}}},
       RunReference},
      {GateId::kCompile,
       "compile",
       GateId::kCompile,
       "native code that the CPU's compiler, clang's CUDA mode or NVIDIA's device compiler "
       "refuses",
       {{kNotBuilt}, {kUnsupported, {"feature"}}}},
      {GateId::kLoad,
       "load",
       GateId::kLoad,
       "an error while the candidate is imported or its model constructed",
       {{kNotLoaded}, {kCrashed}, {kTimedOut}, {kWrong, {"dtype"}}, {kUnsupported}, {kUndecided}}},
      {GateId::kCorrectness, "correctness", GateId::kCorrectness,
       "wrong values, shape or dtype; changed inputs; reads of uninitialized memory; a launch that "
       "the device would refuse; host code that accesses device memory, a kernel that accesses "
       "host memory",
       EndingsOfRuns({{kWrong}, {kIllegal, {"observer_disabled"}}, {kReferenceFailed}}),
       JudgeOwnTrials,
       /*has_hidden_causes=*/true},
      {GateId::kDecoy,
       "decoy",
       GateId::kLegality,
       "a result that is right with the kernels switched off",
       {{kIllegal, {"decoy_kernel"}}, {kUndecided, {kNotCompared}}},
       RunWithoutKernels},
      {GateId::kGenerality,
       "generality",
       GateId::kCorrectness,
       "wrong results for other kinds of values (below: Values), and at other sizes, in other "
       "memory layouts, for rare values or in the module's buffers if the contract asks for them",
       {{kNotGeneral}, {kUnsupported}, {kUndecided}},
       JudgeOtherTrials,
       /*has_hidden_causes=*/true},
      {GateId::kReplay,
       "replay",
       GateId::kLegality,
       "a result that host code decides: the launches and copies of one call, run again with other "
       "inputs and without host code, must give the other results; a race between streams: they "
       "must give them in every order that events and waits allow, over two calls, and no tensor "
       "may get memory that another stream still reads",
       {{kIllegal, {"host_values", "fallback"}}, {kRace, {"streams"}}, {kUndecided, {kNotCompared}}},
       RunReplayed},
      {GateId::kSanitize, "sanitize", GateId::kSanitize,
       "with `--sanitize`: out-of-bounds accesses and data races", EndingsOfRuns({}), RunSanitized},
      {GateId::kFullSize, "full_size", GateId::kCorrectness,
       "wrong results of some blocks at the task's own sizes, if all other runs had smaller sizes",
       EndingsOfRuns({{kWrong, {"full_size"}}}), RunAtFullSize},
  };
  return kGates;
}

std::string_view ReportedName(GateId id) { return GateOf(GateOf(id).reported_as).name; }

bool MayEndWith(std::string_view reported, VerdictStatus status, std::string_view reason) {
  if (reported == kPassedGate) return status == kCorrect && reason.empty();
  return std::any_of(AllGates().begin(), AllGates().end(), [&](const Gate& gate) {
    return ReportedName(gate.id) == reported &&
           std::any_of(gate.endings.begin(), gate.endings.end(),
                       [&](const GateEnding& ending) { return Allows(ending, status, reason); });
  });
}

std::string GateTable() {
  std::string text = "| gate | refuses | `gate` in the verdict |\n|---|---|---|\n";
  for (const Gate& gate : AllGates()) {
    text += "| " + std::string(gate.name) + " | " + std::string(gate.refuses) + " | `" +
            std::string(ReportedName(gate.id)) + "` |\n";
  }
  return text;
}

}  // namespace kernelmill
