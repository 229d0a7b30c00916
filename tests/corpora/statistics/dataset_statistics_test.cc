#include "corpora/statistics/dataset_statistics.h"

#include <gmock/gmock.h>

#include "tests/corpora/described_module.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Distribution, QuantilesAreValuesThatCameUp) {
  Distribution values;
  EXPECT_EQ(values.Quantile(0.5), 0);
  for (std::int64_t value : {1, 2, 2, 10}) values.Add(value);
  EXPECT_EQ(values.count(), 4);
  EXPECT_EQ(values.sum(), 15);
  EXPECT_EQ(values.Quantile(0), 1);
  EXPECT_EQ(values.Quantile(0.5), 2);
  EXPECT_EQ(values.Quantile(0.75), 2);
  EXPECT_EQ(values.Quantile(0.76), 10);
  EXPECT_EQ(values.Quantile(1), 10);
  values.Add(INT64_MAX);
  EXPECT_EQ(values.sum(), INT64_MAX);
}

TEST(Ranked, LargestFirstThenByName) {
  EXPECT_THAT(Ranked({{"a", 1}, {"c", 5}, {"b", 5}}),
              ElementsAre(Pair("b", 5), Pair("c", 5), Pair("a", 1)));
}

TEST(ProseVariety, RunsOfFourWordsThatAreThereForTheFirstTime) {
  std::string once, again, code = "\n```\n";
  for (int i = 0; i < 4000; ++i) {
    once += "word" + std::to_string(i) + (i % 7 == 0 ? "\n" : " ");
    again += i % 2 == 0 ? "the same " : "two words ";
    code += "line " + std::to_string(i) + "\n";
  }
  ProseVariety varied, dull;
  varied.Add(once);
  EXPECT_EQ(varied.distinct_sequences(), varied.sequences());
  EXPECT_GT(varied.sequences(), 150);  // 3,997 / 16 = 250 are expected.
  EXPECT_LT(varied.sequences(), 350);
  varied.Add(once + code + "```\n");
  EXPECT_EQ(2 * varied.distinct_sequences(), varied.sequences());
  dull.Add(again);
  EXPECT_LE(dull.distinct_sequences(), 4);
  EXPECT_GT(dull.CompressionRatio(), 50);
  EXPECT_LT(varied.CompressionRatio(), dull.CompressionRatio() / 5);
}

TEST(ProseVariety, CompressesTheProseAlone) {
  ProseVariety none, code, prose, all;
  EXPECT_EQ(none.CompressionRatio(), 0);
  std::string lines, text;
  for (int i = 0; i < 3000; ++i) lines += "y[i] = x[i] * 2;\n";
  for (std::uint32_t i = 0; i < 3000; ++i) text += std::to_string(i * 2654435761u) + "\n";
  code.Add("```\n" + lines + "```\n");
  EXPECT_EQ(code.CompressionRatio(), 0);
  prose.Add(text);
  all.Add(text + "```\n" + lines + "```\n");
  EXPECT_EQ(all.CompressionRatio(), prose.CompressionRatio());
  EXPECT_GT(prose.CompressionRatio(), 1.5);  // The text consists of digits.
  EXPECT_LT(prose.CompressionRatio(), 3);
  // The measure must not depend on the number of pieces.
  for (int i = 0; i < 300; ++i) all.Add(text);
  EXPECT_GT(all.CompressionRatio(), 100);
}

// Graphs are counted without sizes: two tasks with the same pattern count once, and tasks without a
// pattern not at all.
TEST(DatasetStatistics, CountsGraphsOfAGroup) {
  DatasetStatistics statistics;
  const std::string digits(32, 'a');
  for (const auto& [name, pattern] : std::map<std::string, std::string>{
           {"A", digits}, {"B", digits + digits}, {"C", std::string(32, 'b')}, {"D", ""}}) {
    DescribedModule module{.name = name};
    std::map<Digest, std::string> records;
    module.AddTo(&records);
    if (!pattern.empty()) module.task.attributes[kPatternAttribute] = pattern;
    for (const Record* record : {&module.task, &module.annotation, &module.row}) {
      ASSERT_TRUE(statistics.Add(*record).ok());
    }
  }
  ASSERT_EQ(statistics.row_groups.size(), 1u);
  const RowGroup& group = statistics.row_groups.begin()->second;
  EXPECT_EQ(group.subjects.size(), 4u);
  EXPECT_EQ(statistics.DistinctGraphs(group), 2);
}

