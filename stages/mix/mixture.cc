#include "stages/mix/mixture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr char kMix[] = "mix", kCaps[] = "mix_caps";
constexpr std::string_view kCapNames[kMixCaps] = {"elementwise", "musa", "slow",
                                                     "task", "repository"};
constexpr double kLeastFactor = 0.1;
constexpr int kMostRounds = 400;
// Relative tolerance with which shares must meet their caps.
constexpr double kSlack = 1e-4;

std::string_view NameOf(MixCap cap) { return kCapNames[static_cast<int>(cap)]; }

// Rounds to six significant digits, which hides differences in the last bits of sums.
double Rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return std::strtod(text, nullptr);
}

// The capped groups that a row belongs to.
std::vector<std::pair<MixCap, std::string>> GroupsOf(const MixedRow& row) {
  std::vector<std::pair<MixCap, std::string>> groups;
  if (row.elementwise) groups.emplace_back(MixCap::kElementwise, "");
  if (row.musa) groups.emplace_back(MixCap::kMusa, "");
  if (row.slow) groups.emplace_back(MixCap::kSlow, "");
  groups.emplace_back(MixCap::kTask, row.task_id.Hex());
  for (const std::string& repository : row.repositories) {
    groups.emplace_back(MixCap::kRepository, repository);
  }
  return groups;
}

// The factors of a row's caps. Each cap applies once, even to a row from several repositories.
class CapFactors {
 public:
  CapFactors() { factors_.fill(1); }
  void Take(MixCap cap, double factor) {
    double& least = factors_[static_cast<std::size_t>(cap)];
    least = std::min(least, factor);
  }
  double Product() const {
    double product = 1;
    for (const double factor : factors_) product *= factor;
    return product;
  }

 private:
  std::array<double, kMixCaps> factors_;
};

Status NoName(const std::string& key, const std::string& name,
              const std::vector<std::string>& names) {
  const std::string near = NearestWord(name, names);
  return Status(ErrorCode::kConfig, key + ": there is no '" + name + "'" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Json::Object WithDefaults(const Config& config, std::string_view key) {
  Json::Object values = config.Value(key).as_object();
  for (const ConfigKey& each : MixKeys()) {
    if (each.name != key) continue;
    values.insert(each.default_value.as_object().begin(), each.default_value.as_object().end());
  }
  return values;
}

// Rows with the same properties, and the indices of their groups.
struct Cell {
  Family family;
  double mass;
  std::vector<std::size_t> groups;
};
struct Group {
  std::pair<MixCap, std::string> key;
  double cap = 0, factor = 1, share = 0;
};

struct Shares {
  std::vector<Cell> cells;
  std::vector<Group> groups;
  std::map<Family, double> wanted;  // Shares of families that have rows; their sum is 1.
  std::map<Family, double> factors;

  // Computes the factors of families from those of groups, and then the groups' shares from both.
  void Weigh() {
    std::map<Family, double> sums;
    std::vector<double> now;
    now.reserve(cells.size());
    for (const Cell& cell : cells) {
      CapFactors factors_of_caps;
      for (const std::size_t group : cell.groups) {
        factors_of_caps.Take(groups[group].key.first, groups[group].factor);
      }
      const double mass = cell.mass * factors_of_caps.Product();
      now.push_back(mass);
      sums[cell.family] += mass;
    }
    for (const auto& [family, share] : wanted) {
      factors[family] = sums[family] > 0 ? share / sums[family] : 0;
    }
    for (Group& group : groups) group.share = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const std::size_t group : cells[i].groups) {
        groups[group].share += now[i] * factors[cells[i].family];
      }
    }
  }

  // Changes the factor of each group by the square root of the change that would meet its cap if
  // nothing else changed. Returns whether a factor has changed.
  bool MoveToCaps() {
    bool moved = false;
    for (Group& group : groups) {
      const bool over = group.share > group.cap * (1 + kSlack / 2);
      const bool under = group.factor < 1 && group.share < group.cap * (1 - kSlack / 2);
      if (group.cap <= 0 || group.cap >= 1 || group.share <= 0 || (!over && !under)) continue;
      const double others = std::max(1 - group.share, 0.0);
      const double step = std::sqrt(group.cap * others / ((1 - group.cap) * group.share));
      const double next = std::clamp(group.factor * step, kLeastFactor, 1.0);
      moved = moved || std::abs(next - group.factor) > 1e-9;
      group.factor = next;
    }
    return moved;
  }
};

