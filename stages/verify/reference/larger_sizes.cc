// The reference at larger sizes than those of the smallest base set: those that are the task's own
// in part, and larger base sets.
#include <algorithm>
#include <utility>

#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {
namespace {

// For single trials at sizes that are the task's own in part: as few as possible, and those that
// are tried where nothing fits the first.
constexpr ForwardBudget kPartlyOwnBudget = {200'000'000, 64'000'000};
constexpr ForwardBudget kMostPartlyOwn = {40'000'000'000, 1'500'000'000};
// The most "each" sets with one size at its own value, and with two.
constexpr std::size_t kMostEach = 6;
constexpr std::size_t kMostPairs = 2;
// Smaller numbers do not decide how large a tensor is.
constexpr std::int64_t kLeastOfPairs = 64;
// For sets with two: they are the largest. Where the first of them does not fit, a count over all
// pairs of two dimensions may still be one that no run has seen, so that more is tried.
constexpr ForwardBudget kPairBudget = {1'000'000'000, 512'000'000};
constexpr ForwardBudget kFirstPairBudget = {2'000'000'000, 4'000'000'000};
// A batch of the batch set, and one of the base set: all trials run there.
constexpr std::int64_t kLeastBatch = 2, kLeastBatchOfBase = 4;

}  // namespace

Result<std::optional<ReferenceRuns::Fitting>> ReferenceRuns::FitPartlyOwn(
    const std::vector<Sizes>& proposals) {
  std::optional<Fitting> fitting;
  for (const ForwardBudget& budget : {kPartlyOwnBudget, kMostPartlyOwn}) {
    if (fitting || (budget.flops > kPartlyOwnBudget.flops && options_.own_size_cpu_ms == 0)) break;
    KM_ASSIGN(fitting, FitWithin(proposals, budget));
    fault_.reset();
  }
  return fitting;
}

Result<const std::vector<std::int64_t>*> ReferenceRuns::IndependentSites() {
  if (independent_) return static_cast<const std::vector<std::int64_t>*>(&*independent_);
  Json::Array asked;
  for (const SizeSite& site : sites_) {
    if (site.inputs && !site.model) asked.push_back(site.id);
  }
  const Sizes& smallest = bases_.at(BaseSet::kSmallest).sizes;
  KM_ASSIGN(
      const Json reply,
      Ask({{"kind", "independence"}, {"sizes", ToJson(smallest)}, {"sites", std::move(asked)}}));
  std::vector<std::pair<std::int64_t, std::int64_t>> found;  // Dimension and site.
  if (reply.TextAt("end") == "independence") {
    for (const Json& pair : reply.Find("sites")->as_array()) {
      found.emplace_back(pair.as_array()[1].as_int(), pair.as_array()[0].as_int());
    }
  }
  std::sort(found.begin(), found.end());
  independent_.emplace();
  for (const auto& [dimension, id] : found) independent_->push_back(id);
  return static_cast<const std::vector<std::int64_t>*>(&*independent_);
}

Result<bool> ReferenceRuns::BaseIsBatch() {
  KM_ASSIGN(const std::vector<std::int64_t>* const sites, IndependentSites());
  const Sizes& sizes = bases_.at(used_).sizes;
  return std::all_of(sizes.begin(), sizes.end(), [sites](const auto& size) {
    return std::find(sites->begin(), sites->end(), size.first) != sites->end();
  });
}

Result<std::optional<ReferenceRuns::Fitting>> ReferenceRuns::FitBatch(
    const std::vector<ForwardBudget>& budgets) {
  KM_ASSIGN(const std::vector<std::int64_t>* const sites, IndependentSites());
  KM_ASSIGN(std::optional<Fitting> fitting,
            Fit(BatchSizes(sites_, *sites, kLeastBatchOfBase), budgets));
  fault_.reset();
  return fitting;
}

Result<std::optional<Sizes>> ReferenceRuns::SizesOfBatch() {
  KM_ASSIGN(const std::vector<std::int64_t>* const sites, IndependentSites());
  KM_ASSIGN(const std::optional<Fitting> fitting,
            FitPartlyOwn(BatchSizes(sites_, *sites, kLeastBatch)));
  if (!fitting || fitting->sizes == bases_.at(BaseSet::kSmallest).sizes) {
    return std::optional<Sizes>();
  }
  return std::optional(fitting->sizes);
}

Result<bool> ReferenceRuns::UseBase(BaseSet set) {
  if (!bases_.contains(set)) {
    std::optional<Sizes> sizes;
    if (set == BaseSet::kBatch) {
      KM_ASSIGN(sizes, SizesOfBatch());
    } else {
      KM_ASSIGN(const FullSizeReference* const full, Full());
      if (full->run != nullptr) sizes = Sizes();
    }
    Base& base = bases_[set];
    if (sizes) {
      base.sizes = *sizes;
      KM_ASSIGN(base.run, RunLargerBase(*sizes));
    }
  }
  if (bases_.at(set).run == nullptr) return false;
  used_ = set;
  return true;
}

Result<std::unique_ptr<ReferenceRun>> ReferenceRuns::RunLargerBase(const Sizes& sizes) {
  std::vector<std::string> few = {"own", "own"};
  if (sizes.empty() && full_without_oracle_) {
    few = {"own", "negative"};  // Each trial takes seconds.
  } else if (options_.policy->generality) {
    few.insert(few.end(), {"large", "constant_rows", "negative"});
  }
  for (const auto& values : {few, {"own"}}) {
    KM_ASSIGN(std::unique_ptr<ReferenceRun> run, Run("own", sizes, values));
    fault_.reset();
    if (run != nullptr && !run->trials.empty() && run->trials.front().values == "own") return run;
  }
  return std::unique_ptr<ReferenceRun>();
}

Status ReferenceRuns::RunPartlyOwn(const char* shapes, const Sizes& sizes, std::string text) {
  KM_ASSIGN(std::unique_ptr<ReferenceRun> run, Run(shapes, sizes, {"own"}));
  if (run != nullptr && !run->trials.empty()) {
    Sizes small = bases_.at(BaseSet::kSmallest).sizes;
    for (const auto& [id, value] : sizes) small[id] = value;
    partly_own_->push_back({std::move(run), std::move(text), std::move(small)});
  }
  return Status::Ok();
}

Status ReferenceRuns::RunEach(const Sizes& own, const Fitting& fitting) {
  return RunPartlyOwn("each", fitting.sizes,
                      "where " + SiteValuesText(sites_, own, fitting.sizes) +
                          ", as in the task, and " +
                          SiteValuesText(sites_, fitting.sizes, fitting.sizes));
}

// The largest two sizes may only together be too large for an index or a buffer.
Status ReferenceRuns::RunPairs(const Sizes& partly) {
  if (options_.own_size_cpu_ms == 0) return Status::Ok();
  const Sizes& smallest = bases_.at(BaseSet::kSmallest).sizes;
  std::vector<SizeSite> sites;
  for (const SizeSite& site : sites_) {
    if (site.value >= kLeastOfPairs) sites.push_back(site);
  }
  std::stable_sort(sites.begin(), sites.end(), [](const SizeSite& a, const SizeSite& b) {
    return a.value > b.value;
  });
  std::size_t pairs = 0;
  for (std::size_t second = 1; second < sites.size(); ++second) {
    for (std::size_t first = 0; first < second && pairs < kMostPairs; ++first) {
      const std::vector<std::int64_t> own = {sites[first].id, sites[second].id};
      // The batch set has all pairs of other sizes at their own values.
      if (!partly.contains(own[0]) && !partly.contains(own[1])) continue;
      std::vector<ForwardBudget> budgets = {kPairBudget};
      if (second == 1) budgets.push_back(kFirstPairBudget);
      KM_ASSIGN(const std::optional<Fitting> fitting,
                Fit(EachSizes(sites_, smallest, own), budgets));
      fault_.reset();
      if (!fitting || fitting->sizes.empty()) continue;
      ++pairs;
      KM_RETURN_IF_ERROR(RunEach({{own[0], 0}, {own[1], 0}}, *fitting));
    }
  }
  return Status::Ok();
}

Result<const ReferenceRun*> ReferenceRuns::At(const Sizes& sizes) {
  const auto [place, fresh] = at_.try_emplace(sizes);
  std::unique_ptr<ReferenceRun>& run = place->second;
  if (fresh) {
    KM_ASSIGN(run, Run("each", sizes, {"own"}));
    fault_.reset();
    if (run != nullptr && run->trials.empty()) run.reset();
  }
  return static_cast<const ReferenceRun*>(run.get());
}

Result<const std::vector<PartlyOwnReference>*> ReferenceRuns::PartlyOwn() {
  if (partly_own_) return static_cast<const std::vector<PartlyOwnReference>*>(&*partly_own_);
  partly_own_.emplace();
  const Sizes& smallest = bases_.at(BaseSet::kSmallest).sizes;
  KM_ASSIGN(const std::optional<Sizes> batch, SizesOfBatch());
  if (batch) {
    KM_RETURN_IF_ERROR(RunPartlyOwn("batch", *batch,
                                    "where " + SiteValuesText(sites_, *batch, *batch) +
                                        " and all other sizes are the task's own"));
  }
  // A kernel has limits along all dimensions, also along those where the reference is independent.
  const Sizes& partly = partly_own_->empty() ? smallest : *batch;
  for (const auto& [id, small] : partly) {
    if (partly_own_->size() == kMostEach) break;
    KM_ASSIGN(const std::optional<Fitting> fitting,
              FitPartlyOwn(EachSizes(sites_, smallest, {id})));
    if (fitting && !fitting->sizes.empty()) KM_RETURN_IF_ERROR(RunEach({{id, small}}, *fitting));
  }
  KM_RETURN_IF_ERROR(RunPairs(partly));
  return static_cast<const std::vector<PartlyOwnReference>*>(&*partly_own_);
}

}  // namespace kernelmill
