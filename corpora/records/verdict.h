// What the verifier says about one candidate: an answer to a task, as a native kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// Closed: add a value here and a line in verdict.cc.
enum class VerdictStatus {
  kCorrect,
  kWrong,           // It ran and gave something else than the reference.
  kNotGeneral,      // Right at the task's own shapes, values and layout, wrong at others.
  kIllegal,         // It leaves the work to torch, or goes around the verifier.
  kNoAnswer,        // There is no code, or no ModelNew in it.
  kNotBuilt,        // Its native code does not compile.
  kNotLoaded,       // Importing or constructing it failed.
  kCrashed,         // forward() raised an error, or its process died.
  kTimedOut,        // Stopped by a time limit, or a launch that cannot end.
  kIllegalAddress,  // Host code touched device memory, or a kernel touched host memory.
  kOutOfBounds,     // A kernel reached outside of an allocation.
  kRace,            // Two threads access the same memory without order.
  kUndefinedBehaviour,
  // These say nothing about the candidate: no reward, no statistics.
  kUnsupported,      // It needs what this executor does not have.
  kUndecided,        // A budget was spent before anything could be said.
  kReferenceFailed,  // The task itself does not run, or cannot be compared.
  kInfra,            // Our own fault.
};

// A stable, lower-case name: "correct", "not_general", "illegal_address" …
std::string_view StatusName(VerdictStatus status);
Result<VerdictStatus> StatusFromName(std::string_view name);
bool SaysSomething(VerdictStatus status);

struct VerdictReason {
  VerdictStatus status;
  std::string_view name;
  std::string_view explanation;  // A clause with "it" for the candidate.
};

// Every reason a status can have, grouped by status. Closed.
const std::vector<VerdictReason>& AllVerdictReasons();
std::string_view ExplainVerdictReason(VerdictStatus status, std::string_view reason);

// One place in the candidate that a gate objects to.
struct VerdictFinding {
  std::string kind;  // A reason of the status, or of a finding that decided nothing.
  std::string file;  // "candidate.py", "cuda.cu" …; empty where that is not known.
  std::int64_t line = 0;
  std::string detail;

  Json ToJson() const;
  static Result<VerdictFinding> FromJson(const Json& json);
};

// One element that differs.
struct VerdictElement {
  std::vector<std::int64_t> index;
  std::string expected;  // Four significant digits, "nan", "inf", or the integer itself.
  std::string got;

  Json ToJson() const;
  static Result<VerdictElement> FromJson(const Json& json);
};

// What is wrong with one output, and the likely cause by the pattern of the errors.
struct VerdictDiagnosis {
  std::int64_t output = 0;
  std::vector<std::int64_t> shape;
  std::int64_t wrong = 0;  // Elements.
  std::int64_t total = 0;
  std::string pattern;  // A name of AllErrorPatterns(), or "" for none.
  std::string where;    // A clause: "from row 96 on", "where the last index is 16 or more".
  std::vector<VerdictElement> elements;  // The first few.

  Json ToJson() const;
  static Result<VerdictDiagnosis> FromJson(const Json& json);
};

struct VerdictTrial {
  std::string shapes;  // "own", "feedback", "grading" or "full": some blocks at the very sizes.
  std::string values;  // "own", "centred", "large" …
  std::string layout;  // "own", "strided" or "offset".
  bool passed = false;

  Json ToJson() const;
  static Result<VerdictTrial> FromJson(const Json& json);
};

// What a profiler of a device would show of launches, worked out from the addresses that their
// threads accessed. A request is one load or store instruction of one warp.
struct VerdictCounts {
  std::int64_t blocks = 0;
  std::int64_t threads = 0;
  std::int64_t global_load_requests = 0;
  std::int64_t global_load_sectors = 0;  // Of 32 bytes, distinct in each request.
  std::int64_t global_store_requests = 0;
  std::int64_t global_store_sectors = 0;
  std::int64_t shared_load_requests = 0;
  std::int64_t shared_store_requests = 0;
  // Passes through shared memory (32 banks of 4 bytes) beyond what its requests take without two
  // words in one bank.
  std::int64_t bank_conflicts = 0;
  std::int64_t active_lanes = 0;    // Summed over all requests; atomics are none.
  std::int64_t global_atomics = 0;  // Of single threads.
  std::int64_t shared_atomics = 0;

  // Active lanes of one request; nothing without requests.
  std::optional<double> LanesOfRequest() const;
  Json ToJson() const;
  static Result<VerdictCounts> FromJson(const Json& json);
};
// The fields and their names in JSON.
using VerdictCountField = std::pair<std::string_view, std::int64_t VerdictCounts::*>;
const std::vector<VerdictCountField>& AllVerdictCounts();

