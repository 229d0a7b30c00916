// A task's reference, run at chosen sizes: what a candidate gets, and what it has to give.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/legality/policy.h"
#include "stages/verify/numerics/selection.h"
#include "stages/verify/numerics/tensor_values.h"
#include "stages/verify/reference/shared_buffer.h"
#include "stages/verify/reference/size_sets.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct ReferenceTrial {
  std::string values;  // "own", "centred" … of stages/worker/torch_worker/requests/reference.py.
  std::int64_t seed = 0;
  Json inputs;  // Encoded; tensors lie in ReferenceRun::inputs.
  std::vector<TensorValues> outputs;
  std::vector<TensorValues> oracle;  // Empty where the reference does not run in float64.
  std::vector<std::optional<Selection>> selections;  // Of outputs that are indices.

  // Of an output, or nullptr.
  const TensorValues* OracleOf(std::size_t output) const {
    return oracle.empty() ? nullptr : &oracle[output];
  }
  const Selection* SelectionOf(std::size_t output) const {
    return selections[output] ? &*selections[output] : nullptr;
  }
};

// One set of sizes.
struct ReferenceRun {
  std::string shapes;  // "own", "feedback", "grading" or "full".
  Sizes sizes;
  Json renamed, arguments, constants, imports;
  // Neither is known of the full set.
  Json parameters;  // [{"name", "shape", "dtype", "sha256"}] in order of construction.
  std::vector<std::string> operators;  // That forward() ran: "aten::mm".
  std::vector<ReferenceTrial> trials;  // Those that the reference can do.
  std::string first_problem;           // With the first one that it cannot.
  SharedBuffer inputs, outputs;
};

// The reference at the task's very sizes, where the own set has smaller ones.
struct FullSizeRun {
  std::unique_ptr<ReferenceRun> run;
  std::int64_t flops = 0;  // Of one forward.
  std::string why_not;     // A clause, where there is no run.
};

// Why there is no run. It says nothing about a candidate.
struct ReferenceFault {
  std::string reason;  // Of VerdictStatus::kReferenceFailed, or "constructor_arguments".
  std::string detail;
};

class ReferenceRuns {
 public:
  struct Options {
    const VerifyPolicy* policy = nullptr;
    std::uint64_t seed = 0;  // Every trial's own seed is drawn from it.
    bool training = true;    // KernelBench's models are never switched to eval().

    bool operator==(const Options&) const = default;
  };

  // Chooses the own sizes and runs them. A ReferenceFault is kept, not returned as a Status.
  static Result<ReferenceRuns> Start(TorchWorker* worker, std::string code, Options options);

  const std::optional<ReferenceFault>& fault() const { return fault_; }
  // Whether the own set has the task's very sizes.
  bool full_size() const { return own_.empty(); }
  // The sites of the own set that have another value than in the task.
  std::vector<VerdictSize> own_sizes() const;
  // Whether the reference consists of moving data.
  bool moves_data() const;
  // Only without a fault.
  const ReferenceRun& own() const { return *runs_.at(-1); }
  // The set of a variant of OtherSizes(), run when it is first asked for; nullptr where no other
  // sizes work.
  Result<const ReferenceRun*> Other(int variant);
  // Run when it is first asked for.
  Result<const FullSizeRun*> Full();

 private:
  Status ChooseOwn();
  Status RunOwn(const Sizes& sizes);
  Result<std::optional<Sizes>> Fit(const std::vector<Sizes>& proposals, bool full);
  Result<std::unique_ptr<ReferenceRun>> Run(std::string shapes, const Sizes& sizes,
                                            const std::vector<std::string>& values);
  Result<Json> Ask(Json::Object request, const std::vector<int>& files = {});

  TorchWorker* worker_ = nullptr;
  std::string code_;
  Options options_;
  std::vector<SizeSite> sites_;
  Sizes own_;
  std::map<int, std::unique_ptr<ReferenceRun>> runs_;  // By variant; -1 is the own one.
  std::optional<FullSizeRun> full_;
  std::optional<ReferenceFault> fault_;
  std::string unfit_;  // What it raised at its own sizes, where it did.
};

}  // namespace kernelmill
