// Step "measure": counts the tokens of every row and rejects rows over the budget. Runs in the
// recipe "sft" after "render"; the mixture weighs rows by these counts. It changes only the
// attributes of a row, never its messages or origins.
#pragma once

#include <optional>

#include "corpora/records/training_record.h"
#include "manifests/config.h"
#include "parsers/tokenizer.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

struct MeasureOptions {
  std::optional<Tokenizer> tokenizer;  // If absent, tokens are estimated.
  std::int64_t max_tokens = 0;         // Budget for a whole row; 0: no budget.

  // Reads the tokenizer's file. The errors kConfig and kNotFound name the key or the file.
  static Result<MeasureOptions> Of(const Config& config);
  // Tokenizer::name(), or kEstimated.
  std::string TokenizerName() const;
};

// The key that names the tokenizer's file.
inline constexpr std::string_view kTokenizerKey = "tokenizer";
std::vector<ConfigKey> MeasureKeys();
// Tokenizer::name() of the configured file, which is only hashed, not loaded; empty if none is
// configured.
Result<std::string> TokenizerName(const Config& config);

class MeasureStep : public Step {
 public:
  explicit MeasureStep(MeasureOptions options) : options_(std::move(options)) {}

  std::string_view Name() const override { return "measure"; }
  int Version() const override { return 3; }
  Json Parameters() const override;
  // `input.body`: an encoded training record as "render" writes it: the token counts in its
  // RowAttributes are estimates, and its weight is its share among the rows that ask for the same.
  // Outputs the record with counted tokens, or rejects it as "over_budget".
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The training records among the outputs of a finished step.
  static Run::Propose Inputs(const Run& run, std::string step);

 private:
  const MeasureOptions options_;
};

}  // namespace kernelmill
