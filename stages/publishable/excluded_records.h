// The records that the configuration leaves out, the key exclude_records: tasks, kernels, samples,
// rows and others, with all that is made from them. `purge` sets it (stages/audit/purge.h).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "stages/engine/step.h"

namespace kernelmill {

inline constexpr char kExcludeRecordsKey[] = "exclude_records";
// The reason of what is dropped.
inline constexpr std::string_view kRecordExcluded = "record_excluded";

class ExcludedRecords {
 public:
  // `named`: content_ids, or hashes of them (HashName()). kConfig for any other text.
  static Result<ExcludedRecords> Of(const std::vector<std::string>& named);

  // How a dataset names an excluded record, so that its content_id stands nowhere:
  // "sha256:<SHA-256 of the content_id>".
  static std::string HashName(const Digest& content_id);

  bool empty() const { return hashes_.empty(); }
  bool Has(const Digest& content_id) const;
  // Whether it is excluded, or made from a record that is.
  bool Leaves(const Record& record) const;
  // The outcome of a step without such records. It is dropped when it had no other output.
  Outcome Without(Outcome outcome) const;

  // The parameters of such a step in its plan: those of the step without it, and what is left out.
  // So an unfinished run is not continued with other records.
  static Json PlannedParameters(Json step, Json named);
  // Those of the step, of planned ones, which may leave nothing out.
  static Json StepParameters(const Json& planned);

 private:
  std::set<std::string> hashes_;  // As HashName().
};

}  // namespace kernelmill
