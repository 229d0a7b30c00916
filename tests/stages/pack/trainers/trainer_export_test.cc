#include "stages/pack/trainers/trainer_export.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "manifests/dataset_listing.h"
#include "tests/stages/pack/trainers/trainer_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

constexpr int kTasks = 10;

std::vector<Json> LinesOf(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::Parse(line).value());
  return lines;
}

class TrainerExportTest : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    dataset_ = new TemporaryFolder;
    ASSERT_TRUE(PublishSynthetic(dataset_->path(), TrainerRecords(kTasks), 7).ok());
  }
  static void TearDownTestSuite() {
    delete dataset_;
    dataset_ = nullptr;
  }

  static Result<ExportedRows> Export(const std::string& name, const std::string& output,
                                     const TrainerOptions& options = {}) {
    return ExportForTrainer(dataset_->path(), *FindTrainerFormat(name), options, output);
  }
  // The lines of data/train.jsonl.
  static std::vector<Json> TrainLines(const std::string& name, const TrainerOptions& options = {}) {
    TemporaryFolder folder;
    EXPECT_TRUE(Export(name, folder.path(), options).ok());
    return LinesOf(folder.path() + "/data/train.jsonl");
  }

  static TemporaryFolder* dataset_;
};
TemporaryFolder* TrainerExportTest::dataset_ = nullptr;

TEST_P(TrainerExportTest, HasTheSameBytesEachTimeAndTakesNoFolderTwice) {
  TemporaryFolder folder, again;
  const ExportedRows exported = Export(GetParam(), folder.path()).value();
  EXPECT_EQ(Export(GetParam(), again.path())->files, exported.files);
  EXPECT_EQ(ListDataset(folder.path())->files.size(), exported.files.size());
  for (const std::string& file : exported.files) {
    EXPECT_EQ(ReadFile(folder.path() + "/" + file).value(),
              ReadFile(again.path() + "/" + file).value())
        << file;
  }
  EXPECT_EQ(Export(GetParam(), folder.path()).status().code(), ErrorCode::kExists);
  EXPECT_THAT(ReadFile(folder.path() + "/README.md").value(), HasSubstr(GetParam()));
}

TEST_P(TrainerExportTest, EveryRowIsThere) {
  TemporaryFolder folder;
  const ExportedRows exported = Export(GetParam(), folder.path()).value();
  const bool questions = FindTrainerFormat(GetParam())->row_of_turn == nullptr;
  const std::int64_t each = questions ? 1 : 3;
  if (GetParam() != "resampled") {
    EXPECT_EQ(exported.rows.at("train"), each * kTasks * 4 / 5);
  }
  EXPECT_EQ(exported.rows.at("validation"), each * kTasks / 5);
}

TEST_P(TrainerExportTest, WhatAKilledExportLeftIsRemoved) {
  TemporaryFolder folder;
  ASSERT_TRUE(MakeFolders(folder.path() + "/data").ok());
  std::ofstream(TemporaryPath(folder.path() + "/data/train.jsonl")) << "a part";
  const ExportedRows exported = Export(GetParam(), folder.path()).value();
  EXPECT_EQ(ListDataset(folder.path())->files.size(), exported.files.size());
}

