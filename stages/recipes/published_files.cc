#include "stages/recipes/published_files.h"

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"
#include "stages/dedup/dedup_step.h"
#include "stages/device/measurement_file.h"
#include "stages/pack/describe.h"
#include "stages/pack/export.h"
#include "stages/retry/retry_folder.h"

namespace kernelmill {

std::vector<std::string> PublishedFiles(const PackedRecords& packed, const PackOptions& options,
                                        const std::vector<std::string>& licence_texts,
                                        bool sampled) {
  std::vector<std::string> files;
  for (const std::string_view name :
       {kCardName, kReportName, kConfigurationName, kMixtureName, kNoticeName}) {
    files.emplace_back(name);
  }
  for (const std::string& blob : licence_texts) files.push_back(LicenceTextPath(blob));
  if (sampled) {
    for (const std::string_view name :
         {kVerdictsName, std::string_view(kMeasurementsName), kScoresName, kSelectionName,
          kRewardLinesName, kRewardsName, kJudgingName}) {
      files.emplace_back(name);
    }
    for (const std::string_view name : RetryFolderFiles()) {
      files.push_back(std::string(kRetryFolderName) + "/" + std::string(name));
    }
  } else {
    files.emplace_back(kDuplicateListName);
  }
  std::int64_t records = 0;
  for (const auto& [kind, count] : packed.records) records += count;
  const std::int64_t most = options.records_per_shard;
  // A dataset without records has an empty shard.
  const std::int64_t shards = std::max<std::int64_t>((records + most - 1) / most, 1);
  for (std::int64_t i = 0; i < shards; ++i) {
    files.push_back(RecordShardPath(static_cast<std::size_t>(i)));
    files.push_back(RecordDigestsPath(static_cast<std::size_t>(i)));
  }
  for (const std::string& name : options.formats) {
    const Result<const ExportFormat*> format = FindExportFormat(name);
    if (!format.ok()) continue;  // PackOptions::Of() refuses it.
    for (std::string& file : (*format)->files(packed.rows, options)) {
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace kernelmill
