#include "stages/mix/mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

using testing::HasSubstr;

struct Row {
  MixedRow row;
  std::int64_t tokens = 100;
  double part = 1;
};

MixOptions Options(const std::vector<std::string>& settings = {}) {
  const Config config = Config::Parse(MixKeys(), "{}", "test.yaml", settings).value();
  return MixOptions::Of(config).value();
}

// `tasks` tasks with rows of every family. Every third is generated and the others are from 100
// repositories; every second is elementwise only; every fifth has slow answers.
std::vector<Row> Dataset(int tasks) {
  std::vector<Row> rows;
  for (int task = 0; task < tasks; ++task) {
    for (const Family family : AllFamilies()) {
      Row row;
      row.row.family = family;
      row.row.musa = (task + static_cast<int>(family)) % 2 == 0;
      row.row.elementwise = task % 2 == 0;
      row.row.slow = task % 5 == 3;
      row.row.task_id = DigestOf("task " + std::to_string(task));
      if (task % 3 > 0) row.row.repositories = {"pkg:pypi/p" + std::to_string(task % 100)};
      if (task % 9 == 1) row.row.repositories.push_back("pkg:pypi/vendor");
      row.tokens = 50 + 37 * (task % 11) + 400 * static_cast<int>(family);
      row.part = 1.0 / (1 + task % 3);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Mixture Solved(const std::vector<Row>& rows, const MixOptions& options) {
  MixtureSolver solver;
  for (const Row& row : rows) solver.Add(row.row, row.part, row.tokens);
  return solver.Solve(options);
}

// The share, by weight, of the trained tokens of rows for which `is` is true.
template <typename Is>
double ShareOf(const std::vector<Row>& rows, const Mixture& mixture, Is is) {
  double all = 0, some = 0;
  for (const Row& row : rows) {
    const double mass = mixture.WeightOf(row.row, row.part) * static_cast<double>(row.tokens);
    all += mass;
    if (is(row.row)) some += mass;
  }
  return some / all;
}

const MixtureReport::Cap& CapOf(const Mixture& mixture, const std::string& name) {
  for (const MixtureReport::Cap& cap : mixture.report().caps) {
    if (cap.name == name) return cap;
  }
  ADD_FAILURE() << name;
  return mixture.report().caps.front();
}

// Ten repositories that exceed their caps, and a row that all of them contain.
TEST(Mixture, ARowOfSeveralRepositoriesPaysOnce) {
  std::vector<Row> rows;
  Row shared;
  shared.row.task_id = DigestOf("shared");
  for (int repository = 0; repository < 10; ++repository) {
    Row row;
    row.row.task_id = DigestOf(std::to_string(repository));
    row.row.repositories = {"r" + std::to_string(repository)};
    shared.row.repositories.push_back(row.row.repositories[0]);
    rows.push_back(row);
  }
  rows.push_back(shared);
  const Mixture mixture = Solved(rows, Options({"mix_caps={repository: 0.01, task: 1}"}));
  const double alone = mixture.WeightOf(rows[0].row, 1);
  EXPECT_GT(mixture.WeightOf(shared.row, 1), 0.5 * alone);
}

TEST(Mixture, FamiliesHaveTheirSharesAndCapsHold) {
  const std::vector<Row> rows = Dataset(3000);
  const MixOptions options = Options();
  const Mixture mixture = Solved(rows, options);
  double whole = 0;
  for (const auto& [family, share] : options.shares) whole += share;
  for (const auto& [family, share] : options.shares) {
    const double found =
        ShareOf(rows, mixture, [&](const MixedRow& row) { return row.family == family; });
    EXPECT_NEAR(found, share / whole, 1e-4) << FamilyName(family);
  }
  const double elementwise =
      ShareOf(rows, mixture, [](const MixedRow& row) { return row.elementwise; });
  EXPECT_LE(elementwise, 0.15 * 1.001);
  // The cap is not tighter than necessary.
  EXPECT_GE(elementwise, 0.15 * 0.99);
  EXPECT_LE(ShareOf(rows, mixture, [](const MixedRow& row) { return row.musa; }), 0.3 * 1.001);
  EXPECT_LE(ShareOf(rows, mixture, [](const MixedRow& row) { return row.slow; }), 0.1 * 1.001);
  std::map<Digest, double> tasks;
  std::map<std::string, double> repositories;
  double all = 0;
  std::int64_t tokens = 0;
  for (const Row& row : rows) {
    const double weight = mixture.WeightOf(row.row, row.part);
    EXPECT_GT(weight, 0);
    const double mass = weight * static_cast<double>(row.tokens);
    all += mass;
    tokens += row.tokens;
    tasks[row.row.task_id] += mass;
    for (const std::string& repository : row.row.repositories) repositories[repository] += mass;
  }
  EXPECT_NEAR(all / static_cast<double>(tokens), 1, 1e-3);
  for (const auto& [task, mass] : tasks) EXPECT_LE(mass / all, 0.001 * 1.001);
  for (const auto& [name, mass] : repositories) EXPECT_LE(mass / all, 0.02 * 1.001) << name;
  for (const MixtureReport::Cap& cap : mixture.report().caps) EXPECT_EQ(cap.over, 0) << cap.name;
}

TEST(Mixture, WhatIsTooSmallForItsCapsIsReported) {
  const std::vector<Row> rows = Dataset(20);
  const Mixture mixture = Solved(rows, Options());
  const MixtureReport::Cap& tasks = CapOf(mixture, "task");
  EXPECT_EQ(tasks.all, 20);
  EXPECT_EQ(tasks.over, 20);
  EXPECT_GT(tasks.largest, 0.05 - 1e-9);
  EXPECT_EQ(CapOf(mixture, "elementwise").limit, 0.15);
  // Each of the five caps costs at most a factor of ten.
  const Mixture free = Solved(rows, Options({"mix_caps={task: 0, repository: 0, musa: 0, "
                                             "slow: 0, elementwise: 0}"}));
  EXPECT_TRUE(free.report().caps.empty());
  EXPECT_LE(mixture.report().most_weight / mixture.report().least_weight,
            1e5 * free.report().most_weight / free.report().least_weight);
}

TEST(Mixture, SharesOfAbsentFamiliesGoToTheOthers) {
  std::vector<Row> rows = Dataset(3000);
  std::erase_if(rows, [](const Row& row) { return row.row.family == Family::kTranslate; });
  const Mixture mixture = Solved(rows, Options({"mix={knowledge: 0}"}));
  const auto share = [&](Family family) {
    return ShareOf(rows, mixture, [&](const MixedRow& row) { return row.family == family; });
  };
  EXPECT_EQ(share(Family::kKnowledge), 0);
  EXPECT_NEAR(share(Family::kRepair) / share(Family::kPort), 3, 1e-3);
  for (const MixtureReport::Family& family : mixture.report().families) {
    if (family.name == "translate") {
      EXPECT_GT(family.wanted, 0.4);
      EXPECT_EQ(family.reached, 0);
    }
  }
}

TEST(Mixture, DependsOnNoOrderAndSurvivesItsFile) {
  std::vector<Row> rows = Dataset(300);
  const Mixture mixture = Solved(rows, Options());
  const Json json = mixture.ToJson();
  const Mixture read = Mixture::FromJson(Json::Parse(json.Pretty()).value()).value();
  EXPECT_EQ(read.ToJson(), json);
  std::reverse(rows.begin(), rows.end());
  const Mixture again = Solved(rows, Options());
  for (const Row& row : rows) {
    EXPECT_EQ(read.WeightOf(row.row, row.part), mixture.WeightOf(row.row, row.part));
    EXPECT_EQ(again.WeightOf(row.row, row.part), mixture.WeightOf(row.row, row.part));
  }
  EXPECT_FALSE(
      Mixture::FromJson(Json::Parse(R"({"families":{"port":"1"},"caps":{}})").value()).ok());
}

TEST(Mixture, OfNoRowsIsNothing) {
  const Mixture mixture = Solved({}, Options());
  EXPECT_EQ(mixture.WeightOf({}, 1), 0);
  EXPECT_EQ(mixture.report().most_weight, 0);
}

TEST(Mixture, WhatIsWrongIsNamed) {
  const auto message = [](const std::string& setting) {
    const Config config = Config::Parse(MixKeys(), "{}", "test.yaml", {setting}).value();
    const Result<MixOptions> options = MixOptions::Of(config);
    EXPECT_FALSE(options.ok());
    return options.status().message();
  };
  EXPECT_THAT(message("mix={shape_reasonin: 1}"), HasSubstr("did you mean 'shape_reasoning'"));
  EXPECT_THAT(message("mix_caps={tasks: 0.1}"), HasSubstr("did you mean 'task'"));
  EXPECT_THAT(message("mix={translate: 0, repair: 0, optimize: 0, review: 0, shape_reasoning: 0, "
                      "analyze: 0, port: 0, knowledge: 0, test: 0}"),
              HasSubstr("mix: every family has the share 0"));
  const auto refused = [](const std::string& setting) {
    return Config::Parse(MixKeys(), "{}", "test.yaml", {setting}).status().message();
  };
  EXPECT_THAT(refused("mix={knowledge: -1}"), HasSubstr("mix.knowledge: must lie between 0"));
  EXPECT_THAT(refused("mix={knowledge: 1e308}"), HasSubstr("mix.knowledge: must lie between 0"));
  EXPECT_THAT(refused("mix_caps={task: 2}"), HasSubstr("mix_caps.task: must lie between 0 and 1"));
}

}  // namespace
}  // namespace kernelmill
