// Step "dedup": drops tasks, mined kernels and mined ports whose text is nearly that of another one
// that is kept. Tasks whose operator graphs are known and differ by more than sizes are both kept,
// because short modules that compute different things share most of their text. Runs in the recipe
// "sft" after "admit", "slice_kernels" and "compile_ports"; the steps after it read the kept
// subjects and what is known about them from here.
//
// Which ones are dropped is decided while the inputs are frozen, for all subjects together, in the
// order of their content_ids (corpora/duplicates/near_duplicates.h), so it depends on the content
// of the subjects alone. WriteDuplicateList() publishes every decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/duplicates/near_duplicates.h"
#include "corpora/records/record.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

inline constexpr std::string_view kSimilarityKey = "dedup.similarity";
std::vector<ConfigKey> DedupKeys();
// kConfig when dedup.similarity lies between 0 and kLeastSimilarity.
Status CheckDedupKeys(const Config& config);
// "0.82".
std::string SimilarityText(double similarity);

// The kept subject that a dropped one is nearly equal to.
struct NearTwin {
  Digest kept;  // content_id.
  Similarity similarity;
};

// One input of the step: a subject with the records about it and, if it is to be dropped, its twin.
struct DedupInput {
  std::vector<Record> records;  // Sorted by content_id.
  std::optional<NearTwin> twin;

  const Record* Subject() const;  // Null in a part of an input.
  std::string Encode() const;
  static Result<DedupInput> Decode(std::string_view body);
};
// Joins the parts in which the inputs are proposed.
Result<std::string> MergeDedupInputs(std::string_view a, std::string_view b);

class DedupStep : public Step {
 public:
  // With `similarity` 0 nothing is dropped.
  explicit DedupStep(double similarity) : similarity_(similarity) {}

  std::string_view Name() const override { return "dedup"; }
  int Version() const override { return 1; }
  Json Parameters() const override;
  // Outputs the records of the input under their raw content_ids, or drops it as "near_duplicate".
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // Every subject among the outputs of `steps`. With `wanted`, only subjects of these origins, and
  // none is dropped.
  Run::Propose Inputs(const Run& run, std::vector<std::string> steps,
                      const OriginFilter& wanted) const;

 private:
  double similarity_;
};

// The file of a dataset that lists what "dedup" dropped: on each line a JSON object with "removed"
// and "kept" (content_ids), "kind", "similarity" with the "shared" grams and "all" grams of both,
// and the "origins" of the removed one. Sorted by "removed".
inline constexpr std::string_view kDuplicateListName = "near_duplicates.jsonl";
// Writes the list for a finished run of the step.
Status WriteDuplicateList(const Run& run, const std::string& folder);

}  // namespace kernelmill
