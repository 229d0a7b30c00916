// Runs a task's reference at chosen sizes, to get the inputs for candidates and the outputs that
// they have to return.
//
// Not thread-safe. It borrows its worker, which must outlive it.
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
  Json inputs;  // Encoded arguments of forward(); their tensors lie in ReferenceRun::inputs.
  std::vector<TensorValues> outputs;
  std::vector<TensorValues> oracle;  // Outputs in float64; empty if it does not run in float64.
  std::vector<std::optional<Selection>> selections;  // For outputs that are indices.

  // The oracle or selection of this output, or nullptr.
  const TensorValues* OracleOf(std::size_t output) const {
    return oracle.empty() ? nullptr : &oracle[output];
  }
  const Selection* SelectionOf(std::size_t output) const {
    return selections[output] ? &*selections[output] : nullptr;
  }
};

// Why the reference does not run. It says nothing about a candidate.
struct ReferenceFault {
  std::string reason;  // A reason of VerdictStatus::kReferenceFailed, or "constructor_arguments".
  std::string detail;
};

// The reference at one set of sizes.
struct ReferenceRun {
  // The set of sizes, as JSON names it: "own" for the base set, "feedback" or "grading"
  // (size_sets.h), "full" for the task's own sizes where the base set has smaller ones, or "calls"
  // for small sizes.
  std::string shapes;
  Sizes sizes;
  Json renamed, arguments, constants, imports;
  // These two are empty in the full set.
  Json parameters;  // [{"name", "shape", "dtype", "sha256"}] in order of construction.
  std::vector<std::string> operators;  // Operators that forward() ran, such as "aten::mm".
  std::vector<ReferenceTrial> trials;  // Those that the reference can run, and that can decide.
  std::optional<ReferenceFault> first_problem;  // Of the first trial that is left out.
  SharedBuffer inputs, outputs;
};

// The reference at the task's own sizes, if the base set has smaller ones.
struct FullSizeReference {
  std::unique_ptr<ReferenceRun> run;
  std::int64_t flops = 0;  // Of one forward().
  std::string why_not;     // Why there is no run, as a clause.
};

class ReferenceRuns {
 public:
  struct Options {
    const VerifyPolicy* policy = nullptr;
    std::uint64_t seed = 0;  // Every trial's own seed is drawn from it.
    bool training = true;    // KernelBench's models are never switched to eval().

    bool operator==(const Options&) const = default;
  };

  // Chooses the sizes of the base set and runs the reference at them. A ReferenceFault is kept in
  // fault(), not returned as a Status.
  static Result<ReferenceRuns> Start(TorchWorker* worker, std::string code, Options options);

  const std::optional<ReferenceFault>& fault() const { return fault_; }
  // Whether the base set has the task's own sizes.
  bool runs_at_task_sizes() const { return base_.empty(); }
  // The numbers that have another value in the base set than in the task.
  std::vector<VerdictSize> base_sizes() const;
  // Whether the reference only moves data, such as a transpose or a concatenation.
  bool moves_data() const;
  // Must be called only if there is no fault.
  const ReferenceRun& base() const { return *runs_.at(-1); }
  // The reference at the sizes of a variant of OtherSizes(). It runs when it is first asked for.
  // nullptr if the task runs at no other sizes.
  Result<const ReferenceRun*> Other(int variant);
  // The reference at small sizes, for kManyCalls trials with the task's own kind of inputs; fewer if
  // it cannot run some. It runs when it is first asked for. nullptr if no sizes are small enough.
  Result<const ReferenceRun*> ManyCalls();
  // The reference at the task's own sizes. It runs when it is first asked for.
  Result<const FullSizeReference*> Full();
  // The reference at the base sizes, for one trial with the task's own kind of inputs, drawn with
  // another seed than all other trials. Runs at every call. Without trials if the reference cannot
  // run this one.
  Result<ReferenceRun> WithSeed(std::uint64_t seed);

 private:
  Status ChooseBase();
  Status RunBase(const Sizes& sizes);
  Result<std::optional<Sizes>> Fit(const std::vector<Sizes>& proposals, bool full);
  // `seed`: instead of that of the options.
  Result<std::unique_ptr<ReferenceRun>> Run(std::string shapes, const Sizes& sizes,
                                            const std::vector<std::string>& values,
                                            std::optional<std::uint64_t> seed = std::nullopt);
  Result<Json> Ask(Json::Object request, const std::vector<int>& files = {});

  TorchWorker* worker_ = nullptr;
  std::string code_;
  Options options_;
  std::vector<SizeSite> sites_;
  Sizes base_;
  std::map<int, std::unique_ptr<ReferenceRun>> runs_;  // By variant; -1 is the base set.
  std::optional<std::unique_ptr<ReferenceRun>> many_calls_;
  std::optional<FullSizeReference> full_;
  std::optional<ReferenceFault> fault_;
  std::string unfit_;  // The error that the reference raised at its own sizes, if any.
};

}  // namespace kernelmill
