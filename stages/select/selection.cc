#include "stages/select/selection.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "stages/select/sample_balance.h"

namespace kernelmill {
namespace {

using Clusters = std::map<Digest, std::vector<std::size_t>>;

struct Pool {
  PoolReport report;
  Clusters clusters;  // Samples that may be selected.
  std::vector<PooledSample> selected;
};

// The order of samples of one cluster, and of clusters by their best samples.
auto RankOf(const JudgedSample& sample) {
  return std::make_tuple(sample.seconds <= 0, sample.seconds, sample.sectors <= 0, sample.sectors,
                         -sample.sizes_passed, sample.id);
}

Digest PoolId(const std::string& task, const std::string& backend) {
  return Sha256().Field("pool").Field(task).Field(backend).Finish();
}

// The expected number of clusters among `drawn` samples, drawn without replacement: a cluster of n
// of N samples is missed with probability C(N - n, drawn) / C(N, drawn).
double ExpectedClusters(const Clusters& clusters, std::int64_t drawn) {
  std::int64_t all = 0;
  for (const auto& [id, samples] : clusters) all += static_cast<std::int64_t>(samples.size());
  double expected = 0;
  for (const auto& [id, samples] : clusters) {
    double missed = 1;
    for (std::int64_t i = 0; i < drawn; ++i) {
      const std::int64_t others = all - static_cast<std::int64_t>(samples.size()) - i;
      missed *= others <= 0 ? 0 : static_cast<double>(others) / static_cast<double>(all - i);
    }
    expected += 1 - missed;
  }
  return expected;
}

class Selector {
 public:
  Selector(const std::vector<JudgedSample>& samples, const SelectionOptions& options)
      : samples_(samples), options_(options) {}

  SampleSelection Run() {
    for (std::size_t i = 0; i < samples_.size(); ++i) Take(i);
    for (auto& [key, pool] : pools_) Choose(&pool);
    Balance();
    for (auto& [key, pool] : pools_) Finish(&pool);
    const auto id = [&](const UnselectedSample& one) {
      return std::tie(samples_[one.sample].id, one.reason, one.sample);
    };
    std::sort(result_.unselected.begin(), result_.unselected.end(),
              [&](const auto& a, const auto& b) { return id(a) < id(b); });
    return std::move(result_);
  }

 private:
  void Reject(std::size_t sample, std::string reason) {
    result_.unselected.push_back({sample, std::move(reason)});
  }

  void Take(std::size_t i) {
    const JudgedSample& sample = samples_[i];
    Pool& pool = pools_[{sample.task, sample.backend}];
    if (!sample.judged) return Reject(i, "not_judged");
    ++pool.report.judged;
    if (sample.fails_on_device) return Reject(i, "fails_on_device");
    if (!sample.correct) return Reject(i, "not_correct");
    ++pool.report.correct;
    if (!sample.objection.empty()) return Reject(i, sample.objection);
    if (options_.max_tokens > 0 && sample.tokens > options_.max_tokens) {
      return Reject(i, "over_budget");
    }
    pool.clusters[sample.cluster].push_back(i);
  }

  void Choose(Pool* pool) {
    PoolReport& report = pool->report;
    report.pass_rate =
        static_cast<double>(report.correct + 1) / static_cast<double>(report.judged + 2);
    report.clusters = static_cast<std::int64_t>(pool->clusters.size());
    for (auto& [id, members] : pool->clusters) {
      std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
        return RankOf(samples_[a]) < RankOf(samples_[b]);
      });
      for (std::size_t i = 1; i < members.size(); ++i) Reject(members[i], "same_structure");
      pool->selected.push_back({.sample = members[0],
                                .cluster_id = id,
                                .cluster_size = static_cast<std::int64_t>(members.size())});
    }
    std::sort(pool->selected.begin(), pool->selected.end(),
              [&](const PooledSample& a, const PooledSample& b) {
                return RankOf(samples_[a.sample]) < RankOf(samples_[b.sample]);
              });
    const auto size =
        static_cast<std::size_t>(PoolSize(report.clusters, report.pass_rate, options_.k_max));
    for (std::size_t i = size; i < pool->selected.size(); ++i) {
      Reject(pool->selected[i].sample, "pool_full");
    }
    pool->selected.resize(size);
  }