MixtureReport::Cap ReportOf(MixCap cap, double limit, const std::vector<Group>& groups) {
  MixtureReport::Cap report;
  report.name = NameOf(cap);
  report.limit = limit;
  for (const Group& group : groups) {
    if (group.key.first != cap) continue;
    ++report.all;
    report.largest = std::max(report.largest, group.share);
    report.over += group.share > limit * (1 + kSlack);
  }
  return report;
}

}  // namespace

std::vector<ConfigKey> MixKeys() {
  std::vector<ConfigKey> keys = {
      {kMix, ConfigType::kWeights,
       Json(Json::Object{{"translate", 45},
                         {"repair", 15},
                         {"optimize", 10},
                         {"review", 8},
                         {"shape_reasoning", 8},
                         {"analyze", 6},
                         {"port", 5},
                         {"knowledge", 3},
                         {"test", 2}}),
       "",
       "Relative shares of the families in the trained tokens, which determine the column weight. "
       "Families that are not named keep their defaults. Rows of a family with share 0 have weight "
       "0. The shares of families without rows are distributed among the others. No row is "
       "repeated or left out.",
       kNotNegative},
      {kCaps, ConfigType::kWeights,
       Json(Json::Object{{"elementwise", 0.15},
                         {"musa", 0.3},
                         {"slow", 0.1},
                         {"task", 0.001},
                         {"repository", 0.02}}),
       "",
       "The largest share of the weighted trained tokens for tasks with only elementwise operators "
       "(elementwise), for MUSA (musa), for answers below 0.3 of eager's estimated speed (slow), "
       "for each task or kernel (task), and for each repository (repository). Caps that are not "
       "named keep their defaults; 0 means no cap. The card lists the caps that a dataset is too "
       "small to meet.",
       kFraction},
  };
  for (ConfigKey& key : NearEqualKeys()) keys.push_back(std::move(key));
  return keys;
}

Result<MixOptions> MixOptions::Of(const Config& config) {
  MixOptions options;
  double whole = 0;
  std::vector<std::string> families;
  for (const Family family : AllFamilies()) families.emplace_back(FamilyName(family));
  for (const auto& [name, share] : WithDefaults(config, kMix)) {
    const Result<Family> family = FamilyFromName(name);
    if (!family.ok()) return NoName(kMix, name, families);
    options.shares[*family] = share.as_double();
    whole += share.as_double();
  }
  if (whole <= 0) {
    return Status(ErrorCode::kConfig, std::string(kMix) +
                                          ": every family has the share 0, so every row would have "
                                          "weight 0; give one family a share above 0");
  }
  for (const auto& [name, limit] : WithDefaults(config, kCaps)) {
    const auto* const cap = std::find(std::begin(kCapNames), std::end(kCapNames), name);
    if (cap == std::end(kCapNames)) {
      return NoName(kCaps, name, {std::begin(kCapNames), std::end(kCapNames)});
    }
    options.caps[static_cast<std::size_t>(cap - std::begin(kCapNames))] = limit.as_double();
  }
  options.near_equal = NearEqualOptions::Of(config);
  return options;
}

double Mixture::WeightOf(const MixedRow& row, double part) const {
  const auto family = families_.find(row.family);
  CapFactors factors_of_caps;
  for (const auto& group : GroupsOf(row)) {
    const auto factor = factors_.find(group);
    if (factor != factors_.end()) factors_of_caps.Take(group.first, factor->second);
  }
  return Rounded(family == families_.end() ? 0 : part * family->second * factors_of_caps.Product());
}

Json Mixture::ToJson() const {
  Json::Object families;
  for (const auto& [family, factor] : families_) families.emplace(FamilyName(family), factor);
  Json::Object caps;
  for (const std::string_view name : kCapNames) caps.emplace(name, Json::Object());
  for (const auto& [group, factor] : factors_) {
    caps.find(NameOf(group.first))->second[group.second] = factor;
  }
  return Json::Object{{"families", std::move(families)}, {"caps", std::move(caps)}};
}