INSTANTIATE_TEST_SUITE_P(Formats, TrainerExportTest,
                         testing::Values("trl", "trl-rl", "verl", "verl-rl", "llamafactory",
                                         "axolotl", "swift", "resampled", "prompts"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

using TrainerRows = TrainerExportTest;

TEST_F(TrainerRows, NoFormatMarksAWrongAnswerAsTrained) {
  for (const char* name : {"axolotl", "swift", "resampled"}) {
    const char* const mark = std::string_view(name) == "axolotl" ? "train" : "loss";
    int wrong = 0;
    for (const Json& line : TrainLines(name)) {
      const Json::Array& messages = line.Find("messages")->as_array();
      for (const Json& message : messages) {
        const Json* const trained = message.Find(mark);
        const bool last = &message == &messages.back();
        wrong += message.TextAt("content") == kWrongAnswer;
        if (message.TextAt("role") == "assistant") {
          ASSERT_NE(trained, nullptr);
          EXPECT_EQ(trained->as_bool(), last);
        }
      }
    }
    EXPECT_GT(wrong, 0);
  }
  for (const Json& line : TrainLines("trl")) {
    EXPECT_EQ(line.Find("completion")->as_array().size(), 1u);
    EXPECT_NE(line.Find("completion")->as_array()[0].TextAt("content"), kWrongAnswer);
  }
}

TEST_F(TrainerRows, FoldedHistoryLeavesOneAnswer) {
  for (const char* name : {"llamafactory", "axolotl", "swift"}) {
    for (const Json& line : TrainLines(name, {.fold_history = true})) {
      EXPECT_EQ(line.Find("messages")->as_array().size(), 2u);
    }
  }
}

TEST_F(TrainerRows, SwiftCarriesTheWeight) {
  for (const Json& line : TrainLines("swift")) {
    EXPECT_EQ(line.Find("messages")->as_array().back().Find("loss_scale")->as_double(),
              line.Find("weight")->as_double());
  }
}

TEST_F(TrainerRows, TrainingRowsOfWeightZeroAreLeftOut) {
  std::map<Digest, std::string> records = TrainerRecords(kTasks);
  std::set<std::string> left_out;
  for (auto& [id, encoded] : records) {
    Record record = Record::Decode(encoded).value();
    if (record.kind != RecordKind::kTraining || id.Prefix64() % 2 == 0) continue;
    RowAttributes attributes = RowAttributes::Of(record).value();
    attributes.weight = 0;
    record.attributes = attributes.ToJson();
    encoded = record.Encode();
    if (attributes.split == "train") left_out.insert(id.Hex());
  }
  ASSERT_GT(left_out.size(), 5u);
  TemporaryFolder dataset;
  ASSERT_TRUE(PublishSynthetic(dataset.path(), records, 7).ok());
  for (const char* name : {"trl", "llamafactory", "axolotl", "swift"}) {
    TemporaryFolder folder;
    const ExportedRows exported =
        ExportForTrainer(dataset.path(), *FindTrainerFormat(name), {}, folder.path()).value();
    const std::vector<Json> lines = LinesOf(folder.path() + "/data/train.jsonl");
    EXPECT_EQ(lines.size() + left_out.size(), 3u * kTasks * 4 / 5);
    for (const Json& line : lines) EXPECT_FALSE(left_out.contains(line.TextAt("content_id")));
    EXPECT_EQ(exported.rows.at("validation"), 3 * kTasks / 5);
    EXPECT_THAT(ReadFile(folder.path() + "/README.md").value(),
                HasSubstr("their weight is 0: " + std::to_string(left_out.size())));
  }
}

TEST_F(TrainerRows, ARowIsDrawnByItsWeightAndEachCopyIsMarked) {
  std::map<std::string, std::vector<std::int64_t>> copies;
  for (const Json& line : TrainLines("trl", {.seed = 3, .resample = true})) {
    EXPECT_EQ(line.Find("weight")->as_double(), 1);
    copies[line.TextAt("content_id")].push_back(line.IntegerAt("copy"));
  }
  for (const Row& row : RowsOf(TrainerRecords(kTasks))) {
    if (row.attributes.split != "train") continue;
    const std::vector<std::int64_t>& of_row = copies[row.content_id.Hex()];
    EXPECT_LE(std::abs(static_cast<double>(of_row.size()) - row.attributes.weight), 1);
    for (std::size_t i = 0; i < of_row.size(); ++i) {
      EXPECT_EQ(of_row[i], static_cast<std::int64_t>(i));
    }
  }
  EXPECT_NE(TrainLines("trl", {.seed = 4, .resample = true}).size(),
            TrainLines("trl", {.seed = 3, .resample = true}).size());
}

TEST_F(TrainerRows, ARewardFunctionGetsWhatTheVerifierNeeds) {
  for (const Json& line : TrainLines("trl-rl")) {
    EXPECT_THAT(line.TextAt("task"), HasSubstr("class Model(nn.Module)"));
    EXPECT_EQ(line.TextAt("task_id").size(), 64u);
    EXPECT_EQ(line.TextAt("backend"), "cuda");
    EXPECT_EQ(line.TextAt("contract"), "fixed_shapes,contiguous,usual_values");
    EXPECT_EQ(line.TextAt("target"), "sm_80");
    // The task stands in the question.
    EXPECT_THAT(line.Find("prompt")->as_array()[0].TextAt("content"),
                HasSubstr(line.TextAt("task").substr(0, 30)));
  }
}

TEST_F(TrainerRows, PromptsHaveNamesOfTheirOwn) {
  TrainerOptions options;
  options.questions.backends = {&kCudaBackend, &kMusaBackend};
  options.questions.conversations = true;
  std::set<std::string> names;
  const std::vector<Json> lines = TrainLines("prompts", options);
  for (const Json& line : lines) names.insert(line.TextAt("custom_id"));
  EXPECT_EQ(names.size(), lines.size());
  EXPECT_EQ(lines.size(), 3u * kTasks * 4 / 5);  // Two backends and one conversation.
}

TEST_F(TrainerRows, ADatasetOrAFileIsNoPlaceForThem) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/file";
  ASSERT_TRUE(CommitFile(file, "mine").ok());
  EXPECT_EQ(Export("trl", file).status().code(), ErrorCode::kUsage);
  EXPECT_EQ(Export("trl", file + "/below").status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Export("trl", dataset_->path()).status().code(), ErrorCode::kExists);
}

TEST_F(TrainerRows, DamagedRecordsLeaveNoFiles) {
  TemporaryFolder folder, other, output;
  ASSERT_TRUE(PublishSynthetic(folder.path(), TrainerRecords(3), 100).ok());
  ASSERT_TRUE(PublishSynthetic(other.path(), TrainerRecords(4), 100).ok());
  std::filesystem::copy_file(other.path() + "/shards/records-00000.mdb",
                             folder.path() + "/shards/records-00000.mdb",
                             std::filesystem::copy_options::overwrite_existing);
  const Status status =
      ExportForTrainer(folder.path(), *FindTrainerFormat("trl"), {}, output.path()).status();
  EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(ListDataset(output.path())->files, testing::IsEmpty());
}

}  // namespace
}  // namespace kernelmill
