// Writes the rows of a dataset again from its records, without running anything. The environment
// variable KERNELMILL_DATASET names the dataset; KERNELMILL_ROWS, if set, the file for the rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "corpora/shards/shard.h"
#include "generators/grounding/row_rules.h"
#include "generators/grounding/unanswerable_claims.h"
#include "generators/kernel_prose/kernel_knowledge.h"
#include "generators/task_rows/task_rows.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kSeed = 7;  // The default of a run.

std::vector<Record> RecordsOf(const std::string& dataset) {
  std::vector<Record> records;
  for (const auto& file : std::filesystem::directory_iterator(dataset + "/shards")) {
    if (file.path().extension() != ".mdb") continue;
    const auto shard = ShardReader::Open(file.path().string());
    EXPECT_TRUE(shard.ok()) << shard.status().message();
    if (!shard.ok()) continue;
    const Status read = shard->ForEach("", [&](std::string_view, std::string_view value, bool*) {
      KM_ASSIGN(Record record, Record::Decode(value));
      records.push_back(std::move(record));
      return Status::Ok();
    });
    EXPECT_TRUE(read.ok()) << read.message();
  }
  return records;
}

class RowsOfADataset : public testing::Test {
 protected:
  void Write(const TrainingRecord& training) {
    ++rows_;
    if (file_.is_open()) file_ << training.ToJson().Dump() << '\n';
  }
  void WriteTask(const Record& task, const std::vector<Record>& records, bool validation) {
    Result<KnownTask> known = KnownTask::Of(task, records);
    ASSERT_TRUE(known.ok()) << known.status().message();
    known->seed = kSeed;
    known->validation = validation;
    std::vector<WrittenRow> rows;
    for (const TaskRows& family : AllTaskRows()) family.write(*known, &rows);
    for (const WrittenRow& row : rows) {
      Write(row.training);
      checked_ += !CandidatesOf(*known, row).empty();
      const auto violation = FindRowViolation(*known, row);
      EXPECT_FALSE(violation) << FamilyName(row.training.family) << ": " << violation->detail
                              << "\n"
                              << row.training.messages.back().content.substr(0, 1500);
    }
  }

  std::ofstream file_;
  int rows_ = 0, checked_ = 0;
};

TEST_F(RowsOfADataset, SayNothingThatNoFactSupports) {
  const char* const dataset = std::getenv("KERNELMILL_DATASET");
  if (dataset == nullptr) GTEST_SKIP() << "KERNELMILL_DATASET names no dataset";
  if (const char* const path = std::getenv("KERNELMILL_ROWS")) file_.open(path);
  std::map<std::string, std::vector<Record>> about;  // By the hexadecimal id of the task.
  std::vector<Record> tasks, kernels;
  for (Record& record : RecordsOf(dataset)) {
    switch (record.kind) {
      case RecordKind::kTask:
        tasks.push_back(std::move(record));
        break;
      case RecordKind::kKernel:
        kernels.push_back(std::move(record));
        break;
      case RecordKind::kTraining:
        break;
      default:
        about[record.payload.TextAt("task")].push_back(std::move(record));
    }
  }
  ASSERT_FALSE(tasks.empty() && kernels.empty());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    WriteTask(tasks[i], about[tasks[i].ContentId().Hex()], i % 20 == 0);
  }
  for (const Record& record : kernels) {
    const auto kernel = KernelSource::FromJson(record.payload);
    ASSERT_TRUE(kernel.ok());
    const auto facts = ReadKernelFacts(kernel->code, kernel->name, kernel->line);
    if (!facts) continue;
    for (const TrainingRecord& row :
         WriteKernelKnowledge(record.ContentId(), *kernel, *facts, kSeed)) {
      const auto claims = UnanswerableClaims(row);
      EXPECT_TRUE(claims.empty()) << claims.front();
      Write(row);
    }
  }
  std::printf("%d rows, %d checked against the facts\n", rows_, checked_);
}

}  // namespace
}  // namespace kernelmill
