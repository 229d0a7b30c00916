// The verdict: what a judge found out about one candidate, with the facts behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/records/task_contract.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// The outcome of a verdict. To add a value, add it here and a line in verdict.cc.
enum class VerdictStatus {
  kCorrect,
  kWrong,           // It ran, and its result differs from the reference's.
  kNotGeneral,      // Right for its own sizes, values and layout, but wrong for others that the
                    // contract asks for.
  kIllegal,         // It lets torch do the work, or circumvents the judge.
  kNoAnswer,        // There is no code, or no ModelNew in it.
  kNotBuilt,        // Its native code does not compile.
  kNotLoaded,       // Importing or constructing it failed.
  kCrashed,         // forward() raised an error, or its process died.
  kTimedOut,        // Stopped by a time limit, or a launch cannot end.
  kIllegalAddress,  // Host code touched device memory, or a kernel touched host memory.
  kOutOfBounds,     // A kernel accessed memory outside of an allocation.
  kRace,            // Two threads access the same memory without synchronization.
  kUndefinedBehaviour,
  // These statuses say nothing about the candidate: it gets no reward and does not count.
  kUnsupported,      // It needs a feature that the executor lacks.
  kUndecided,        // A limit was reached before anything could be decided.
  kReferenceFailed,  // The task itself does not run, or cannot be compared.
  kInfra,            // A failure of kernelmill itself.
};

// A stable, lower-case name: "correct", "not_general", "illegal_address" …
std::string_view StatusName(VerdictStatus status);
Result<VerdictStatus> StatusFromName(std::string_view name);
// Whether the status says something about the candidate, and not only about the task or kernelmill.
bool IsAboutCandidate(VerdictStatus status);

struct VerdictReason {
  VerdictStatus status;
  std::string_view name;
  std::string_view explanation;  // A clause with "it" for the candidate.
};

// Every reason that a status can have, grouped by status. The list is closed.
const std::vector<VerdictReason>& AllVerdictReasons();
std::string_view ExplainVerdictReason(VerdictStatus status, std::string_view reason);

// A place in the candidate that a gate objects to.
struct VerdictFinding {
  // A reason of the status, or the name of a finding that decided nothing. JSON calls it "kind".
  std::string reason;
  std::string file;  // "candidate.py", "cuda.cu" …; empty when unknown.
  std::int64_t line = 0;
  std::string detail;

  Json ToJson() const;
  static Result<VerdictFinding> FromJson(const Json& json);
};

// One element that differs from the reference.
struct VerdictElement {
  std::vector<std::int64_t> index;
  std::string expected;  // Four significant digits, "nan", "inf", or the exact integer.
  std::string got;

  Json ToJson() const;
  static Result<VerdictElement> FromJson(const Json& json);
};

// How one output differs, and the likely cause according to the pattern of the errors.
struct VerdictDiagnosis {
  std::int64_t output = 0;
  std::vector<std::int64_t> shape;
  std::int64_t wrong = 0;  // The number of differing elements.
  std::int64_t total = 0;
  std::string pattern;  // A name of AllErrorPatterns(), or "".
  std::string where;    // A clause: "from row 96 on", "where the last index is 16 or more".
  std::vector<VerdictElement> elements;  // The first few.

  Json ToJson() const;
  static Result<VerdictDiagnosis> FromJson(const Json& json);
};

// One trial: a call of forward() with one set of sizes, values and memory layout.
struct VerdictTrial {
  // The set of sizes (stages/verify/reference/size_sets.h): "own" for the base set, "feedback",
  // "grading", "full", "batch", "each", "values", "rare_values" or "module_buffers", or "calls" for
  // many calls at small sizes, which count as one trial.
  std::string shapes;
  std::string values;  // "own", "centred" … of stages/worker/torch_worker/value_kinds.py.
  std::string layout;  // "own", "strided" … of stages/worker/torch_worker/layouts.py.
  bool passed = false;

  // Whether the contract asks for such a trial. The others are graded (VerdictGenerality).
  bool IsAskedBy(const TaskContract& contract) const;
  Json ToJson() const;
  static Result<VerdictTrial> FromJson(const Json& json);
};

