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
#include "stages/verify/numerics/comparison.h"
#include "stages/verify/numerics/selection.h"
#include "stages/verify/numerics/tensor_shape.h"
#include "stages/verify/numerics/tensor_values.h"
#include "stages/verify/reference/shared_buffer.h"
#include "stages/verify/reference/size_sets.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct ReferenceTrial {
  std::string values;  // "own", "centred" … of stages/worker/torch_worker/value_kinds.py.
  std::int64_t seed = 0;
  Json inputs;  // Encoded arguments of forward(); their tensors lie in ReferenceRun::inputs.
  std::vector<TensorValues> outputs;
  std::vector<TensorShape> output_shapes;  // Only in ReferenceRuns::FullShapes().
  std::vector<TensorValues> oracle;  // Outputs in float64; empty if it does not run in float64.
  std::vector<TensorValues> nudged;  // The same for inputs that differ by roundings, or empty.
  std::vector<std::optional<Selection>> selections;  // For outputs that are indices.

  // The root mean squares of the outputs with the task's own values at the same sizes, or empty.
  std::vector<double> own_scales;

  ExpectedOutput Output(std::size_t output) const {
    return {.values = outputs[output],
            .oracle = oracle.empty() ? nullptr : &oracle[output],
            .nudged = nudged.empty() ? nullptr : &nudged[output],
            .selection = selections[output] ? &*selections[output] : nullptr,
            .own_scale = own_scales.empty() ? 0.0 : own_scales[output]};
  }
  // Whether an output consists of integers or bools.
  bool HasIntegers() const {
    for (const TensorValues& output : outputs) {
      if (!output.is_floating()) return true;
    }
    return false;
  }
};

// Why the reference does not run. It says nothing about a candidate.
struct ReferenceFault {
  std::string reason;  // A reason of VerdictStatus::kReferenceFailed, or "constructor_arguments".
  std::string detail;
};

// The base set of sizes, where parameters have other values than a constructor's constants.
inline constexpr char kOtherParameters[] = "parameters";
// The base set of sizes, where the outputs are those of a second call of forward() and then the
// buffers that it has changed.
inline constexpr char kModuleBuffers[] = "module_buffers";

// The reference at one set of sizes.
struct ReferenceRun {
  // The set of sizes, as JSON names it: "own" for the base set, or "feedback", "grading", "full",
  // "batch", "each", "calls" or "values" (size_sets.h), or one of the sets above.
  std::string shapes;
  Sizes sizes;
  Json renamed, arguments, constants, imports;
  // These three are empty but in the base set.
  Json parameters;  // [{"name", "shape", "dtype", "sha256"}] in order of construction.
  // In the set kOtherParameters: the seed of other_parameters.py. `parameters` are what it has
  // replaced then, [{"name", "elements", "constant", "sha256"}].
  std::optional<std::int64_t> other_parameters;
  std::vector<std::string> operators;  // Operators that forward() ran, such as "aten::mm".
  // Those of them that no constructor of a candidate may run: what is computed from parameters alone
  // would be stale when others are loaded. Without those that work element by element, and those
  // that the reference's constructor runs.
  std::vector<std::string> work;
  // The names of the buffers that forward() changes; in the set kModuleBuffers, whose values are
  // outputs.
  std::vector<std::string> module_buffers;
  bool has_tensors = false;  // Whether its model or its text holds any, as parameters or otherwise.
  std::vector<ReferenceTrial> trials;  // Those that the reference can run, and that can decide.
  std::optional<ReferenceFault> first_problem;  // Of the first trial that is left out.
  SharedBuffer inputs, outputs;
};

// The reference at the task's own sizes, if the base set has smaller ones.
struct FullSizeReference {
  std::unique_ptr<ReferenceRun> run;
  std::int64_t flops = 0;  // Of one forward().
  std::string sizes;       // "at the task's own sizes (rows = 2048)".
  std::string why_not;     // Why there is no run, as a clause.
  // Whether a candidate's whole forward() is expected to take no longer than
  // Options::own_size_cpu_ms.
  bool fits = false;
  bool fits_twice = false;  // Whether one call takes so little of that time that two are made.
  // The tensors are so large that the reference does not run in float64, and only a part of the
  // outputs' elements are compared. Then `fits` is true.
  bool in_part = false;
  // The policy's tolerance if it can decide there, otherwise that for long sums.
  ToleranceRule tolerance = ToleranceRule::kLongSums;
};

