#include "stages/mix/near_equal_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "corpora/duplicates/near_duplicates.h"
#include "manifests/split_mix.h"
#include "parsers/program_grams.h"

namespace kernelmill {
namespace {

struct ProgramRow {
  Digest id;
  TrainingRecord training;
  std::vector<std::uint64_t> grams;
};

ProgramRow RowOf(int task, Family family, const std::string& backend, const std::string& code,
                 const std::string& name) {
  ProgramRow row;
  row.id = DigestOf(name);
  row.training.family = family;
  row.training.backend = backend;
  row.training.task_id = DigestOf("task " + std::to_string(task));
  row.training.messages = {{"user", name}, {"assistant", "I see.\n\n```python\n" + code + "```\n"}};
  row.grams = ProgramGrams(ProgramLanguage::kPython, code);
  return row;
}

// A program of 40 lines, of which `changes` are its own.
std::string Changed(const std::string& base, int changes, std::uint64_t* state) {
  std::set<std::uint64_t> own;
  for (int i = 0; i < changes; ++i) own.insert(NextMixedBits(state) % 40);
  std::string code = "class ModelNew:\n";
  for (std::uint64_t line = 0; line < 40; ++line) {
    code += "    " + base + std::to_string(line) + " = f(" +
            std::to_string(own.contains(line) ? NextMixedBits(state) % 100'000 : line) +
            ", a, b)\n";
  }
  return code;
}

// `tasks` tasks with up to 30 rows each: of all families, of three bases a task, and with between
// no and ten lines changed.
std::vector<ProgramRow> Rows(int tasks, std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t bound) { return NextMixedBits(&state) % bound; };
  std::vector<ProgramRow> rows;
  for (int task = 0; task < tasks; ++task) {
    const std::uint64_t count = 1 + below(30);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Family family = AllFamilies()[below(AllFamilies().size())];
      const std::string base(1, static_cast<char>('x' + below(3)));
      rows.push_back(RowOf(task, family, below(2) == 0 ? "cuda" : "musa",
                           Changed(base, static_cast<int>(below(11)), &state),
                           std::to_string(task) + "/" + std::to_string(i)));
    }
  }
  return rows;
}

NearEqualTwins TwinsOf(const std::vector<ProgramRow>& rows, const NearEqualOptions& options) {
  NearEqualRows search = NearEqualRows::Create(testing::TempDir()).value();
  for (const ProgramRow& row : rows) EXPECT_TRUE(search.Add(row.id, row.training).ok());
  return search.Find(options).value();
}

double SimilarityBetween(const ProgramRow& a, const ProgramRow& b) {
  return SimilarityOf(a.grams, b.grams).Value();
}

// The largest number of programs among `trained` that one of them is near-equal to, itself
// included.
std::int64_t LargestGroup(const std::vector<const ProgramRow*>& trained, double similarity) {
  std::int64_t largest = 0;
  for (const ProgramRow* one : trained) {
    largest = std::max<std::int64_t>(
        largest, std::count_if(trained.begin(), trained.end(), [&](const ProgramRow* other) {
          return SimilarityBetween(*one, *other) >= similarity;
        }));
  }
  return largest;
}

TEST(NearEqualRows, NoTaskTrainsMoreThanTheLimitAndNoRowIsLeftOutBelowIt) {
  const std::vector<ProgramRow> rows = Rows(25, 1);
  for (const NearEqualOptions options : {NearEqualOptions{3, 0.8}, {1, 0.8}, {2, 0.5}, {1, 0.9}}) {
    const NearEqualTwins twins = TwinsOf(rows, options);
    EXPECT_GT(twins.size(), 20u);
    std::map<Digest, std::vector<const ProgramRow*>> trained;
    for (const ProgramRow& row : rows) {
      const bool is_program = TrainsProgram(row.training.family);
      EXPECT_TRUE(is_program || !twins.contains(row.id));
      if (is_program && !twins.contains(row.id)) trained[row.training.task_id].push_back(&row);
    }
    for (const auto& [task, programs] : trained) {
      EXPECT_LE(LargestGroup(programs, options.similarity), options.limit);
    }
    for (const ProgramRow& row : rows) {
      const auto twin = twins.find(row.id);
      if (twin == twins.end()) continue;
      std::vector<const ProgramRow*> with = trained[row.training.task_id];
      const auto named = std::find_if(with.begin(), with.end(), [&](const ProgramRow* other) {
        return other->id == twin->second;
      });
      ASSERT_NE(named, with.end()) << "not trained, or of another task";
      for (const ProgramRow* other : with) {
        EXPECT_GE(SimilarityBetween(row, **named), SimilarityBetween(row, *other));
      }
      EXPECT_GE(SimilarityBetween(row, **named), options.similarity);
      with.push_back(&row);
      EXPECT_GT(LargestGroup(with, options.similarity), options.limit);
    }
  }
}

TEST(NearEqualRows, NeitherTheOrderNorOtherTasksMatter) {
  std::vector<ProgramRow> rows = Rows(12, 2);
  const NearEqualOptions options{2, 0.7};
  const NearEqualTwins twins = TwinsOf(rows, options);
  EXPECT_GT(twins.size(), 10u);
  std::uint64_t state = 3;
  for (int i = 0; i < 5; ++i) {
    for (std::size_t at = rows.size(); at > 1; --at) {
      std::swap(rows[at - 1], rows[NextMixedBits(&state) % at]);
    }
    EXPECT_EQ(TwinsOf(rows, options), twins);
  }
  NearEqualTwins one_by_one;
  std::map<Digest, std::vector<ProgramRow>> tasks;
  for (const ProgramRow& row : rows) tasks[row.training.task_id].push_back(row);
  for (const auto& [task, of_task] : tasks) one_by_one.merge(TwinsOf(of_task, options));
  EXPECT_EQ(one_by_one, twins);
  EXPECT_TRUE(TwinsOf(rows, {0, 0.7}).empty());
}

TEST(NearEqualRows, EveryFamilyAndBackendComesBeforeASecondRowOfOne) {
  std::uint64_t state = 4;
  const std::string code = Changed("x", 0, &state);
  std::vector<ProgramRow> rows;
  for (int task = 0; task < 20; ++task) {
    for (const auto& [family, backend, count] :
         {std::tuple(Family::kTranslate, "cuda", 2), std::tuple(Family::kPort, "musa", 1),
          std::tuple(Family::kRepair, "cuda", 30)}) {
      for (int i = 0; i < count; ++i) {
        rows.push_back(RowOf(
            task, family, backend, code,
            std::to_string(task) + backend + std::string(FamilyName(family)) + std::to_string(i)));
      }
    }
  }
  const NearEqualTwins twins = TwinsOf(rows, {3, 0.8});
  EXPECT_EQ(twins.size(), 20u * 30);
  std::map<std::pair<Digest, Family>, int> trained;
  for (const ProgramRow& row : rows) {
    if (!twins.contains(row.id)) ++trained[{row.training.task_id, row.training.family}];
  }
  EXPECT_EQ(trained.size(), 20u * 3);
}

TEST(NearEqualRows, AnAnswerWithoutAProgramIsNeverLeftOut) {
  std::vector<ProgramRow> rows;
  for (int i = 0; i < 9; ++i) {
    rows.push_back(RowOf(0, Family::kRepair, "cuda", "", std::to_string(i)));
    rows.back().training.messages.back().content = i % 2 == 0 ? "I cannot." : "```python\n```\n";
  }
  EXPECT_TRUE(TwinsOf(rows, {1, 0}).empty());
}

}  // namespace
}  // namespace kernelmill
