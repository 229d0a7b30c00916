// The weights of rows in training: factors that give every family its share of the trained tokens
// and keep capped groups within their caps. No row is repeated or left out.
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

namespace kernelmill {

// The groups of rows whose share of the trained tokens is capped.
enum class MixCap { kElementwise, kMusa, kSlow, kTask, kRepository };
inline constexpr int kMixCaps = 5;

struct MixOptions {
  std::map<Family, double> shares;      // Relative to each other.
  std::array<double, kMixCaps> caps{};  // Parts of the whole by MixCap; 0: none.

  // kConfig names the key.
  static Result<MixOptions> Of(const Config& config);
};
std::vector<ConfigKey> MixKeys();

// The properties of a row that its weight depends on.
struct MixedRow {
  Family family = Family::kTranslate;
  bool musa = false;         // Its answer is for MUSA, which no compiler of that platform has seen.
  bool elementwise = false;  // It is about a task whose every operator works element by element.
  bool slow = false;  // Its answer is estimated to be far slower than eager.
  Digest task_id;
  std::vector<std::string> repositories;  // Sorted. None where it is generated or supplied.

  friend auto operator<=>(const MixedRow&, const MixedRow&) = default;
};

class Mixture {
 public:
  // Of a row that has `part` of the weight of rows that ask for the same. Six significant digits.
  double WeightOf(const MixedRow& row, double part) const;
  const MixtureReport& report() const { return report_; }

  // Without the report.
  Json ToJson() const;
  static Result<Mixture> FromJson(const Json& json);

 private:
  friend class MixtureSolver;

  std::map<Family, double> families_;
  // By cap and what is capped: a task, a repository, or "". 1 where there is none.
  std::map<std::pair<MixCap, std::string>, double> factors_;
  MixtureReport report_;
};

class MixtureSolver {
 public:
  // `tokens`: of the part that is trained.
  void Add(const MixedRow& row, double part, std::int64_t tokens);
  // The mean of all weights over trained tokens is 1. A cap takes at most nine tenths of a row's
  // weight: what is too small for its caps is reported. Depends on the sums of what was added.
  Mixture Solve(const MixOptions& options) const;

 private:
  std::map<MixedRow, double> mass_;  // Tokens by weight.
  double tokens_ = 0;
};

}  // namespace kernelmill
