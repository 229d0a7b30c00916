#include "stages/pack/describe.h"

#include "generators/dataset_pages/dataset_card.h"
#include "generators/dataset_pages/html_report.h"
#include "manifests/commit_file.h"

namespace kernelmill {

Status DescribeDataset(const std::string& folder, const PackedRecords& packed,
                       const DatasetFacts& facts, const std::vector<StepSpec>& steps,
                       DatasetStatistics statistics, MixtureReport mixture,
                       const std::function<Status(DatasetDescription*)>& add) {
  DatasetDescription description;
  description.merkle_root = packed.merkle_root;
  for (const DatasetManifest::StepPlan& plan : facts.plan) {
    const StepSpec* const step = FindStep(steps, plan.step);
    description.steps.push_back({plan.step, step == nullptr ? "inputs" : std::string(step->takes),
                                 facts.counts.at(plan.step)});
  }
  description.versions = facts.versions;
  description.statistics = std::move(statistics);
  description.mixture = std::move(mixture);
  KM_ASSIGN(DatasetListing listing, ListDataset(folder));
  description.files = std::move(listing.files);
  description.contaminated = facts.contaminated;
  if (add) KM_RETURN_IF_ERROR(add(&description));
  KM_RETURN_IF_ERROR(ReplaceFile(folder + "/README.md", WriteDatasetCard(description)));
  return ReplaceFile(folder + "/report.html", WriteHtmlReport(description));
}

}  // namespace kernelmill
