// A step: what a stage does to each of its inputs. Each stage derives a class from Step; the engine
// (Run, stages/engine/run.h) calls it for every input and owns the rest: the frozen input list,
// partitions, threads, commits, resume, counts, quarantine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/origin.h"
#include "manifests/status.h"

namespace kernelmill {

// One entry of a step's plan. Keys are unique within a plan and at most 511 bytes; the plan is
// sorted by key.
struct Input {
  std::string key;
  std::string body;
};

// What became of one input. It is exactly one of the three, so that in = kept + dropped + rejected.
enum class Fate {
  kKept,     // It was processed; what it has of outputs goes on.
  kDropped,  // It is valid but not wanted (no definition in the file, an excluded source, a limit).
  kRejected,  // It is malformed or not allowed; its bytes go to quarantine.
};

struct Output {
  // Unique within the step, unless those who read the outputs merge equal keys (ReadyStep::merge).
  std::string key;
  std::string body;
};

// An item of a kept input that is rejected on its own, such as one row of a task. Its bytes go to
// quarantine; StepCounts::rejected_items counts it.
struct RejectedItem {
  std::string key;       // Names the item; unique within the step.
  std::string reason;    // A name from manifests/reason.h.
  std::string detail;    // As Outcome::detail.
  std::string original;  // The rejected bytes.
};

struct Outcome {
  Fate fate = Fate::kKept;
  std::string reason;    // For a drop or a rejection: a name from manifests/reason.h.
  std::string detail;    // One line for people. Deterministic: no time, no address, no local path.
  std::string original;  // The rejected bytes, for quarantine.
  // The origins of the dropped or rejected input; unknown parts are empty.
  std::vector<Origin> origins;
  std::vector<Output> outputs;
  std::vector<RejectedItem> rejected_items;  // Of a kept input. They share `origins`.
  // Further counts of this step, e.g. {"classes": 12}; summed over inputs into the manifest.
  std::vector<std::pair<std::string, std::int64_t>> counters;

  static Outcome Keep(std::vector<Output> outputs) {
    Outcome outcome;
    outcome.outputs = std::move(outputs);
    return outcome;
  }
  static Outcome Drop(std::string reason, std::string detail = "") {
    Outcome outcome;
    outcome.fate = Fate::kDropped;
    outcome.reason = std::move(reason);
    outcome.detail = std::move(detail);
    return outcome;
  }
  static Outcome Reject(std::string reason, std::string detail, std::string original) {
    Outcome outcome;
    outcome.fate = Fate::kRejected;
    outcome.reason = std::move(reason);
    outcome.detail = std::move(detail);
    outcome.original = std::move(original);
    return outcome;
  }
};

// The resources of one thread that must not be shared: a worker process, a parser child.
class Lane {
 public:
  virtual ~Lane() = default;
};

class Step {
 public:
  virtual ~Step() = default;
  // Lower case; names the folder of the step's partitions.
  virtual std::string_view Name() const = 0;
  // Must be raised whenever the output for the same input can change.
  virtual int Version() const = 0;
  // Every configuration value that the output depends on. Part of the plan's identity.
  virtual Json Parameters() const = 0;
  // What else an outcome depends on besides the input, Parameters() and the program, such as
  // compilers. The outcome store's keys cover it.
  virtual Result<std::string> Surroundings() const { return std::string(); }

  virtual Result<std::unique_ptr<Lane>> OpenLane() { return std::make_unique<Lane>(); }
  // A pure function of `input` and Parameters(). Called from several threads, each with a lane of
  // its own. A Status that is not ok is a fault of this program or machine and ends the run.
  virtual Result<Outcome> Process(const Input& input, Lane& lane) = 0;
};

}  // namespace kernelmill
