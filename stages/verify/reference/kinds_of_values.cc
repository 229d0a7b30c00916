// The reference for kinds of values that the base set does not have.
#include <optional>

#include "stages/verify/reference/reference_runs.h"
#include "stages/verify/reference/value_kinds.h"

namespace kernelmill {

Result<const ReferenceRun*> ReferenceRuns::SpecialValues(bool at_base) {
  if (base_has_special_) return static_cast<const ReferenceRun*>(nullptr);
  return RunKinds("values", SpecialKinds(), at_base);
}

Result<const ReferenceRun*> ReferenceRuns::RareValues(bool at_base) {
  return RunKinds("rare_values", RareKinds(), at_base);
}

Result<const ReferenceRun*> ReferenceRuns::RunKinds(const std::string& shapes,
                                                    const std::vector<std::string>& kinds,
                                                    bool at_base) {
  const auto [place, fresh] =
      kinds_.try_emplace({shapes, at_base ? std::optional(used_) : std::optional<BaseSet>()});
  std::unique_ptr<ReferenceRun>& run = place->second;
  if (fresh) {
    // Not for networks: there torch alone takes seconds for each kind.
    KM_ASSIGN(const std::optional<Fitting> fitting,
              at_base ? FitWithin({bases_.at(used_).sizes}, kFullBudget)
                      : FitWithin(ShrinkingSizes(sites_), kBudget));
    fault_.reset();
    if (fitting) {
      std::vector<std::string> values = {"own"};
      values.insert(values.end(), kinds.begin(), kinds.end());
      KM_ASSIGN(run, Run(shapes, fitting->sizes, values));
      // Without its first trial it is not known whether a candidate is made for these sizes.
      if (run != nullptr && (run->trials.size() < 2 || run->trials.front().values != "own")) {
        run.reset();
      }
    }
  }
  return static_cast<const ReferenceRun*>(run.get());
}

}  // namespace kernelmill
