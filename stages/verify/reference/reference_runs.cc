#include "stages/verify/reference/reference_runs.h"

#include <algorithm>
#include <utility>

#include "corpora/operators/aten_names.h"
#include "manifests/json_fields.h"
#include "manifests/split_mix.h"
#include "parsers/byte_order_mark.h"
#include "stages/verify/numerics/comparison.h"
#include "stages/verify/reference/value_kinds.h"

namespace kernelmill {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 30;
// At the task's own sizes, where a reference may move kWholeBudget.bytes. Pages use memory once they
// are written.
constexpr std::size_t kLargeBufferBytes = std::size_t{4} << 30;
constexpr std::int64_t kLargeMemoryBytes = std::int64_t{8} << 30;
// For the integers among inputs without values, which are fewer.
constexpr std::size_t kIntegerBytes = std::size_t{128} << 20;

// More budgets.
constexpr ForwardBudget kLastBudget = {400'000'000, 64'000'000};
// For whole networks, in whose answers torch still does most of the work.
constexpr ForwardBudget kNetworkBudget = {8'000'000'000, 1'000'000'000};
// For networks that run at no smaller sizes. A trial takes some seconds, so there are few.
constexpr ForwardBudget kLargestBudget = {100'000'000'000, 8'000'000'000};
constexpr std::size_t kFewTrials = 2;
// For sampled runs at the task's own sizes, where only torch computes everything (in float32 and
// float64) and a candidate runs a few blocks. That takes one or two seconds, and tensors stay far
// below a worker's memory limit.
constexpr ForwardBudget kSampledBudget = {150'000'000'000, 400'000'000};
// The same where nothing is computed in float64, and values are compared one by one.
constexpr ForwardBudget kWholeBudget = {150'000'000'000, 2'000'000'000};
// The same where nothing else can decide on a candidate.
constexpr ForwardBudget kDecidingBudget = {1'000'000'000'000, 6'000'000'000};
// How many operations of a reference a candidate is expected to do per millisecond: bench/run
// verify measures it.
constexpr std::int64_t kFlopsPerMs = 200'000;
// Two calls are made at the task's own sizes where one takes no more than such a part of its time.
constexpr std::int64_t kPartForTwoCalls = 8;
constexpr char kFull[] = "full";
// For many calls: a call then takes a few milliseconds, and all tensors of all calls some megabytes.
constexpr ForwardBudget kCallBudget = {1'000'000, 200'000};
constexpr std::size_t kManyCalls = 200;
// The number of smaller sizes to try before the task's own.
constexpr int kMostShrunk = 3;

bool IsWithin(const ForwardBudget& cost, const ForwardBudget& budget) {
  return cost.flops <= budget.flops && cost.bytes <= budget.bytes;
}

// Truncated to the range of seeds that torch and numpy accept.
std::int64_t TrialSeed(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::int64_t>(MixedBits(seed + (index + 1) * kSplitMixStep) & 0x7FFFFFFF);
}

// The fault that a reply reports; nothing if the request succeeded.
std::optional<ReferenceFault> FaultOf(const Json& reply, std::string_view good) {
  const std::string end = reply.TextAt("end");
  if (end == good) return std::nullopt;
  if (end == "refused") return ReferenceFault{"refused", reply.TextAt("detail")};
  if (end == "random") return ReferenceFault{"random", ""};
  if (end == "not_exchangeable") {
    return ReferenceFault{"constructor_arguments", reply.TextAt("detail")};
  }
  if (end == "too_large" || end == "time_limit" || end == "memory_limit") {
    return ReferenceFault{"too_costly", end};
  }
  const std::string type = reply.TextAt("type");
  return ReferenceFault{"raised", (type.empty() ? end : type) + ": " + reply.TextAt("detail")};
}

// Whether a comparison with every output says something about a candidate.
bool CanDecide(const ReferenceTrial& trial, ToleranceRule rule) {
  for (std::size_t i = 0; i < trial.outputs.size(); ++i) {
    if (!CanDecide(trial.Output(i), rule)) return false;
  }
  return true;
}

std::vector<double> ScalesOf(const ReferenceTrial& trial) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < trial.outputs.size(); ++i) scales.push_back(ScaleOf(trial.Output(i)));
  return scales;
}

// Whether the outputs of a computation by other formulas are right.
bool Agree(const ReferenceTrial& trial, const std::vector<TensorValues>& others,
           ToleranceRule rule) {
  for (std::size_t i = 0; i < trial.outputs.size(); ++i) {
    if (CompareOutputs(trial.Output(i), others[i], rule).fault != OutputFault::kNone) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<Json> ReferenceRuns::Ask(Json::Object request, const std::vector<int>& files,
                                const WorkerLimits& limits) {
  request["code"] = code_;
  request["training"] = options_.training;
  request["limits"] = limits.ToJson();
  if (limits.memory_bytes == kLargeMemoryBytes) {
    // The buffers take addresses, whether or not they hold values.
    request["limits"].as_object()["address_bytes"] =
        kLargeMemoryBytes + 2 * static_cast<std::int64_t>(kLargeBufferBytes);
  }
  return worker_->Call(request, files);
}

Result<ReferenceRuns> ReferenceRuns::Start(TorchWorker* worker, std::string code, Options options) {
  ReferenceRuns runs;
  runs.worker_ = worker;
  runs.code_ = WithoutByteOrderMark(code);
  runs.options_ = options;
  if (!IsUtf8(runs.code_)) {
    runs.fault_ = ReferenceFault{"raised", "it is not UTF-8"};
    return runs;
  }
  KM_ASSIGN(const Json reply, runs.Ask({{"kind", "sizes"}}));
  runs.fault_ = FaultOf(reply, "sizes");
  if (runs.fault_) return runs;
  for (const Json& item : reply.Find("sites")->as_array()) {
    KM_ASSIGN(SizeSite site, SizeSite::FromJson(item));
    runs.sites_.push_back(std::move(site));
  }
  KM_RETURN_IF_ERROR(runs.ChooseBase());
  return runs;
}

Result<std::optional<ReferenceRuns::Fitting>> ReferenceRuns::FitWithin(
    const std::vector<Sizes>& proposals, const ForwardBudget& budget) {
  Json::Array list;
  for (const Sizes& sizes : proposals) list.push_back(ToJson(sizes));
  KM_ASSIGN(const Json reply,
            Ask({{"kind", "fit"},
                 {"proposals", std::move(list)},
                 {"budget", Json::Object{{"flops", budget.flops}, {"bytes", budget.bytes}}}}));
  fault_ = FaultOf(reply, "fit");
  if (fault_) return std::optional<Fitting>();
  unfit_ = reply.TextAt("problem");
  const Json* const chosen = reply.Find("chosen");
  if (chosen == nullptr || !chosen->is_int()) return std::optional<Fitting>();
  return std::optional(Fitting{proposals[static_cast<std::size_t>(chosen->as_int())],
                               {reply.IntegerAt("flops"), reply.IntegerAt("bytes")}});
}

Result<std::optional<ReferenceRuns::Fitting>> ReferenceRuns::Fit(
    const std::vector<Sizes>& proposals, const std::vector<ForwardBudget>& budgets) {
  const std::string problem = unfit_;
  for (const ForwardBudget& budget : budgets) {
    KM_ASSIGN(std::optional<Fitting> fitting, FitWithin(proposals, budget));
    unfit_ = problem;  // What the task's own sizes raise is the better message.
    if (fault_ || fitting) return fitting;
  }
  return std::optional<Fitting>();
}

Status ReferenceRuns::ChooseBase() {
  KM_ASSIGN(std::optional<Fitting> chosen, FitWithin({Sizes()}, kFullBudget));
  if (fault_) return Status::Ok();
  if (chosen) {
    KM_RETURN_IF_ERROR(RunBase(*chosen));
    // A single run may fit into memory although the inputs and results of all trials, including
    // float64, do not.
    if (!fault_ || fault_->reason != "too_costly") return Status::Ok();
  }
  std::vector<Sizes> proposals = ShrinkingSizes(sites_);
  std::optional<ReferenceFault> raised;
  for (int attempt = 0;; ++attempt) {
    KM_ASSIGN(chosen, Fit(proposals, {kBudget, kLastBudget, kNetworkBudget, kLargestBudget}));
    if (fault_) return Status::Ok();
    if (!chosen) break;
    if (attempt == 0) {
      // A kernel may take another path, or have a limit, where a row is as long as in the task.
      bases_[BaseSet::kSmallest].sizes = chosen->sizes;
      KM_ASSIGN(const std::optional<Fitting> batch, FitBatch({kBudget, kFullBudget}));
      if (batch) {
        KM_RETURN_IF_ERROR(RunBase(*batch));
        if (!fault_) return Status::Ok();
      }
    }
    KM_RETURN_IF_ERROR(RunBase(*chosen));
    if (!fault_ || fault_->reason != "raised" || attempt == kMostShrunk) return Status::Ok();
    if (!raised) raised = fault_;
    // At smaller sizes, indices that are bounded by a literal in the text may be out of bounds.
    const auto next = std::find(proposals.begin(), proposals.end(), chosen->sizes) + 1;
    proposals.erase(proposals.begin(), next);
    if (attempt + 1 == kMostShrunk) proposals = {Sizes()};
  }
  // If the reference does not run at any sizes, its own error is more informative than "too
  // costly".
  fault_ = raised ? raised
           : unfit_.empty()
               ? ReferenceFault{"too_costly", "no sizes that were tried fit the budget"}
               : ReferenceFault{"raised", unfit_};
  return Status::Ok();
}

Status ReferenceRuns::RunBase(const Fitting& fitting) {
  Base& base = bases_[BaseSet::kSmallest];
  base.sizes = fitting.sizes;
  fault_.reset();
  std::vector<std::string> values(static_cast<std::size_t>(options_.policy->trials), "own");
  if (options_.policy->generality) {
    values.insert(values.end(), UsualKinds().begin(), UsualKinds().end());
    base_has_special_ = IsWithin(fitting.cost, kBudget);
    const std::vector<std::string>& special = base_has_special_ ? SpecialKinds() : FarKinds();
    values.insert(values.end(), special.begin(), special.end());
  }
  if (fitting.cost.flops > kNetworkBudget.flops) values.resize(kFewTrials);
  KM_ASSIGN(std::unique_ptr<ReferenceRun> run, Run("own", base.sizes, values));
  if (run == nullptr) return Status::Ok();
  if (run->trials.empty() || run->trials.front().values != "own") {
    fault_ = run->first_problem;
  } else if (run->trials.front().outputs.empty()) {
    fault_ = ReferenceFault{"no_output", ""};
  }
  base.run = std::move(run);
  return Status::Ok();
}

Result<std::unique_ptr<ReferenceRun>> ReferenceRuns::Run(std::string shapes, const Sizes& sizes,
                                                         const std::vector<std::string>& values,
                                                         std::optional<std::uint64_t> other_seed) {
  auto run = std::make_unique<ReferenceRun>();
  run->shapes = std::move(shapes);
  run->sizes = sizes;
  if (run->shapes == kOtherParameters) run->other_parameters = TrialSeed(options_.seed, ~0ULL);
  const bool large = sizes.empty() && !bases_[BaseSet::kSmallest].sizes.empty();
  const bool oracle = !IsAllClose(options_.policy->tolerance) && !(large && full_without_oracle_);
  KM_ASSIGN(run->inputs, SharedBuffer::Create(large ? kLargeBufferBytes : kBufferBytes));
  KM_ASSIGN(run->outputs, SharedBuffer::Create(large ? kLargeBufferBytes : kBufferBytes));
  // A trial runs the reference up to three times, twice of them in float64.
  WorkerLimits limits = {.cpu_ms = 90'000};
  if (large) limits.memory_bytes = kLargeMemoryBytes;
  Json::Array trials;
  const auto seed = [&](std::size_t i) {
    return TrialSeed(other_seed.value_or(options_.seed), HasFirstSeed(values[i]) ? 0 : i);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    trials.push_back(Json::Object{{"seed", seed(i)}, {"values", values[i]}});
  }
  KM_ASSIGN(const Json reply, Ask({{"kind", "reference"},
                                   {"sizes", ToJson(sizes)},
                                   {"trials", trials},
                                   {"other_parameters",
                                    run->other_parameters ? Json(*run->other_parameters) : Json()},
                                   {"module_buffers", ToJson(run->shapes == kModuleBuffers
                                                                  ? base().module_buffers
                                                                  : std::vector<std::string>())},
                                   {"known", run->shapes != "own" || other_seed},
                                   {"oracle", oracle}},
                                  {run->inputs.descriptor(), run->outputs.descriptor()}, limits));
  const std::optional<ReferenceFault> fault = FaultOf(reply, "ran");
  if (fault) {
    if (run->shapes == "own" && !other_seed) fault_ = fault;
    return std::unique_ptr<ReferenceRun>();
  }
  run->renamed = RenamedValues(sites_, sizes);
  Json replied_trials, operators, work;
  JsonFields fields(reply, "the worker's reply");
  std::string end;
  fields.Read("end", &end);
  fields.Read("arguments", &run->arguments);
  fields.Read("constants", &run->constants);
  fields.Read("imports", &run->imports);
  fields.Read("parameters", &run->parameters);
  fields.Read("operators", &operators);
  fields.Read("work", &work);
  fields.Read("module_buffers", &run->module_buffers);
  fields.Read("has_tensors", &run->has_tensors);
  fields.Read("trials", &replied_trials);
  KM_RETURN_IF_ERROR(fields.Finish());
  std::vector<double> own_scales;
  for (const Json& item : operators.as_array()) run->operators.push_back(item.TextAt("name"));
  for (const Json& name : work.as_array()) run->work.push_back(name.as_string());
  for (std::size_t i = 0; i < replied_trials.as_array().size(); ++i) {
    const Json& item = replied_trials.as_array()[i];
    if (item.Find("unusable") != nullptr) {
      if (!run->first_problem) {
        run->first_problem = ReferenceFault{"raised", item.TextAt("unusable")};
      }
      continue;
    }
    ReferenceTrial trial;
    trial.values = values[i];
    trial.seed = seed(i);
    trial.inputs = *item.Find("inputs");
    KM_ASSIGN(trial.outputs, TensorsFromSpecs(*item.Find("outputs"), run->outputs.bytes()));
    if (const Json* oracle = item.Find("oracle"); !oracle->is_null()) {
      KM_ASSIGN(trial.oracle, TensorsFromSpecs(*oracle, run->outputs.bytes()));
    }
    if (const Json* nudged = item.Find("nudged"); !nudged->is_null()) {
      KM_ASSIGN(trial.nudged, TensorsFromSpecs(*nudged, run->outputs.bytes()));
    }
    const Json::Array& selections = item.Find("selections")->as_array();
    for (std::size_t output = 0; output < trial.outputs.size(); ++output) {
      trial.selections.emplace_back();
      if (selections[output].is_null()) continue;
      KM_ASSIGN(
          trial.selections.back(),
          Selection::FromJson(selections[output], trial.outputs[output], run->outputs.bytes()));
    }
    if (trial.values == "own") own_scales = ScalesOf(trial);
    trial.own_scales = own_scales;
    if (!(large && full_without_oracle_) &&
        !CanDecide(trial, run->shapes == kFull ? ToleranceRule::kLongSums
                                               : options_.policy->tolerance)) {
      if (!run->first_problem) run->first_problem = ReferenceFault{"inexact", ""};
      continue;
    }
    if (const Json* textbook = item.Find("textbook"); !textbook->is_null()) {
      KM_ASSIGN(const std::vector<TensorValues> other,
                TensorsFromSpecs(*textbook, run->outputs.bytes()));
      if (!Agree(trial, other, options_.policy->tolerance)) continue;
    }
    run->trials.push_back(std::move(trial));
  }
  return run;
}

Result<ReferenceRun> ReferenceRuns::WithSeed(std::uint64_t seed) {
  KM_ASSIGN(std::unique_ptr<ReferenceRun> run, Run("own", bases_.at(used_).sizes, {"own"}, seed));
  return run == nullptr ? ReferenceRun() : std::move(*run);
}

Result<const FullSizeReference*> ReferenceRuns::Full(bool decides) {
  const bool one_tolerance = IsAllClose(options_.policy->tolerance);
  decides = decides && one_tolerance;
  // What may cost more is asked for where the usual budget is exceeded.
  if (decides) {
    KM_ASSIGN(const FullSizeReference* const usual, Full());
    if (usual->run != nullptr) return usual;
  }
  if (const auto found = full_.find(decides); found != full_.end()) return &found->second;
  FullSizeReference full;
  if (one_tolerance) full.tolerance = options_.policy->tolerance;
  full.sizes = "at the task's own sizes (" +
               SiteValuesText(sites_, bases_.at(BaseSet::kSmallest).sizes, {}) + ")";
  const ForwardBudget& budget = !one_tolerance ? kSampledBudget
                                : decides      ? kDecidingBudget
                                               : kWholeBudget;
  KM_ASSIGN(std::optional<Fitting> fitting, FitWithin({Sizes()}, budget));
  const bool raises = fault_.has_value() || !unfit_.empty();
  fault_.reset();
  const std::int64_t own_size_flops = options_.own_size_cpu_ms * kFlopsPerMs;
  if (!fitting && !raises && own_size_flops > 0 && !one_tolerance) {
    KM_ASSIGN(fitting, FitWithin({Sizes()}, {own_size_flops, kWholeBudget.bytes}));
    fault_.reset();
    full_without_oracle_ = fitting.has_value();
    full.in_part = fitting.has_value();
  }
  if (fitting) {
    full.flops = fitting->cost.flops;
    full.fits = full.flops <= own_size_flops;
    const bool has_time = full.flops <= own_size_flops / kPartForTwoCalls;
    full.fits_twice = !full.in_part && has_time;
    std::vector<std::string> values = {"own"};
    if (has_time && options_.policy->generality) {
      // A counter overflows where all elements count: rows are as long as that only here.
      const auto crowded = CrowdedKinds(!full.in_part, base().trials.front().HasIntegers());
      values.insert(values.end(), crowded.begin(), crowded.end());
    }
    KM_ASSIGN(full.run, Run(kFull, {}, values));
    if (full.run != nullptr &&
        (full.run->trials.empty() || full.run->trials.front().values != "own")) {
      full.run.reset();
    }
    if (full.run != nullptr && !full.in_part &&
        CanDecide(full.run->trials.front(), options_.policy->tolerance)) {
      full.tolerance = options_.policy->tolerance;
    }
  }
  if (fitting || raises) {
    if (full.run == nullptr) full.why_not = "the reference does not run there";
  } else {
    full.why_not = "the reference takes more than " +
                   std::to_string(budget.flops / 1'000'000'000) +
                   " GFLOP there, or moves more than " +
                   std::to_string(budget.bytes / 1'000'000) + " MB";
  }
  return &(full_[decides] = std::move(full));
}

Result<const ReferenceRun*> ReferenceRuns::ManyCalls() {
  if (many_calls_) return static_cast<const ReferenceRun*>(many_calls_->get());
  many_calls_.emplace();
  const Sizes& smallest = bases_.at(BaseSet::kSmallest).sizes;
  std::vector<Sizes> proposals = ShrinkingSizes(sites_);
  proposals.insert(proposals.begin(), smallest);
  KM_ASSIGN(const std::optional<Fitting> fitting, FitWithin(proposals, kCallBudget));
  fault_.reset();
  if (fitting) {
    KM_ASSIGN(*many_calls_,
              Run("calls", fitting->sizes, std::vector<std::string>(kManyCalls, "own")));
    if (*many_calls_ != nullptr && (*many_calls_)->trials.empty()) many_calls_->reset();
  }
  return static_cast<const ReferenceRun*>(many_calls_->get());
}

Result<const ReferenceRun*> ReferenceRuns::FullShapes() {
  if (full_shapes_ != nullptr) return static_cast<const ReferenceRun*>(full_shapes_.get());
  KM_ASSIGN(SharedBuffer inputs, SharedBuffer::Create(kIntegerBytes));
  KM_ASSIGN(const Json reply,
            Ask({{"kind", "shapes"}, {"sizes", ToJson(Sizes())}}, {inputs.descriptor()}));
  if (FaultOf(reply, "shapes")) return static_cast<const ReferenceRun*>(nullptr);
  full_shapes_ = std::make_unique<ReferenceRun>();
  full_shapes_->shapes = kFull;
  full_shapes_->inputs = std::move(inputs);
  full_shapes_->renamed = RenamedValues(sites_, {});
  ReferenceTrial trial;
  JsonFields fields(reply, "the worker's reply");
  std::string end;
  fields.Read("end", &end);
  fields.Read("arguments", &full_shapes_->arguments);
  fields.Read("constants", &full_shapes_->constants);
  fields.Read("imports", &full_shapes_->imports);
  fields.Read("inputs", &trial.inputs);
  fields.ReadArray("outputs", &trial.output_shapes, TensorShape::FromSpec);
  KM_RETURN_IF_ERROR(fields.Finish());
  full_shapes_->trials.push_back(std::move(trial));
  return static_cast<const ReferenceRun*>(full_shapes_.get());
}

std::vector<VerdictSize> ReferenceRuns::base_sizes() const {
  std::vector<VerdictSize> sizes;
  const Sizes& base = bases_.at(used_).sizes;
  for (const SizeSite& site : sites_) {
    const auto it = base.find(site.id);
    if (it != base.end()) sizes.push_back({site.id, site.names, it->second});
  }
  return sizes;
}

std::vector<std::int64_t> ReferenceRuns::own_values() const {
  std::vector<std::int64_t> values;
  for (const SizeSite& site : sites_) {
    if (bases_.at(used_).sizes.contains(site.id)) values.push_back(site.value);
  }
  return values;
}

bool ReferenceRuns::moves_data() const {
  for (const std::string& name : base().operators) {
    if (!IsDataMovement(name) && !IsAtenEnlarging(AtenName(name))) return false;
  }
  return true;
}

Result<const ReferenceRun*> ReferenceRuns::Other(int variant) {
  const auto known = runs_.find(variant);
  if (known != runs_.end()) return static_cast<const ReferenceRun*>(known->second.get());
  std::unique_ptr<ReferenceRun>& run = runs_[variant];
  KM_ASSIGN(const std::optional<Fitting> fitting,
            Fit(OtherSizes(sites_, bases_.at(BaseSet::kSmallest).sizes, variant),
                {kBudget, kLastBudget, kNetworkBudget}));
  fault_.reset();
  if (fitting) {
    KM_ASSIGN(run, Run(variant == 0 ? "feedback" : "grading", fitting->sizes, {"own"}));
    if (run != nullptr && run->trials.empty()) run.reset();
  }
  return static_cast<const ReferenceRun*>(run.get());
}

}  // namespace kernelmill
