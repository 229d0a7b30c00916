// A small published dataset of synthetic records, for tests of packing and auditing.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "corpora/quarantine.h"
#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "manifests/commit_file.h"
#include "stages/pack/publish.h"

namespace kernelmill {

// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "kernelmill_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The encoded records of `tasks` tasks with two training records each, by content_id.
inline std::map<Digest, std::string> SyntheticRecords(int tasks) {
  std::map<Digest, std::string> records;
  const auto add = [&](const Record& record) { records[record.ContentId()] = record.Encode(); };
  for (int i = 0; i < tasks; ++i) {
    const std::string name = std::to_string(i);
    Record task;
    task.payload = Task{.code = "class Model(nn.Module):\n    width = " + name + "\n"}.ToJson();
    task.origins = {{.url = "https://example.org/" + name,
                     .commit = std::string(40, 'c'),
                     .blob = std::string(40, 'b'),
                     .path = "model.py",
                     .symbol = "Net",
                     .first_line = 1,
                     .last_line = 9}};
    task.licences = {{.spdx = "MIT",
                      .level = LicenceLevel::kNearestFile,
                      .path = "LICENSE",
                      .blob = std::string(40, 'd')}};
    task.lineage = {{.step = "mine", .parameters = DigestOf("mine")}};
    add(task);
    for (const std::string question : {"Which shapes?", "Which strides?"}) {
      Record row = task;
      row.kind = RecordKind::kTraining;
      TrainingRecord training;
      training.backend = "pytorch";
      training.prompt_template = "plain";
      training.task_id = task.ContentId();
      training.messages = {{"user", question},
                           {"assistant", "Those of " + DigestOf(question + name).Hex()}};
      row.payload = training.ToJson();
      row.attributes = RowAttributes{.split = i % 5 == 0 ? "validation" : "train",
                                     .prompt_tokens = i,
                                     .answer_tokens = 20,
                                     .weight = 0.5}
                           .ToJson();
      row.lineage.push_back(
          {.step = "render", .parameters = DigestOf("render"), .inputs = {task.ContentId()}});
      add(row);
    }
  }
  return records;
}

// Packs and publishes `records` with all parts of a dataset.
inline Result<DatasetManifest> PublishSynthetic(const std::string& folder,
                                                const std::map<Digest, std::string>& records,
                                                std::int64_t records_per_shard) {
  KM_ASSIGN(DatasetWriter writer,
            DatasetWriter::Create(folder, {.records_per_shard = records_per_shard}));
  for (const auto& [id, encoded] : records) KM_RETURN_IF_ERROR(writer.Add(encoded));
  KM_ASSIGN(const PackedRecords packed, writer.Finish());
  std::filesystem::remove_all(folder + "/quarantine");
  KM_RETURN_IF_ERROR(MakeFolders(folder + "/quarantine"));
  KM_ASSIGN(QuarantineWriter quarantine, QuarantineWriter::Create(folder + "/quarantine/mine.mdb"));
  KM_RETURN_IF_ERROR(
      quarantine.Add({.step = "mine", .reason = "parse_error", .key = "k", .original = "class ("}));
  KM_RETURN_IF_ERROR(quarantine.Finish());
  KM_RETURN_IF_ERROR(ReplaceFile(folder + "/README.md", "# A dataset\n"));
  DatasetFacts facts;
  facts.counts["mine"] = {.in = 3, .kept = 2, .rejected = {{"parse_error", 1}}};
  facts.plan = {{"mine", DigestOf("plan")}};
  facts.versions = {{"kernelmill", "0.1.0"}};
  return Publish(folder, packed, facts);
}

}  // namespace kernelmill