// The reference at sizes that are the task's own in part: one trial.
struct PartlyOwnReference {
  std::unique_ptr<ReferenceRun> run;
  std::string sizes;  // A clause: "where batch_size = 4 and all other sizes are the task's own".
  // The same, but where it has the task's own sizes, these are as in the smallest base set.
  Sizes small;
};

// The most that one forward() of a reference may cost at sizes that are proposed.
struct ForwardBudget {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;  // That it moves.
};
// The executor runs about 10^8 simple operations per second. At the task's own sizes forward() may
// take seconds; smaller sizes are chosen so that it takes a tenth of that.
inline constexpr ForwardBudget kFullBudget = {200'000'000, 32'000'000};
inline constexpr ForwardBudget kBudget = {20'000'000, 8'000'000};

// Base sets for a contract of fixed shapes. A candidate that fails at the smallest may be made for
// the task's own sizes, and is judged again with a larger base set.
enum class BaseSet {
  kSmallest,  // The task's own sizes, or the best that fit the usual budget (size_sets.h).
  kBatch,     // The task's own sizes but for those along which the reference is independent.
  kOwn,       // The task's own sizes.
};

class ReferenceRuns {
 public:
  struct Options {
    const VerifyPolicy* policy = nullptr;
    std::uint64_t seed = 0;  // Every trial's own seed is drawn from it.
    bool training = true;    // KernelBench's models are never switched to eval().
    // Processor time that a candidate's forward() at the task's own sizes may be expected to take.
    std::int64_t own_size_cpu_ms = 0;

    bool operator==(const Options&) const = default;
  };

  // Chooses the sizes of the base set and runs the reference at them. A ReferenceFault is kept in
  // fault(), not returned as a Status.
  static Result<ReferenceRuns> Start(TorchWorker* worker, std::string code, Options options);

  const std::optional<ReferenceFault>& fault() const { return fault_; }
  // Whether the base set has the task's own sizes.
  bool runs_at_task_sizes() const { return bases_.at(used_).sizes.empty(); }
  // Whether only sizes along which the reference is independent are smaller than the task's.
  Result<bool> BaseIsBatch();
  // The numbers that have another value in the base set than in the task.
  std::vector<VerdictSize> base_sizes() const;
  // Whether the reference only moves data, such as a transpose or a concatenation.
  bool moves_data() const;
  // The task's own values of the sizes that are others in the base set.
  std::vector<std::int64_t> own_values() const;
  // Must be called only if there is no fault. Other() is always about the smallest base set.
  const ReferenceRun& base() const { return *bases_.at(used_).run; }
  // From now on the base set is this one. Returns false, and changes nothing, if the task has none
  // within its budget that is larger than the smallest.
  Result<bool> UseBase(BaseSet set);
  // The reference at the sizes of a variant of OtherSizes(). It runs when it is first asked for.
  // nullptr if the task runs at no other sizes.
  Result<const ReferenceRun*> Other(int variant);
  // The reference at small sizes, for kManyCalls trials with the task's own kind of inputs; fewer if
  // it cannot run some. It runs when it is first asked for. nullptr if no sizes are small enough.
  Result<const ReferenceRun*> ManyCalls();
  // The reference at sizes that are smaller than the base sizes, for a trial of the task's own kind
  // and the special kinds of values, where forward() costs too much at the base sizes to try all
  // kinds there; or, with `at_base`, the same at the base sizes. It runs when it is first asked for.
  // nullptr if the base set has these kinds, or no sizes are small enough.
  Result<const ReferenceRun*> SpecialValues(bool at_base);
  // The same for the rare kinds of values. nullptr if the reference says nothing about others for
  // any of them, or no sizes are small enough.
  Result<const ReferenceRun*> RareValues(bool at_base);
  // The reference at the base sizes, with other parameters, for two trials with the task's own kind
  // of inputs. It runs when it is first asked for. nullptr if its constructor fills no parameter
  // with a constant.
  Result<const ReferenceRun*> OtherParameters();
  // The reference at the base sizes in the set kModuleBuffers, for one trial. It runs when it is
  // first asked for. nullptr if forward() changes no buffer, or cannot decide about one.
  Result<const ReferenceRun*> ModuleBuffers();
  // The reference at the task's own sizes. It runs when it is first asked for. `decides`: a
  // candidate has failed at smaller sizes, so that only this can decide; then it may cost more under
  // a policy that asks for nothing but the task's own inputs.
  Result<const FullSizeReference*> Full(bool decides = false);
  // The inputs at the task's own sizes without their values, but for those of integers, in one
  // trial with the shapes of the outputs, or without them if forward() does not run without values;
  // nullptr if the inputs are not known without running the task.
  Result<const ReferenceRun*> FullShapes();
  // The reference at the batch set and at the "each" sets that fit their budget.
  // They run when they are first asked for.
  Result<const std::vector<PartlyOwnReference>*> PartlyOwn();
  // The reference at these sizes, for one trial. It runs when it is first asked for. nullptr if it
  // does not run there.
  Result<const ReferenceRun*> At(const Sizes& sizes);
  // The reference at the base sizes, for one trial with the task's own kind of inputs, drawn with
  // another seed than all other trials. Runs at every call. Without trials if the reference cannot
  // run this one.
  Result<ReferenceRun> WithSeed(std::uint64_t seed);