  // Counts the values of the axes, and removes what is over the budgets.
  void Balance() {
    std::vector<BalancedSample> chosen;
    for (auto& [key, pool] : pools_) {
      for (const auto& [id, members] : pool.clusters) {
        for (const std::size_t i : members) CountAxes(pool, i, false);
      }
      for (std::size_t rank = 0; rank < pool.selected.size(); ++rank) {
        const std::size_t i = pool.selected[rank].sample;
        chosen.push_back({i, rank, samples_[i].id, samples_[i].tokens,
                          AxesOf(samples_[i], pool.report.pass_rate)});
      }
    }
    const std::set<std::size_t> kept = BalancedChoice(std::move(chosen), options_);
    for (auto& [key, pool] : pools_) {
      std::erase_if(pool.selected, [&](const PooledSample& one) {
        if (kept.contains(one.sample)) return false;
        Reject(one.sample, "balance");
        return true;
      });
      for (const PooledSample& one : pool.selected) CountAxes(pool, one.sample, true);
    }
  }

  void CountAxes(const Pool& pool, std::size_t sample, bool selected) {
    const SampleAxes axes = AxesOf(samples_[sample], pool.report.pass_rate);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      SampleSelection::Share& share = result_.balance[std::string(kBalanceAxes[i])][axes[i]];
      ++(selected ? share.selected : share.eligible);
    }
  }

  void Finish(Pool* pool) {
    PoolReport& report = pool->report;
    report.selected = static_cast<std::int64_t>(pool->selected.size());
    report.random_clusters = ExpectedClusters(pool->clusters, report.selected);
    for (PooledSample& one : pool->selected) {
      const JudgedSample& sample = samples_[one.sample];
      one.pool_id = PoolId(sample.task, sample.backend);
      one.weight = 1.0 / static_cast<double>(pool->selected.size());
      result_.selected.push_back(one);
    }
    result_.pools.push_back(report);
  }

  const std::vector<JudgedSample>& samples_;
  const SelectionOptions& options_;
  std::map<std::pair<std::string, std::string>, Pool> pools_;
  SampleSelection result_;
};

}  // namespace

std::int64_t PoolSize(std::int64_t clusters, double pass_rate, std::int64_t k_max) {
  if (clusters == 0) return 0;
  // A hair below the product, so that 8 · (1 − 0.5) is 4 whatever the rounding.
  const double wanted = std::ceil(static_cast<double>(k_max) * (1 - pass_rate) - 1e-9);
  return std::clamp(static_cast<std::int64_t>(wanted), std::int64_t{1}, clusters);
}

SampleSelection SelectSamples(const std::vector<JudgedSample>& samples,
                              const SelectionOptions& options) {
  return Selector(samples, options).Run();
}

Json SampleSelection::ToJson() const {
  std::int64_t judged = 0, correct = 0, clusters = 0;
  double random = 0;
  for (const PoolReport& pool : pools) {
    judged += pool.judged;
    correct += pool.correct;
    clusters += pool.clusters;
    random += pool.random_clusters;
  }
  Json::Object reasons, axes;
  for (const UnselectedSample& one : unselected) {
    Json& count = reasons[one.reason];
    count = (count.is_null() ? 0 : count.as_int()) + 1;
  }
  for (const auto& [axis, values] : balance) {
    Json::Object shares;
    for (const auto& [value, share] : values) {
      shares[value] = Json::Object{{"eligible", share.eligible}, {"selected", share.selected}};
    }
    axes[axis] = std::move(shares);
  }
  const auto covered = static_cast<std::int64_t>(selected.size());
  return Json::Object{
      {"pools", static_cast<std::int64_t>(pools.size())},
      {"judged", judged},
      {"correct", correct},
      {"structures", clusters},
      {"selected", covered},
      {"unselected", std::move(reasons)},
      {"coverage",
       Json::Object{{"structures", covered},
                    {"random_choice", random},
                    {"times", random > 0 ? Json(static_cast<double>(covered) / random) : Json()}}},
      {"balance", std::move(axes)}};
}

}  // namespace kernelmill
