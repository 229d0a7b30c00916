#include "stages/pack/describe.h"

#include "generators/dataset_pages/dataset_card.h"
#include "generators/dataset_pages/html_report.h"
#include "manifests/commit_file.h"

namespace kernelmill {

DatasetDescription DescriptionOf(const PackedRecords& packed, const DatasetFacts& facts,
                                 const std::vector<StepSpec>& steps, DatasetStatistics statistics,
                                 MixtureReport mixture) {
  DatasetDescription description;
  description.merkle_root = packed.merkle_root;
  for (const DatasetManifest::StepPlan& plan : facts.plan) {
    const StepSpec* const step = FindStep(steps, plan.step);
    const auto counts = facts.counts.find(plan.step);
    description.steps.push_back({plan.step, step == nullptr ? "inputs" : std::string(step->takes),
                                 counts == facts.counts.end() ? StepCounts() : counts->second});
  }
  description.versions = facts.versions;
  description.statistics = std::move(statistics);
  description.mixture = std::move(mixture);
  description.files = facts.files;
  description.contaminated = facts.contaminated;
  return description;
}

Status DescribeDataset(const std::string& folder, const DatasetDescription& description) {
  KM_RETURN_IF_ERROR(
      ReplaceFile(folder + "/" + std::string(kCardName), WriteDatasetCard(description)));
  return ReplaceFile(folder + "/" + std::string(kReportName), WriteHtmlReport(description));
}

}  // namespace kernelmill
