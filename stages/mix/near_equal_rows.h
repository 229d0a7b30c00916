// Limits how many near-equal programs of one task are trained: a task with one right answer has a
// row of the family "repair" for each bug that was put into it, and all of them train that answer.
// Rows above the limit get the weight 0, and the attribute RowAttributes::near_equal_to. RowMixer
// (mix_rows.h) applies it to the rows of a run, and an audit to those of a dataset
// (mixture_check.h).
//
// Two programs are near-equal when the similarity of their sets of grams (parsers/program_grams.h)
// reaches the threshold. Which rows are above the limit depends on the rows of the task alone: they
// are taken in a fixed order, first one of each family and backend, then a second one of each, and
// in the order of their content_ids among these. A row is above the limit if with it a trained
// program would be near-equal to as many others as the limit says.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corpora/records/training_record.h"
#include "corpora/shards/shard.h"
#include "manifests/config.h"

namespace kernelmill {

struct NearEqualOptions {
  std::int64_t limit = 0;  // Near-equal programs of one task that are trained; 0: no limit.
  double similarity = 1;   // From 0 to 1.

  static NearEqualOptions Of(const Config& config);
};
std::vector<ConfigKey> NearEqualKeys();

// Whether the last message of rows of the family has a program that is trained.
bool TrainsProgram(Family family);

// Rows above the limit, each with the trained row whose program is most similar to its own; among
// equals the one with the smallest content_id.
using NearEqualTwins = std::map<Digest, Digest>;

class NearEqualRows {
 public:
  // `folder` is for a temporary file of about 8 bytes for each token of the programs.
  static Result<NearEqualRows> Create(const std::string& folder);

  // A row, in any order. Rows that train no program are ignored.
  Status Add(const Digest& row, const TrainingRecord& training);
  Result<NearEqualTwins> Find(const NearEqualOptions& options);

 private:
  explicit NearEqualRows(ShardSorter rows) : rows_(std::move(rows)) {}

  ShardSorter rows_;  // By task, then by row.
};

}  // namespace kernelmill