Result<Mixture> Mixture::FromJson(const Json& json) {
  Json families, caps;
  JsonFields fields(json, "mixture");
  fields.Read("families", &families);
  fields.Read("caps", &caps);
  KM_RETURN_IF_ERROR(fields.Finish());
  const Status corrupt(ErrorCode::kCorrupt, "mixture: a factor is not a number");
  if (!families.is_object() || !caps.is_object()) return corrupt;
  const auto is_number = [](const Json& value) { return value.is_int() || value.is_double(); };
  Mixture mixture;
  for (const auto& [name, factor] : families.as_object()) {
    KM_ASSIGN(const Family family, FamilyFromName(name));
    if (!is_number(factor)) return corrupt;
    mixture.families_[family] = factor.as_double();
  }
  for (int i = 0; i < kMixCaps; ++i) {
    const Json* const factors = caps.Find(kCapNames[i]);
    if (factors == nullptr || !factors->is_object()) return corrupt;
    for (const auto& [name, factor] : factors->as_object()) {
      if (!is_number(factor)) return corrupt;
      mixture.factors_[{static_cast<MixCap>(i), name}] = factor.as_double();
    }
  }
  return mixture;
}

void MixtureSolver::Add(const MixedRow& row, double part, std::int64_t tokens) {
  mass_[row] += part * static_cast<double>(tokens);
  tokens_ += static_cast<double>(tokens);
}

Mixture MixtureSolver::Solve(const MixOptions& options) const {
  Shares shares;
  std::map<std::pair<MixCap, std::string>, std::size_t> numbers;
  for (const auto& [row, mass] : mass_) {
    const auto share = options.shares.find(row.family);
    if (mass <= 0 || share == options.shares.end() || share->second <= 0) continue;
    shares.wanted[row.family] = share->second;
    Cell cell{row.family, mass, {}};
    for (auto& group : GroupsOf(row)) {
      const double cap = options.caps[static_cast<std::size_t>(group.first)];
      if (cap <= 0) continue;
      const auto [at, is_new] = numbers.emplace(group, shares.groups.size());
      if (is_new) shares.groups.push_back({std::move(group), cap});
      cell.groups.push_back(at->second);
    }
    shares.cells.push_back(std::move(cell));
  }
  double whole = 0, all = 0;
  for (const auto& [family, share] : shares.wanted) whole += share;
  for (const auto& [family, share] : options.shares) all += share;
  for (auto& [family, share] : shares.wanted) share /= whole;
  shares.Weigh();
  for (int round = 0; round < kMostRounds && shares.MoveToCaps(); ++round) shares.Weigh();

  Mixture mixture;
  MixtureReport& report = mixture.report_;
  report.near_equal = {options.near_equal.limit, options.near_equal.similarity};
  for (const auto& [family, share] : options.shares) {
    const auto factor = shares.factors.find(family);
    const bool there = factor != shares.factors.end();
    mixture.families_[family] = there ? Rounded(factor->second * tokens_) : 0;
    report.families.push_back({std::string(FamilyName(family)), all > 0 ? share / all : 0,
                               there ? shares.wanted.at(family) : 0});
  }
  for (const Group& group : shares.groups) {
    if (group.factor < 1) mixture.factors_[group.key] = Rounded(group.factor);
  }
  for (int i = 0; i < kMixCaps; ++i) {
    const auto cap = static_cast<MixCap>(i);
    const double limit = options.caps[static_cast<std::size_t>(i)];
    if (limit > 0) report.caps.push_back(ReportOf(cap, limit, shares.groups));
  }
  bool first = true;
  for (const auto& [row, mass] : mass_) {
    const double weight = mixture.WeightOf(row, 1);
    if (weight <= 0) continue;
    report.least_weight = first ? weight : std::min(report.least_weight, weight);
    report.most_weight = std::max(report.most_weight, weight);
    first = false;
  }
  return mixture;
}

}  // namespace kernelmill