TEST(DatasetStatistics, CountsLayouts) {
  Annotation facts;
  facts.task = DigestOf("task");
  const TensorFacts flat{{2, 3, 4, 5}, "float32", {60, 20, 5, 1}},
      last{{2, 3, 4, 5}, "float32", {60, 1, 15, 3}}, turned{{3, 2}, "float32", {1, 3}};
  facts.values = {{2, "x", flat}, {2, "y", last}, {3, "z", turned}};
  facts.operators = {{3, "mul", {turned, flat}}};
  facts.outputs = {flat, turned};
  DatasetStatistics statistics;
  ASSERT_TRUE(
      statistics.Add(Record{.kind = RecordKind::kAnnotation, .payload = facts.ToJson()}).ok());
  EXPECT_EQ(statistics.input_layouts, (Counts{{"channels last", 1}, {"contiguous", 1}}));
  EXPECT_EQ(statistics.result_layouts, (Counts{{"contiguous", 1}, {"strided", 1}}));
  EXPECT_THAT(statistics.outputs.counts(), ElementsAre(Pair(2, 1)));
}

TEST(DatasetStatistics, CountsRecordsOfEveryKind) {
  DescribedModule module, validation{.name = "B", .spdx = "", .split = "validation", .width = 64};
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  validation.AddTo(&records);
  // The same module in a second repository with another licence.
  Record row = module.row;
  row.origins.push_back(row.origins[0]);
  row.origins[1].url = "https://example.org/z";
  row.licences.push_back(row.licences[0]);
  row.licences[1].spdx = "ISC";
  records[row.ContentId()] = row.Encode();

  DatasetStatistics statistics;
  for (const auto& [id, encoded] : records) {
    ASSERT_TRUE(statistics.Add(Record::Decode(encoded).value()).ok());
  }
  EXPECT_EQ(statistics.records, (Counts{{"annotation", 2}, {"task", 2}, {"training", 2}}));
  EXPECT_EQ(statistics.Rows(), 2);
  EXPECT_EQ(statistics.rows["train"], (Counts{{"shape_reasoning", 1}}));
  EXPECT_EQ(statistics.rows["validation"], (Counts{{"shape_reasoning", 1}}));
  EXPECT_EQ(statistics.licences, (Counts{{"ISC", 1}, {"MIT", 1}}));
  EXPECT_EQ(statistics.rows_without_licence, 1);
  EXPECT_EQ(statistics.operator_calls, (Counts{{"mul", 2}}));
  EXPECT_THAT(statistics.input_elements.counts(), ElementsAre(Pair(16, 1), Pair(128, 1)));
  const std::string commit(40, 'c');
  ASSERT_EQ(statistics.sources.size(), 2u);
  EXPECT_EQ((statistics.sources[{"https://example.org/a", commit}].rows), 2);
  EXPECT_EQ((statistics.sources[{"https://example.org/a", commit}].subjects), 2);
  EXPECT_EQ((statistics.sources[{"https://example.org/z", commit}].rows), 1);
}

TEST(DatasetStatistics, CountsKernels) {
  DatasetStatistics statistics;
  ASSERT_TRUE(statistics.Add(DescribedKernel("add")).ok());
  ASSERT_TRUE(statistics.Add(DescribedKernel("scale", "musa")).ok());
  EXPECT_EQ(statistics.kernel_backends, (Counts{{"cuda", 1}, {"musa", 1}}));
  EXPECT_EQ(statistics.missing_names, (Counts{{"glm::vec3", 2}}));
  EXPECT_THAT(statistics.kernel_lines.counts(), ElementsAre(Pair(2, 2)));
  EXPECT_EQ(statistics.launched_kernels, 2);
  EXPECT_EQ(statistics.bound_kernels, 0);
  EXPECT_EQ(statistics.complete_kernels, 0);
  EXPECT_EQ((statistics.sources[{"https://example.org/k", std::string(40, 'c')}].subjects), 2);
}

