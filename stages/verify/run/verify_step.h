// Step "verify": judges many candidates, for the command `verify` (VerifyCandidates(),
// verify_run.h) and in the recipe of `rft` (VerifySpec(), verify_spec.h). An input of the step is
// one task with several of its candidates, which one lane judges in a row so that the reference
// runs once for them, or one malformed line of a list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

// A candidate of an input, and how it is judged.
struct AskedCandidate {
  std::string place;  // VerifyStep::PlaceKey().
  Json item;          // VerifyItem::Identity().
  JudgingChoice judging;
  std::string reference;
  std::optional<std::string> code;
};

class VerifyStep : public Step {
 public:
  // The backend of `judging` applies to items that name none, and its contract to all items, beside
  // that of their task. `source` identifies the items and is part of the plan's identity.
  VerifyStep(JudgingChoice judging, StoreUse store_use, Json source)
      : judging_(std::move(judging)), store_use_(store_use), source_(std::move(source)) {}

  // The step that has these Parameters(), for a rank. `secret` as JudgingChoice has it. kCorrupt
  // for other parameters, or another secret than theirs.
  static Result<std::unique_ptr<VerifyStep>> FromParameters(const Json& parameters,
                                                            const std::string& secret,
                                                            StoreUse store_use);

  std::string_view Name() const override { return "verify"; }
  int Version() const override { return 4; }
  Json Parameters() const override;
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // Kept: one output for each candidate, keyed by PlaceKey(); its body is the line of
  // verdicts.jsonl (verify_run.h). Rejected: a malformed line, with its bytes.
  // An input's key is the PlaceKey() of its first item.
  Result<Outcome> Process(const Input& input, Lane& lane) override;
  // The candidates of an input; none for a malformed item.
  Result<std::vector<AskedCandidate>> CandidatesOf(const Input& input) const;

  // The number of inputs into which Inputs() groups the items.
  static std::int64_t CountInputs(const std::vector<VerifyItem>& items);
  // Proposes the items, which must outlive the result. Reads the code of each item. `first`: the
  // position of the first one, where others were proposed before.
  static Run::Propose Inputs(const std::vector<VerifyItem>& items, std::size_t first = 0);
  // The key of the item at this position of the list: digits with leading zeros, so that keys sort
  // like numbers.
  static std::string PlaceKey(std::size_t place);

  // The number of candidates that were judged in this process so far. The verdicts of the others
  // came from the store.
  std::int64_t judged() const { return judged_; }

 private:
  const JudgingChoice judging_;
  const StoreUse store_use_;
  const Json source_;
  std::atomic<std::int64_t> judged_ = 0;
};

}  // namespace kernelmill
