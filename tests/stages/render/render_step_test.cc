// Tests which rows the step `render` publishes and which it rejects.
#include "stages/render/render_step.h"
#include "stages/engine/subject_records.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "corpora/reject.h"
#include "tests/generators/task_rows/small_known_task.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

Record RecordOf(RecordKind kind, Json payload, const Digest& task) {
  Record record;
  record.kind = kind;
  record.payload = std::move(payload);
  record.origins = {Origin{}};
  record.origins[0].generator = 1;
  if (kind != RecordKind::kTask) record.lineage.push_back({.step = "test", .inputs = {task}});
  return record;
}

// The records about the small task. `mapping`, if not empty, replaces the sentence of every plan
// about its mapping.
std::vector<Record> SmallRecords(const std::string& mapping) {
  KnownTask known = SmallTask();
  std::vector<Record> records = {RecordOf(RecordKind::kTask, known.task.ToJson(), Digest())};
  const Digest task = records[0].ContentId();
  known.facts.task = task;
  records.push_back(RecordOf(RecordKind::kAnnotation, known.facts.ToJson(), task));
  for (KnownCandidate& item : known.candidates) {
    item.candidate.task = task;
    item.candidate.verdict.backend = item.candidate.backend;
    for (DesignedKernel& kernel : item.candidate.kernels) {
      if (mapping.empty()) continue;
      // The plan's own sentence is used where the strategy has no variants.
      kernel.strategy = "unknown";
      kernel.mapping = mapping;
    }
    records.push_back(RecordOf(RecordKind::kCandidate, item.candidate.ToJson(), task));
  }
  return records;
}

class RenderStepTest : public testing::Test {
 protected:
  struct Rendered {
    StepCounts counts;
    std::vector<TrainingRecord> rows;
    std::vector<Reject> rejects;
  };

  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "km-render-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs the step alone over the records, which are about one task.
  Rendered Render(const std::vector<Record>& records) {
    Rendered rendered;
    std::vector<ConfigKey> keys = RenderKeys();
    keys.push_back({"seed", ConfigType::kInteger, 7, "", "The seed."});
    const Config config = Config::Parse(keys, "{}", "test", {}).value();
    RenderStep step(config);
    RunOptions options;
    options.output = folder_ + "/run" + std::to_string(runs_++);
    options.jobs = 1;
    options.partitions = 1;
    kernelmill::Run run = kernelmill::Run::Open(options).value();
    const kernelmill::Run::Propose propose = [&](const kernelmill::Run::Emit& emit) -> Status {
      for (const Record& record : records) {
        KM_RETURN_IF_ERROR(emit(std::string(records[0].ContentId().AsKey()),
                                Json(Json::Array{record.Encode()}).Dump()));
      }
      return Status::Ok();
    };
    const Result<StepCounts> counts = run.Do(step, propose, MergeSubjectRecords);
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    if (!counts.ok()) return rendered;
    rendered.counts = *counts;
    const Status outputs =
        run.ForEachOutput("render", [&](std::string_view, std::string_view body) {
          KM_ASSIGN(const Record record, Record::Decode(body));
          if (record.kind != RecordKind::kTraining) return Status::Ok();
          KM_ASSIGN(TrainingRecord row, TrainingRecord::FromJson(record.payload));
          rendered.rows.push_back(std::move(row));
          return Status::Ok();
        });
    EXPECT_TRUE(outputs.ok()) << outputs.message();
    const Status rejects =
        run.ForEachReject("render", [&](std::string_view, std::string_view bytes) {
          KM_ASSIGN(Reject reject, Reject::Decode(bytes));
          rendered.rejects.push_back(std::move(reject));
          return Status::Ok();
        });
    EXPECT_TRUE(rejects.ok()) << rejects.message();
    return rendered;
  }

  std::string folder_;
  int runs_ = 0;
};

TEST_F(RenderStepTest, RowsThatTheirRecordsSupportAreAllPublished) {
  const Rendered rendered = Render(SmallRecords(""));
  EXPECT_GT(rendered.rows.size(), 5u);
  EXPECT_TRUE(rendered.counts.rejected_items.empty());
  EXPECT_TRUE(rendered.rejects.empty());
}

// A plan that names code which its kernel does not contain makes false sentences.
TEST_F(RenderStepTest, ARowWithAFalseSentenceIsRejectedAndCounted) {
  const std::size_t rows_in_all = Render(SmallRecords("")).rows.size();
  for (const char* falsehood :
       {"each block copies its rows into `ghost_buffer`", "each thread writes `ghost[i]`"}) {
    const std::string mapping = falsehood;
    const std::string quoted = mapping.substr(mapping.find('`'));
    const Rendered rendered = Render(SmallRecords(mapping));
    EXPECT_EQ(rendered.counts.in, 1);
    EXPECT_EQ(rendered.counts.kept, 1);
    EXPECT_TRUE(rendered.counts.rejected.empty());
    ASSERT_FALSE(rendered.rejects.empty());
    EXPECT_EQ(rendered.counts.rejected_items.at("unsupported_fact"),
              static_cast<std::int64_t>(rendered.rejects.size()));
    EXPECT_EQ(rendered.rows.size() + rendered.rejects.size(), rows_in_all);
    for (const TrainingRecord& row : rendered.rows) {
      EXPECT_EQ(row.messages.back().content.find(quoted), std::string::npos);
    }
    for (const Reject& reject : rendered.rejects) {
      EXPECT_EQ(reject.reason, "unsupported_fact");
      EXPECT_NE(reject.detail.find(quoted), std::string::npos) << reject.detail;
      EXPECT_EQ(reject.origins.size(), 1u);
      // The whole row is in quarantine.
      const Result<Json> json = Json::Parse(reject.original);
      ASSERT_TRUE(json.ok());
      const Result<TrainingRecord> row = TrainingRecord::FromJson(*json);
      ASSERT_TRUE(row.ok()) << row.status().message();
      EXPECT_NE(row->messages.back().content.find(quoted), std::string::npos);
    }
  }
}

// A plan that tells what a compiler did makes sentences that no question has a ground for.
TEST_F(RenderStepTest, ARowThatSaysWhatItsQuestionDoesNotShowIsRejectedAndCounted) {
  const std::size_t rows_in_all = Render(SmallRecords("")).rows.size();
  const Rendered rendered = Render(SmallRecords("one thread has an element, and nothing spills"));
  ASSERT_FALSE(rendered.rejects.empty());
  EXPECT_EQ(rendered.counts.rejected_items.at("not_answerable"),
            static_cast<std::int64_t>(rendered.rejects.size()));
  EXPECT_EQ(rendered.rows.size() + rendered.rejects.size(), rows_in_all);
  for (const Reject& reject : rendered.rejects) {
    EXPECT_EQ(reject.reason, "not_answerable");
    EXPECT_NE(reject.detail.find("spill"), std::string::npos) << reject.detail;
  }
  for (const TrainingRecord& row : rendered.rows) {
    EXPECT_EQ(row.messages.back().content.find("spills"), std::string::npos);
  }
}

}  // namespace
}  // namespace kernelmill
