// The table of gates that a candidate must pass, in the order in which the judge runs them. It
// holds the name of each gate, what it refuses, and which verdicts a candidate may get there;
// README's table is printed from it (GateTable()). To add a gate, write its function in a file of
// its own in this folder, declare it below, and add its row to gate.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "manifests/status.h"

namespace kernelmill {

class Examination;

enum class GateId {
  kExtract,
  kLegality,
  kReference,
  kCompile,
  kLoad,
  kCorrectness,
  kDecoy,
  kGenerality,
  kReplay,
  kSanitize,
  kFullSize,
};

// The result of a gate, from best to worst: of two results, std::max() is the result of both
// together.
enum class [[nodiscard]] GateResult {
  kPassed,       // The gate made all its comparisons and found nothing wrong.
  kNotCompared,  // The task leaves nothing to compare, and the verdict says so. A comparison that
                 // the candidate prevents is no such case: it ends the candidate, as undecided if
                 // nothing worse is known.
  kEnded,        // The verdict is final.
};

// A status with which a candidate may end at a gate.
struct GateEnding {
  VerdictStatus status;
  std::vector<std::string_view> reasons = {};  // Empty: any reason of the status.
};

struct Gate {
  GateId id;
  std::string_view name;
  // Verdict::gate of a candidate that ends here is the name of this gate.
  GateId reported_as;
  std::string_view refuses;  // What the gate refuses, for README.
  std::vector<GateEnding> endings;
  // Examines a candidate. Null for gates that lie within the run of a later gate: a candidate
  // asks for its builds and constructs its model while it runs. A Status is a fault of ours.
  Result<GateResult> (*examine)(Examination& examination) = nullptr;
  // The gate "sanitize" may show why a candidate ends here: a missing barrier
  // mostly shows as wrong values first.
  bool has_hidden_causes = false;
};

// All gates, in their order.
const std::vector<Gate>& AllGates();
// Verdict::gate of a candidate that ends at this gate.
std::string_view ReportedName(GateId id);
// Whether a verdict with this Verdict::gate may have this status and reason.
bool MayEndWith(std::string_view reported, VerdictStatus status, std::string_view reason);
// The table in Markdown, as README has it: name, what the gate refuses, ReportedName().
std::string GateTable();

// The gates. Each has a file of its own.
Result<GateResult> ParseCode(Examination& examination);
Result<GateResult> JudgeText(Examination& examination);
Result<GateResult> RunReference(Examination& examination);
Result<GateResult> JudgeOwnTrials(Examination& examination);
Result<GateResult> RunWithoutKernels(Examination& examination);
Result<GateResult> JudgeOtherTrials(Examination& examination);
Result<GateResult> RunReplayed(Examination& examination);
Result<GateResult> RunSanitized(Examination& examination);
Result<GateResult> RunAtFullSize(Examination& examination);

}  // namespace kernelmill