// Counters as a device profiler shows them, computed from the addresses that the threads accessed.
// A request is one load or store instruction of one warp.
struct VerdictCounts {
  std::int64_t blocks = 0;
  std::int64_t threads = 0;
  std::int64_t global_load_requests = 0;
  std::int64_t global_load_sectors = 0;  // Distinct 32-byte sectors of each request, summed.
  std::int64_t global_store_requests = 0;
  std::int64_t global_store_sectors = 0;
  std::int64_t shared_load_requests = 0;
  std::int64_t shared_store_requests = 0;
  // Extra passes through shared memory (32 banks of 4 bytes) because two words of a request are in
  // the same bank.
  std::int64_t bank_conflicts = 0;
  std::int64_t active_lanes = 0;    // Summed over all requests. Atomics are not requests.
  std::int64_t global_atomics = 0;  // Counted per thread.
  std::int64_t shared_atomics = 0;

  std::int64_t GlobalRequests() const { return global_load_requests + global_store_requests; }
  std::int64_t GlobalSectors() const { return global_load_sectors + global_store_sectors; }
  std::int64_t SharedRequests() const { return shared_load_requests + shared_store_requests; }
  // The mean number of active lanes per request; std::nullopt without requests.
  std::optional<double> LanesOfRequest() const;
  Json ToJson() const;
  static Result<VerdictCounts> FromJson(const Json& json);
};
// Every counter with its name in JSON.
using VerdictCountField = std::pair<std::string_view, std::int64_t VerdictCounts::*>;
const std::vector<VerdictCountField>& AllVerdictCounts();

struct VerdictLaunch {
  std::string kernel;
  std::int64_t count = 0;
  // Of its first launch: threads per block, and bytes of dynamic shared memory.
  std::int64_t threads = 0;
  std::int64_t shared = 0;
  // The share of a multiprocessor's warps that can be resident at once on
  // VerdictDevice::architecture; std::nullopt when no device compiler compiled the kernel.
  std::optional<double> occupancy;
  std::optional<VerdictCounts> counts;  // Summed over its launches; std::nullopt when not counted.
  // The most threads per block of all its launches. Only of a run; no verdict holds it.
  std::int64_t most_threads = 0;

  Json ToJson() const;
  static Result<VerdictLaunch> FromJson(const Json& json);
};

// A kernel as a device compiler compiled it. Sizes are in bytes, per thread except for `shared`.
struct VerdictDeviceKernel {
  std::string kernel;  // With its template arguments: "scale<float, 4>".
  std::int64_t registers = 0;
  std::int64_t stack = 0;
  std::int64_t spills = 0;  // Bytes of spill stores and loads.
  std::int64_t shared = 0;  // Static shared memory per block.

  Json ToJson() const;
  static Result<VerdictDeviceKernel> FromJson(const Json& json);
};

// The kernels as a compiler for a real device compiled them; they are not run.
struct VerdictDevice {
  std::string compiler;      // "nvrtc 13.5.37"; empty when no compiler ran.
  std::string architecture;  // "sm_80".
  // MUSA kernels are compiled under CUDA's names, so this says nothing about MUSA's compiler, mcc.
  bool renamed = false;
  std::vector<VerdictDeviceKernel> kernels;
  // Kernels that could not be separated from torch's headers, each with the reason.
  std::vector<std::string> unchecked;

  Json ToJson() const;
  static Result<VerdictDevice> FromJson(const Json& json);
};

// A number in the task's text that was made smaller for the trials.
struct VerdictSize {
  std::int64_t id = 0;             // The site in the text (stages/verify/reference/size_sets.h).
  std::vector<std::string> names;  // The Python names that are bound to it.
  std::int64_t value = 0;          // The value that it was run with.

  Json ToJson() const;
  static Result<VerdictSize> FromJson(const Json& json);
};

// How far the candidate was checked at the task's own sizes.
struct VerdictFullSize {
  // "same": the trials ran at these sizes. Otherwise what ran beside smaller trials: "whole" (all
  // of forward()) or "checked" (some blocks) at these sizes, "batch", "each", or "not_checked".
  std::string state = "not_checked";
  // A clause: why nothing ran at these sizes; empty when the verdict was final before this check.
  std::string why_not;
  // For "checked": blocks that ran, blocks of the launch, and elements that were compared.
  std::int64_t blocks = 0;
  std::int64_t of_blocks = 0;
  std::int64_t elements = 0;

