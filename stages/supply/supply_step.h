// Step "supply": makes a task record of each row of the user's files
// (stages/task_files/task_source.h), which are a source of tasks besides repositories. `admit` runs
// the tasks. Rows that name no licence are kept.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/task_files/supplied_rows.h"
#include "stages/task_files/task_source.h"

namespace kernelmill {

struct SupplyOptions {
  std::int64_t largest = kLargestReference;  // Limit on the bytes of a reference
                                             // (mine.max_file_bytes).
  // SPDX identifiers of licences that may enter a dataset (mine.licences).
  std::vector<std::string> licences;
  std::vector<std::string> exclude_sources = {};  // Beginnings of URLs (IsExcluded()).
  // The program that runs as the confined child (UntrustedChild).
  std::string child_program = "/proc/self/exe";

  static SupplyOptions Of(const Config& config);
};

// Input: a row as SuppliedRow::Encode(). Output: the task as an encoded record under its
// content_id. "admit" fills in the task's inputs and merges equal tasks into one record with the
// origins of both. Dropped: rows of exclude_sources. Rejected: rows without a reference, with text
// that no record may contain, or with a licence that is not allowed. The licence of a row that
// names none is recorded as NOASSERTION: the user is responsible for it.
class SupplyStep : public Step {
 public:
  explicit SupplyStep(SupplyOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "supply"; }
  int Version() const override { return 4; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The rows of all sources; with `wanted`, only rows of these origins.
  Run::Propose Inputs(const std::vector<TaskSource>& sources,
                      const OriginFilter& wanted = nullptr) const;

 private:
  const SupplyOptions options_;
};

}  // namespace kernelmill
