// The facts that the card (dataset_card.h) and the report (html_report.h) of a dataset show, and
// the words that both use for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/mixture_report.h"
#include "manifests/digest.h"
#include "manifests/part_manifest.h"

namespace kernelmill {

struct DatasetDescription {
  struct Step {
    std::string name;
    std::string takes;  // What one input is, in the plural: "source files".
    StepCounts counts;
  };

  Digest merkle_root;
  std::vector<Step> steps;  // In the order in which they ran.
  std::map<std::string, std::string> versions;
  std::vector<std::string> files;  // Of the dataset, as far as they are written; relative, sorted.
  DatasetStatistics statistics;
  MixtureReport mixture;

  bool Ran(std::string_view step) const;
};

// One reason of one step for which inputs did not go on.
struct Loss {
  std::string step;
  std::string reason;
  std::int64_t count = 0;
  bool rejected = false;  // Otherwise dropped.
};
// In the order of the steps, the most frequent first within each.
std::vector<Loss> LossesOf(const DatasetDescription& description);

// What rows of a family teach; empty without an entry.
std::string_view ExplainFamily(std::string_view family);
// What records of a kind hold; empty without an entry.
std::string_view ExplainKind(std::string_view kind);

// The family's part of the trained tokens by weight: "12.5 %".
std::string ShareByWeight(const DatasetStatistics& statistics, const std::string& family);

// ", estimated" where token counts are.
std::string_view TokensNote(const DatasetDescription& description);

// What the dataset does not show, as sentences.
std::vector<std::string> LimitsOf(const DatasetDescription& description);

}  // namespace kernelmill