  Json ToJson() const;
  static Result<VerdictFullSize> FromJson(const Json& json);
};

// What an answer does in a part of its trials, from best to worst: of two grades, std::max() is the
// grade of both together.
enum class Grade {
  kNotTried,  // There is nothing to try, or it was not tried to the end.
  kAll,       // It is right in all trials.
  kRefuses,   // In some it raises an error or does not build, and in none it is wrong.
  kWrong,     // In some it returns a wrong result, or fails in another way.
};

// "not_tried", "all", "refuses" or "wrong".
std::string_view GradeName(Grade grade);

// How general an answer is, whatever its contract asks for.
struct VerdictGenerality {
  Grade sizes = Grade::kNotTried;    // At other sizes than the task's own.
  Grade layouts = Grade::kNotTried;  // For inputs that are not contiguous or not aligned.
  Grade values = Grade::kNotTried;   // For rare values, such as NaN (value_kinds.py).
  // For the buffers that forward() changes, such as running statistics, after two calls.
  Grade buffers = Grade::kNotTried;

  Json ToJson() const;
  static Result<VerdictGenerality> FromJson(const Json& json);
};

// Reasons of an undecided verdict: the checks for bounds or races that were asked for did not run to
// their end, or another comparison could not be made. The detail says which. The second is also the
// kind of a finding where the task, not the candidate, leaves nothing to compare.
inline constexpr std::string_view kNotSanitized = "not_sanitized";
inline constexpr std::string_view kNotCompared = "not_compared";
// The reason of an undecided verdict on a candidate that fails at smaller sizes than its contract
// asks for, and is not shown to fail at the task's own; or is right, and ran only at much smaller
// sizes.
inline constexpr std::string_view kOwnSizes = "own_sizes";

// The reason of a wrong verdict on a candidate that is right when it is first called.
inline constexpr std::string_view kLaterCall = "later_call";

// Verdict::gate of a correct candidate.
inline constexpr std::string_view kPassedGate = "passed";

struct Verdict {
  VerdictStatus status = VerdictStatus::kInfra;
  std::string reason;
  // The gate that ended the judgement (stages/verify/gates/gate.h): "extract", "legality",
  // "compile", "load", "correctness" or "sanitize"; kPassedGate for a correct candidate; empty for
  // "infra".
  std::string gate;
  std::string detail;  // One line for the user.
  std::string policy;
  std::string backend;      // "cuda" or "musa".
  std::string target;       // The architecture that it holds for: "sm_80", "mp_22".
  std::string verified_on;  // "cpu_executor".
  TaskContract contract;    // That it was judged under.
  VerdictGenerality generality;
  VerdictFullSize full_size;
  // The numbers that the base set of sizes makes smaller than the task's.
  std::vector<VerdictSize> sizes;
  std::vector<VerdictFinding> findings;
  std::vector<VerdictTrial> trials;
  std::vector<VerdictLaunch> launches;  // Of the first trial, in the order of their first launch.
  VerdictDevice device;
  std::optional<VerdictDiagnosis> diagnosis;
  std::string feedback;  // The text that a model is given as feedback.

  // The share of the trials of the contract that passed; 0 without trials.
  double PassRate() const;
  // Equation 2 of MusaCoder without its performance term: -1 when nothing passed or the candidate
  // is illegal, -0.5 + 0.5 q for a share q < 1 of passed trials, otherwise 1. std::nullopt when the
  // status says nothing about the candidate.
  std::optional<double> Reward() const;
  // The reward with its two terms apart: {"correctness": Reward(), "performance"}; null without a
  // reward. No time is known without a device, so "performance" is null, and not 0.
  Json RewardJson() const;
  Json ToJson() const;
  // The parts that are the same on every processor: without element values, counts of differing
  // elements, and messages that hold either.
  Verdict Reproducible() const;
  static Result<Verdict> FromJson(const Json& json);
};

}  // namespace kernelmill
