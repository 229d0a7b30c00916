// Step "buffer": makes the retry buffer of this round from that of the round before and the judged
// samples (stages/retry/retry_round.h), and writes the repair prompts that are drawn for the next
// round. Runs in the recipe "rft" after "verify". All samples decide together, so decisions are
// made when the inputs are proposed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/retry/retry_folder.h"
#include "stages/samples/sample_measurements.h"

namespace kernelmill {

// The folder of a finished dataset, or the round.json of its retry/: the round before.
inline constexpr char kPreviousRoundKey[] = "retry.previous";
inline constexpr char kRoundKey[] = "retry.round";
std::vector<ConfigKey> RetryKeys();

struct BufferOptions {
  RetryOptions retry;
  std::int64_t slots = 0;       // Of the next round; 0 for as many as this one had prompts.
  std::int64_t max_tokens = 0;  // A longer repair prompt is not asked for; 0 means no limit.
  std::int64_t seed = 0;        // The run's: of the draw and of the wording.
  bool allow_protected = false;
  SampleMeasurements measurements;

  static Result<BufferOptions> Of(const Config& config);
};

class BufferStep : public Step {
 public:
  // `previous`: what the round before has left; null in the first round.
  BufferStep(BufferOptions options, std::shared_ptr<const RetryFolder> previous)
      : options_(std::move(options)), previous_(std::move(previous)) {}

  std::string_view Name() const override { return "buffer"; }
  int Version() const override { return 2; }
  Json Parameters() const override;
  // Input: a RetryItem, and for one that is kept its entry, the records that belong to it, and the
  // slot that it is drawn for. Kept: those records and the RepairRequest; the counter "requests"
  // counts these, and "over_budget" those that would be too long. Dropped: graduated and dropped
  // items, with the reason.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The items of the round. Also writes the generation, which RetryFolderOf() reads. kConfig when
  // the buffer holds a problem of a benchmark, which must not be trained. Memory grows with the
  // verdicts and with the failed answers that are shown.
  Run::Propose Inputs(const Run& run) const;

 private:
  const BufferOptions options_;
  const std::shared_ptr<const RetryFolder> previous_;
};

// What the finished step "buffer" of a run leaves for the folder retry/.
Result<RetryFolder> RetryFolderOf(const Run& run, const RetryFolder* previous);

}  // namespace kernelmill
