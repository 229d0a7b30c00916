// Counts the tokens of every row, and rejects what is over the budget. It changes the attributes of
// a row only: what it says and where it comes from stay as they are.
#pragma once

#include <optional>

#include "corpora/records/training_record.h"
#include "manifests/config.h"
#include "parsers/tokenizer.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

struct MeasureOptions {
  std::optional<Tokenizer> tokenizer;  // Without one, tokens are estimated.
  std::int64_t max_tokens = 0;         // Of a whole row; 0: no budget.

  // Reads the tokenizer's file. kConfig and kNotFound name the key or the file.
  static Result<MeasureOptions> Of(const Config& config);
  // Tokenizer::name(), or kEstimated.
  std::string TokenizerName() const;
};

// The key that names the tokenizer's file.
inline constexpr std::string_view kTokenizerKey = "tokenizer";
std::vector<ConfigKey> MeasureKeys();

class MeasureStep : public Step {
 public:
  // `options` outlive the step.
  explicit MeasureStep(const MeasureOptions& options) : options_(options) {}

  std::string_view Name() const override { return "measure"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  // `input.body`: an encoded training record as render leaves it: with RowAttributes whose tokens
  // are estimates and whose weight is its part among rows of its like. Outputs it measured, or
  // rejects it as "over_budget".
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The training records that a finished step left.
  static Run::Propose Inputs(const Run& run, std::string step);

 private:
  const MeasureOptions& options_;
};

}  // namespace kernelmill