TEST(DatasetStatistics, RefusesAPayloadThatIsNotOfItsKind) {
  Record record;
  record.kind = RecordKind::kTraining;
  record.payload = Json::Object{{"v", 1}};
  EXPECT_EQ(DatasetStatistics().Add(record).code(), ErrorCode::kCorrupt);
}

TEST(DatasetStatistics, CountsWhatAnswersShow) {
  DatasetStatistics statistics;
  for (const Record& record : DescribedAnswers()) ASSERT_TRUE(statistics.Add(record).ok());
  const CandidateStatistics& candidates = statistics.candidates;
  EXPECT_EQ(candidates.statuses, (Counts{{"cuda correct", 1}, {"cuda out_of_bounds", 1}}));
  const AnswerStatistics& answers = candidates.answers.at("cuda");
  EXPECT_EQ(answers.answers, 1);
  EXPECT_EQ(answers.memory_checked, 1);
  EXPECT_EQ(answers.races_checked, 0);
  EXPECT_EQ(answers.device_compiled, 0);
  EXPECT_EQ(answers.other_sizes, 1);
  EXPECT_EQ(answers.strategies, (Counts{{"block_a_row", 1}}));
  EXPECT_THAT(answers.StructuresPerTask().counts(), ElementsAre(Pair(1, 1)));
  ASSERT_EQ(candidates.bugs.size(), 1u);
  EXPECT_EQ(candidates.bugs.at("missing_guard"), (Counts{{"out_of_bounds", 1}}));
}

TEST(DatasetStatistics, CountsAnswersByTheKindOfTheTask) {
  DescribedModule module, other{.name = "B"};
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  other.AddTo(&records);
  Record generated = other.task;
  generated.payload.as_object()["code"] = "class Model(nn.Module): pass\n";
  generated.origins = {{.generator = 1, .seed = 7, .index = 3}};
  std::vector<Record> all = {module.task, other.task, generated};
  for (const Record& task : {module.task, generated}) {
    for (const char* backend : {"cuda", "musa"}) {
      for (const char* strategy : {"block_a_row", "warp_a_row"}) {
        Record answer = DescribedAnswers(backend, strategy).front();
        answer.payload.as_object()["task"] = task.ContentId().Hex();
        all.push_back(answer);
        if (task.generated()) break;
      }
    }
  }
  DatasetStatistics statistics;
  for (const Record& record : all) ASSERT_TRUE(statistics.Add(record).ok());
  const auto answered = statistics.Answered();
  ASSERT_EQ(answered.size(), 2u);
  EXPECT_EQ(answered.at("mined").tasks, 2);
  EXPECT_EQ(answered.at("mined").answered, 1);
  EXPECT_EQ(answered.at("mined").answers, (Counts{{"cuda", 2}, {"musa", 2}}));
  EXPECT_EQ(answered.at("generated").tasks, 1);
  EXPECT_EQ(answered.at("generated").answers, (Counts{{"cuda", 1}, {"musa", 1}}));
}

// A task counts once per group, however many rows are about it.
TEST(DatasetStatistics, GroupsRowsByWhatTheyAreAbout) {
  DescribedModule module, twin{.answer = "Two."};
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  twin.AddTo(&records);
  DatasetStatistics statistics;
  for (const auto& [id, encoded] : records) {
    ASSERT_TRUE(statistics.Add(Record::Decode(encoded).value()).ok());
  }
  ASSERT_EQ(statistics.row_groups.size(), 1u);
  const auto& [key, group] = *statistics.row_groups.begin();
  EXPECT_EQ(std::get<0>(key), "shape_reasoning");
  EXPECT_FALSE(std::get<3>(key));
  EXPECT_EQ(group.rows, 2);
  EXPECT_EQ(group.subjects.size(), 1u);
}

}  // namespace
}  // namespace kernelmill
