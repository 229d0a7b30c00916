// A small published dataset of synthetic records, for tests of packing and auditing.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "manifests/commit_file.h"
#include "manifests/git_id.h"
#include "stages/dedup/dedup_step.h"
#include "stages/mix/mix_rows.h"
#include "stages/pack/describe.h"
#include "stages/pack/publish.h"
#include "stages/recipes/licence_files.h"
#include "stages/recipes/published_files.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/step_table.h"
#include "tests/corpora/git_fixture.h"

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
                      .blob = GitBlobId(kMitLicence)}};
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

// Knows which rows are above the limit of near-equal programs.
inline RowMixer SyntheticMixer(const std::map<Digest, std::string>& records,
                               const MixOptions& options) {
  NearEqualRows rows =
      NearEqualRows::Create(std::filesystem::temp_directory_path().string()).value();
  for (const auto& [id, encoded] : records) {
    const Record record = Record::Decode(encoded).value();
    if (record.kind != RecordKind::kTraining) continue;
    if (!rows.Add(id, TrainingRecord::FromJson(record.payload).value()).ok()) abort();
  }
  RowMixer mixer;
  mixer.LeaveOut(rows.Find(options.near_equal).value());
  return mixer;
}

// The mixture of rows whose own part is 1. Rows above the limit of near-equal programs say so.
inline Mixture SyntheticMixture(const std::map<Digest, std::string>& records,
                                const MixOptions& options) {
  MixtureSolver solver;
  for (const auto& [id, encoded] : records) {
    const Record record = Record::Decode(encoded).value();
    if (record.kind != RecordKind::kTraining) continue;
    const RowAttributes attributes = RowAttributes::Of(record).value();
    if (attributes.split == "validation" || !attributes.near_equal_to.empty()) continue;
    solver.Add(RowMixer().Describe(record, TrainingRecord::FromJson(record.payload).value()), 1,
               attributes.answer_tokens);
  }
  return solver.Solve(options);
}

// The records with the weights that SyntheticMixture() gives their rows.
inline std::map<Digest, std::string> Weighed(std::map<Digest, std::string> records) {
  const Config config = Config::Parse(MixKeys(), "{}", "synthetic", {}).value();
  const MixOptions options = MixOptions::Of(config).value();
  const RowMixer mixer = SyntheticMixer(records, options);
  const auto weigh = [&](const Mixture& mixture) {
    for (auto& [id, encoded] : records) {
      Record record = Record::Decode(encoded).value();
      if (record.kind != RecordKind::kTraining) continue;
      RowAttributes attributes = RowAttributes::Of(record).value();
      attributes.weight = 1;
      record.attributes = attributes.ToJson();
      if (!mixer.Weigh(mixture, &record).ok()) abort();
      encoded = record.Encode();
    }
  };
  weigh(Mixture());  // Marks the rows above the limit, which the mixture leaves out.
  weigh(SyntheticMixture(records, options));
  return records;
}

// Packs and publishes `records` with all parts of a dataset. It is undamaged in the eyes of an
// audit if they are Weighed().
inline Result<DatasetManifest> PublishSynthetic(const std::string& folder,
                                                const std::map<Digest, std::string>& records,
                                                std::int64_t records_per_shard) {
  std::map<std::string, std::int64_t> families;
  std::set<std::pair<std::string, std::string>> repositories;
  DatasetStatistics statistics;
  Attribution attribution;
  const PackOptions options{.records_per_shard = records_per_shard};
  KM_ASSIGN(DatasetWriter writer, DatasetWriter::Create(folder, options));
  for (const auto& [id, encoded] : records) {
    KM_RETURN_IF_ERROR(writer.Add(encoded));
    KM_ASSIGN(const Record record, Record::Decode(encoded));
    KM_RETURN_IF_ERROR(statistics.Add(record));
    KM_RETURN_IF_ERROR(attribution.Add(record));
    for (const Origin& origin : record.origins) {
      if (origin.mined()) repositories.insert(origin.Source());
    }
    if (record.kind == RecordKind::kTraining) {
      ++families["rows." + record.payload.TextAt("family")];
    }
  }
  KM_ASSIGN(const PackedRecords packed, writer.Finish());
  Json::Array sources;
  for (const auto& [url, commit] : repositories) {
    sources.push_back(Json::Object{{"git", url}, {"url", url}, {"revision", commit}});
  }
  KM_ASSIGN(
      const Config config,
      Config::Parse(SftKeys(), Json(Json::Object{{"sources", std::move(sources)}}).Dump(),
                    "synthetic", {"pack.records_per_shard=" + std::to_string(records_per_shard)}));
  KM_ASSIGN(const MixOptions mix, MixOptions::Of(config));
  const Mixture mixture = SyntheticMixture(records, mix);
  const auto write = [&](std::string_view name, const std::string& text) {
    return ReplaceFile(folder + "/" + std::string(name), text);
  };
  KM_RETURN_IF_ERROR(write(kConfigurationName, config.ToJson().Pretty()));
  KM_RETURN_IF_ERROR(write(kMixtureName, mixture.ToJson().Pretty()));
  KM_RETURN_IF_ERROR(write(kDuplicateListName, ""));
  std::map<std::string, std::string> texts;
  for (const std::string& blob : attribution.TextBlobs()) {
    if (blob == GitBlobId(kMitLicence)) texts[blob] = kMitLicence;
  }
  KM_RETURN_IF_ERROR(WriteLicenceFiles(attribution, texts, folder));
  std::int64_t rows = 0;
  for (const auto& [split, count] : packed.rows) rows += count;
  DatasetFacts facts;
  facts.counts["slice"] = {.in = 3, .kept = 2, .rejected = {{"parse_error", 1}}, .outputs = 2};
  facts.counts["render"] = {.in = rows, .kept = rows, .counters = families, .outputs = rows};
  facts.counts["measure"] = {.in = rows, .kept = rows, .outputs = rows};
  for (const char* step : {"slice", "render", "measure"}) {
    facts.plan.push_back({step, DigestOf("plan")});
  }
  facts.versions = {{"kernelmill", "0.1.0"}};
  facts.files = PublishedFiles(packed, options, attribution.TextBlobs(), false);
  KM_RETURN_IF_ERROR(DescribeDataset(
      folder, DescriptionOf(packed, facts, StepTable(), statistics, mixture.report())));
  return Publish(folder, packed, facts);
}

}  // namespace kernelmill
