// The closed list of the files of a dataset: which ones it has follows from its records, its
// configuration and its recipe. A build publishes these files and no others (dataset_build.h), and
// an audit refuses every other path (stages/audit/audit.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stages/pack/dataset_writer.h"

namespace kernelmill {

// The file of a dataset that holds the configuration that it was made from, with sources by origin
// and commit. It is a valid configuration on every machine that can fetch the origins.
inline constexpr std::string_view kConfigurationName = "configuration.json";
// The file of a dataset that holds the factors whose products are the weights of its rows
// (Mixture::ToJson()).
inline constexpr std::string_view kMixtureName = "mixture.json";

// Of the recipe "rft" (rft_pipeline.h).
inline constexpr std::string_view kVerdictsName = "verdicts.jsonl";
inline constexpr std::string_view kScoresName = "scores.json";
inline constexpr std::string_view kSelectionName = "selection.json";
inline constexpr std::string_view kRewardLinesName = "rewards.jsonl";
inline constexpr std::string_view kRewardsName = "rewards.json";
inline constexpr std::string_view kJudgingName = "judging.json";

// Every file but the manifest, sorted. `sampled`: of the recipe "rft", otherwise of "sft".
// `licence_texts`: Attribution::TextBlobs() of the records.
std::vector<std::string> PublishedFiles(const PackedRecords& packed, const PackOptions& options,
                                        const std::vector<std::string>& licence_texts,
                                        bool sampled);

}  // namespace kernelmill