struct VerdictLaunch {
  std::string kernel;
  std::int64_t count = 0;
  // Of its first launch: threads of a block, and bytes of shared memory that the launch adds.
  std::int64_t threads = 0;
  std::int64_t shared = 0;
  // The share of a multiprocessor's warps that may be there at once, on
  // VerdictDevice::architecture; nothing where the device compiler has not seen the kernel.
  std::optional<double> occupancy;
  std::optional<VerdictCounts> counts;  // Summed over its launches, where they were counted.

  Json ToJson() const;
  static Result<VerdictLaunch> FromJson(const Json& json);
};

// A kernel as a device compiler made it. Sizes in bytes, a thread's but for `shared`.
struct VerdictDeviceKernel {
  std::string kernel;  // With its template arguments: "scale<float, 4>".
  std::int64_t registers = 0;
  std::int64_t stack = 0;
  std::int64_t spills = 0;  // Stores and loads.
  std::int64_t shared = 0;  // A block's, without what a launch adds.

  Json ToJson() const;
  static Result<VerdictDeviceKernel> FromJson(const Json& json);
};

// What a compiler for a real device says of the kernels, without running them.
struct VerdictDevice {
  std::string compiler;      // "nvrtc 13.5.37"; empty when none was asked.
  std::string architecture;  // "sm_80".
  // MUSA's kernels are compiled under CUDA's names: this says nothing about mcc.
  bool renamed = false;
  std::vector<VerdictDeviceKernel> kernels;
  // Kernels that could not be told from torch's headers, each with why.
  std::vector<std::string> unchecked;

  Json ToJson() const;
  static Result<VerdictDevice> FromJson(const Json& json);
};

// A number of the task's text that was made smaller.
struct VerdictSize {
  std::int64_t id = 0;             // Of the site in the text (stages/verify/reference/size_sets.h).
  std::vector<std::string> names;  // Of the names that are bound to it.
  std::int64_t value = 0;          // That it was run with.

  Json ToJson() const;
  static Result<VerdictSize> FromJson(const Json& json);
};

// What is known at the task's very sizes.
struct VerdictFullSize {
  // "same": everything ran there. "checked": smaller ones ran, and there some blocks of the only
  // launch, whose results were compared. "not_checked".
  std::string state = "not_checked";
  // A clause, for "not_checked"; empty where the verdict was final before.
  std::string why_not;
  // For "checked": blocks that ran, of all of the launch, and elements of outputs compared.
  std::int64_t blocks = 0;
  std::int64_t of_blocks = 0;
  std::int64_t elements = 0;

  Json ToJson() const;
  static Result<VerdictFullSize> FromJson(const Json& json);
};

// A finding's kind, and what is undecided where checks are required.
inline constexpr std::string_view kNotSanitized = "not_sanitized";

// Verdict::gate of a correct candidate.
inline constexpr std::string_view kPassedGate = "passed";

struct Verdict {
  VerdictStatus status = VerdictStatus::kInfra;
  std::string reason;
  // The gate that ended the candidate (stages/verify/gates/gate.h): "extract", "legality",
  // "compile", "load", "correctness" or "sanitize"; kPassedGate where none did.
  std::string gate;
  std::string detail;  // One line.
  std::string policy;
  std::string backend;      // "cuda" or "musa".
  std::string verified_on;  // "cpu_executor".
  VerdictFullSize full_size;
  std::vector<VerdictSize> sizes;  // Of the own set, where they are not the task's.
  std::vector<VerdictFinding> findings;
  std::vector<VerdictTrial> trials;
  std::vector<VerdictLaunch> launches;  // Of the first trial, in order of first launch.
  VerdictDevice device;
  std::optional<VerdictDiagnosis> diagnosis;
  std::string feedback;  // What a model is told.

  // The share of trials passed; 0 without any.
  double PassRate() const;
  // Equation 2 of MusaCoder without its performance term: -1 when nothing passed or it is illegal,
  // -0.5 + 0.5 q for a share q below 1, else 1. Nothing where the status says nothing.
  std::optional<double> Reward() const;
  Json ToJson() const;
  // A right answer whose checks for bounds or races ended early becomes undecided.
  void RequireChecks();
  // What comes out alike on every processor: without the values of elements and how many differ,
  // and without messages that hold them.
  Verdict Reproducible() const;
  static Result<Verdict> FromJson(const Json& json);
};

}  // namespace kernelmill
