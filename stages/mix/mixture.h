// Computes the weights of rows in training, as products of factors that give every family its share
// of the trained tokens and keep capped groups within their caps. RowMixer (mix_rows.h) describes
// the rows of a run to the solver and applies the weights. No row is repeated or left out; those
// above the limit of near-equal programs (near_equal_rows.h) have the weight 0 and are not solved
// for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "corpora/records/training_record.h"
#include "generators/dataset_pages/mixture_report.h"
#include "manifests/config.h"
#include "stages/mix/near_equal_rows.h"

namespace kernelmill {

// The groups of rows whose share of the trained tokens is capped.
enum class MixCap { kElementwise, kMusa, kSlow, kTask, kRepository };
inline constexpr int kMixCaps = 5;

struct MixOptions {
  std::map<Family, double> shares;      // Relative to each other.
  std::array<double, kMixCaps> caps{};  // Largest shares, by MixCap; 0: no cap.
  NearEqualOptions near_equal;

  // kConfig for an invalid value; the message names the key.
  static Result<MixOptions> Of(const Config& config);
};
std::vector<ConfigKey> MixKeys();

// The properties of a row that its weight depends on.
struct MixedRow {
  Family family = Family::kTranslate;
  bool musa = false;         // Its answer is for MUSA, whose compiler has not checked it.
  bool elementwise = false;  // Its task has only elementwise operators (IsElementwiseOnly()).
  bool slow = false;  // Its answer is estimated to be far slower than eager.
  Digest task_id;
  std::vector<std::string> repositories;  // Sorted; empty for generated and supplied tasks.

  friend auto operator<=>(const MixedRow&, const MixedRow&) = default;
};

class Mixture {
 public:
  // The weight of a row, rounded to six significant digits. `part` is the row's share among the
  // rows that ask for the same.
  double WeightOf(const MixedRow& row, double part) const;
  const MixtureReport& report() const { return report_; }

  // The factors as JSON, without the report.
  Json ToJson() const;
  static Result<Mixture> FromJson(const Json& json);

 private:
  friend class MixtureSolver;

  std::map<Family, double> families_;
  // By cap and capped item: a task, a repository, or "". A missing entry means a factor of 1.
  std::map<std::pair<MixCap, std::string>, double> factors_;
  MixtureReport report_;
};

class MixtureSolver {
 public:
  // `tokens`: the number of tokens of the row that are trained on.
  void Add(const MixedRow& row, double part, std::int64_t tokens);
  // The weighted mean of all weights, by trained tokens, is 1. A cap reduces a row's weight by at
  // most nine tenths; groups that stay above their caps are reported. The result depends only on
  // the sums of what was added, not on the order.
  Mixture Solve(const MixOptions& options) const;

 private:
  std::map<MixedRow, double> mass_;  // Trained tokens times `part`, summed.
  double tokens_ = 0;
};

}  // namespace kernelmill
