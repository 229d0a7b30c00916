#include "stages/audit/derived_audit.h"

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/records/annotation.h"
#include "generators/dataset_pages/dataset_card.h"
#include "generators/dataset_pages/html_report.h"
#include "manifests/commit_file.h"
#include "stages/audit/line_difference.h"
#include "stages/engine/tool_identity.h"
#include "stages/pack/describe.h"
#include "stages/recipes/judging_file.h"
#include "stages/recipes/licence_files.h"
#include "stages/recipes/published_files.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/run_rewards.h"
#include "stages/recipes/sample_verdicts.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {
namespace {

// The digest of this program, which is read once; empty if it is not known.
const std::string& ThisProgram() {
  static const std::string kProgram = [] {
    const Result<ToolIdentity> tool = ReadToolIdentity();
    return tool.ok() ? tool->versions.TextAt("program") : "";
  }();
  return kProgram;
}

// Says when another program made the dataset, whose pages may have other words.
std::string OtherProgram(const DatasetManifest& manifest) {
  const auto made_by = manifest.versions.find("program");
  if (made_by != manifest.versions.end() && made_by->second == ThisProgram()) return "";
  return "; the manifest says that another build of kernelmill wrote it, which may use other "
         "words, and only the digest of the manifest or that build can show that nobody changed it";
}

// Compares a published file with what the records make.
void Compare(const std::string& folder, std::string_view name, const std::string& expected,
             const DatasetManifest& manifest, std::vector<AuditFinding>* findings) {
  const Result<std::string> found = ReadFile(folder + "/" + std::string(name));
  if (!found.ok()) return;  // It is missing or unreadable, which is a finding already.
  if (*found == expected) return;
  findings->push_back(
      FindingOn(std::string(name), FirstDifference(*found, expected), "the records make"));
  findings->back().what += OtherProgram(manifest);
}

// The licence texts are those that records name, and NOTICE is what follows from both.
void AuditLicenceFiles(const std::string& folder, const Attribution& attribution,
                       const DatasetManifest& manifest, std::vector<AuditFinding>* findings) {
  std::map<std::string, std::string> texts;
  for (const std::string& blob : attribution.TextBlobs()) {
    Result<std::string> text = PublishedLicenceText(folder, blob);
    if (text.ok()) {
      texts[blob] = *std::move(text);
    } else if (text.status().code() == ErrorCode::kCorrupt) {
      findings->push_back({LicenceTextPath(blob), "",
                           "its bytes are not the licence text that records name by this Git id"});
    }
  }
  // Otherwise the difference would say no more than the text.
  if (texts.size() != attribution.texts().size()) return;
  Compare(folder, kNoticeName, attribution.Notice(texts), manifest, findings);
}

}  // namespace

void AuditPaths(const DatasetManifest& manifest, const std::vector<std::string>& files,
                std::vector<AuditFinding>* findings) {
  std::vector<std::string> listed;
  for (const FileEntry& file : manifest.files) listed.push_back(file.path);
  std::sort(listed.begin(), listed.end());
  for (const std::string& path : listed) {
    if (std::binary_search(files.begin(), files.end(), path)) continue;
    findings->push_back({path, "",
                         "a dataset with these records and this configuration has no such "
                         "file, though the manifest lists it"});
  }
  for (const std::string& path : files) {
    if (std::binary_search(listed.begin(), listed.end(), path)) continue;
    findings->push_back({path, "",
                         "a dataset with these records and this configuration has this "
                         "file, but the manifest does not list it"});
  }
}

Status DerivedAudit::Add(const Record& record, const Row* row, const std::string& file,
                         const std::string& name) {
  KM_RETURN_IF_ERROR(statistics_.Add(record));
  KM_RETURN_IF_ERROR(attribution_.Add(record));
  sources_.Add(record);
  counts_.Add(record, row == nullptr ? "" : std::string(FamilyName(row->training.family)));
  if (configuration_.sampled && record.kind == RecordKind::kTask) {
    tasks_.records.emplace(record.ContentId(), record);
  }
  if (configuration_.sampled && record.kind == RecordKind::kAnnotation) {
    KM_ASSIGN(const Annotation facts, Annotation::FromJson(record.payload));
    tasks_.annotations.emplace(facts.task, record);
  }
  if (row == nullptr) return mixture_.Learn(record);
  KM_RETURN_IF_ERROR(mixture_.Add(record, *row));
  places_.emplace_back(file, name);
  return Status::Ok();
}

std::optional<AuditedContent> DerivedAudit::Finish(const DatasetManifest& manifest,
                                                   const PackedRecords& packed,
                                                   std::vector<AuditFinding>* findings) {
  const auto fail = [&](std::string_view file, const Status& status) {
    findings->push_back({std::string(file), "", status.message()});
    return std::nullopt;
  };
  const Config& config = configuration_.config;
  const Result<MixOptions> mix = MixOptions::Of(config);
  const Result<PackOptions> pack = PackOptions::Of(config);
  for (const Status& status : {mix.status(), pack.status()}) {
    if (!status.ok()) return fail(kConfigurationName, status);
  }
  counts_.Finish(folder_, manifest, configuration_, findings);
  DatasetFacts facts;
  facts.files = PublishedFiles(packed, *pack, attribution_.TextBlobs(), configuration_.sampled);
  AuditPaths(manifest, facts.files, findings);
  AuditLicenceFiles(folder_, attribution_, manifest, findings);

  const auto mixture = [&]() -> Result<Mixture> {
    KM_ASSIGN(const std::string text, ReadFile(folder_ + "/" + std::string(kMixtureName)));
    KM_ASSIGN(const Json json, Json::Parse(text));
    return Mixture::FromJson(json);
  }();
  if (!mixture.ok()) return fail(kMixtureName, mixture.status());
  const Result<Mixture> solved =
      mixture_.Finish(*mixture, *mix, [&](std::size_t row, const std::string& what) {
        const auto& [file, name] = places_[row];
        findings->push_back({file, name, what});
      });
  if (!solved.ok()) return fail(kMixtureName, solved.status());
  Compare(folder_, kMixtureName, solved->ToJson().Pretty(), manifest, findings);

  facts.counts = manifest.counts;
  facts.plan = manifest.plan;
  facts.versions = manifest.versions;
  facts.contaminated = manifest.contaminated;
  DatasetDescription description =
      DescriptionOf(packed, facts, StepTable(), statistics_, solved->report());
  if (configuration_.sampled) {
    Result<SampleFacts> samples = SampleFactsOf(folder_, tasks_);
    if (!samples.ok()) return fail(kVerdictsName, samples.status());
    const Result<std::string> secret = PublishedSecret(folder_, config);
    if (!secret.ok()) fail(kJudgingName, secret.status());
    Compare(folder_, kScoresName, samples->scores.Pretty(), manifest, findings);
    const Result<RoundRewards> rewards = RewardsOfFiles(config, folder_);
    if (!rewards.ok()) return fail(kRewardLinesName, rewards.status());
    Compare(folder_, kRewardLinesName, rewards->lines, manifest, findings);
    Compare(folder_, kRewardsName, rewards->summary.Pretty(), manifest, findings);
    description.samples = *std::move(samples);
  }
  Compare(folder_, kCardName, WriteDatasetCard(description), manifest, findings);
  Compare(folder_, kReportName, WriteHtmlReport(description), manifest, findings);
  return AuditedContent{std::move(description), std::move(sources_)};
}

}  // namespace kernelmill