 private:
  struct Base {
    Sizes sizes;
    std::unique_ptr<ReferenceRun> run;  // Null if there is none.
  };
  struct Fitting {
    Sizes sizes;
    ForwardBudget cost;  // Of one forward().
  };

  Status ChooseBase();
  Status RunBase(const Fitting& fitting);
  // The first of the proposals that fits; nothing, and no fault, if none does.
  Result<std::optional<Fitting>> FitWithin(const std::vector<Sizes>& proposals,
                                           const ForwardBudget& budget);
  // The same for sizes that are the task's own in part.
  Result<std::optional<Fitting>> FitPartlyOwn(const std::vector<Sizes>& proposals);
  // The sites along which the reference is independent, those of an input's first dimension first.
  // The sizes of the smallest base set must be chosen.
  Result<const std::vector<std::int64_t>*> IndependentSites();
  // A base set of which only sizes along which the reference is independent are smaller than the
  // task's.
  Result<std::optional<Fitting>> FitBatch(const std::vector<ForwardBudget>& budgets);
  // The sizes of the batch set; nothing if they do not fit, or are those of the smallest base set.
  Result<std::optional<Sizes>> SizesOfBatch();
  // For fewer kinds of values than the smallest base set has: every trial may take seconds. Null if
  // the reference does not run there.
  Result<std::unique_ptr<ReferenceRun>> RunLargerBase(const Sizes& sizes);
  Status RunPartlyOwn(const char* shapes, const Sizes& sizes, std::string text);
  // `own`: the sites with their own values.
  Status RunEach(const Sizes& own, const Fitting& fitting);
  // "each" sets with two sizes at their own values. `partly`: the sizes of the batch set or, without
  // one, of the base set.
  Status RunPairs(const Sizes& partly);
  // The first of the proposals that fits the first of these budgets that any of them fits.
  Result<std::optional<Fitting>> Fit(const std::vector<Sizes>& proposals,
                                     const std::vector<ForwardBudget>& budgets);
  // `seed`: instead of that of the options. For sizes that are the task's own, memory is larger.
  Result<std::unique_ptr<ReferenceRun>> Run(std::string shapes, const Sizes& sizes,
                                            const std::vector<std::string>& values,
                                            std::optional<std::uint64_t> seed = std::nullopt);
  // For a trial of the task's own kind and these kinds of values.
  Result<const ReferenceRun*> RunKinds(const std::string& shapes,
                                       const std::vector<std::string>& kinds, bool at_base);
  Result<Json> Ask(Json::Object request, const std::vector<int>& files = {},
                   const WorkerLimits& limits = {.cpu_ms = 60'000});

  TorchWorker* worker_ = nullptr;
  std::string code_;
  Options options_;
  std::vector<SizeSite> sites_;
  std::map<BaseSet, Base> bases_;
  BaseSet used_ = BaseSet::kSmallest;
  std::map<int, std::unique_ptr<ReferenceRun>> runs_;  // By variant.
  std::optional<std::unique_ptr<ReferenceRun>> many_calls_;
  bool base_has_special_ = false;
  // By the name of the set, and the base set that they are at or nothing for smaller sizes.
  std::map<std::pair<std::string, std::optional<BaseSet>>, std::unique_ptr<ReferenceRun>> kinds_;
  std::map<BaseSet, std::unique_ptr<ReferenceRun>> other_parameters_, module_buffers_;
  std::map<bool, FullSizeReference> full_;  // By `decides`.
  bool full_without_oracle_ = false;
  std::unique_ptr<ReferenceRun> full_shapes_;
  std::optional<std::vector<std::int64_t>> independent_;
  std::optional<std::vector<PartlyOwnReference>> partly_own_;
  std::map<Sizes, std::unique_ptr<ReferenceRun>> at_;
  std::optional<ReferenceFault> fault_;
  std::string unfit_;  // The error that the reference raised at its own sizes, if any.
};

}  // namespace kernelmill
