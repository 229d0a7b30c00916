#include "stages/measure/measure_step.h"

#include "corpora/records/row_attributes.h"
#include "corpora/token_estimate.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr char kMaxTokens[] = "max_tokens";

Result<TokenEstimate> CountTokens(const Tokenizer& tokenizer, const TrainingRecord& training) {
  TokenEstimate tokens;
  for (const Message& message : training.messages) {
    tokens.prompt += tokens.answer;
    KM_ASSIGN(tokens.answer, tokenizer.Count(message.content));
  }
  return tokens;
}

}  // namespace

std::vector<ConfigKey> MeasureKeys() {
  return {
      {std::string(kTokenizerKey), ConfigType::kString, "", "",
       "The tokenizer.json (byte-level BPE) of the model to train. It counts the tokens of every "
       "row, without those of a chat template. Without a tokenizer, tokens are estimated from "
       "bytes, and the rows say so."},
      {kMaxTokens, ConfigType::kInteger, 0, "tokens",
       "Rows with more tokens, prompt and answer together, are rejected; no row is cut. 0 means "
       "no limit.",
       kNotNegative},
  };
}

Result<MeasureOptions> MeasureOptions::Of(const Config& config) {
  MeasureOptions options;
  options.max_tokens = config.Integer(kMaxTokens);
  if (const std::string path = config.Path(kTokenizerKey); !path.empty()) {
    Result<Tokenizer> tokenizer = Tokenizer::Load(path);
    if (!tokenizer.ok()) return tokenizer.status().Within(kTokenizerKey);
    options.tokenizer.emplace(std::move(tokenizer).value());
  }
  return options;
}

Result<std::string> TokenizerName(const Config& config) {
  const std::string path = config.Path(kTokenizerKey);
  if (path.empty()) return std::string();
  const Result<Digest> digest = DigestOfFile(path);
  if (!digest.ok()) return digest.status().Within(kTokenizerKey);
  return "sha256:" + digest->Hex();
}

std::string MeasureOptions::TokenizerName() const {
  return tokenizer ? tokenizer->name() : std::string(kEstimated);
}

Json MeasureStep::Parameters() const {
  return Json::Object{{std::string(kTokenizerKey), options_.TokenizerName()},
                      {kMaxTokens, options_.max_tokens}};
}

Run::Propose MeasureStep::Inputs(const Run& run, std::string step) {
  return [&run, step = std::move(step)](const Run::Emit& emit) -> Status {
    return run.ForEachOutput(step, [&](std::string_view key, std::string_view body) -> Status {
      KM_ASSIGN(const Record record, Record::Decode(body));
      if (record.kind != RecordKind::kTraining) return Status::Ok();
      return emit(std::string(key), std::string(body));
    });
  };
}

Result<Outcome> MeasureStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(Record record, Record::Decode(input.body));
  KM_ASSIGN(const TrainingRecord training, TrainingRecord::FromJson(record.payload));
  TokenEstimate tokens = EstimateTokens(training);
  if (options_.tokenizer) {
    KM_ASSIGN(tokens, CountTokens(*options_.tokenizer, training));
  }
  if (options_.max_tokens > 0 && tokens.prompt + tokens.answer > options_.max_tokens) {
    Outcome outcome =
        Outcome::Reject("over_budget",
                        std::to_string(tokens.prompt) + " + " + std::to_string(tokens.answer) +
                            " tokens, " + std::string(FamilyName(training.family)),
                        input.body);
    outcome.origins = record.origins;
    return outcome;
  }
  KM_ASSIGN(RowAttributes attributes, RowAttributes::Of(record));
  attributes.prompt_tokens = tokens.prompt;
  attributes.answer_tokens = tokens.answer;
  attributes.tokenizer = options_.TokenizerName();
  record.attributes = attributes.ToJson();
  return Outcome::Keep({{input.key, record.Encode()}});
}

}  // namespace kernelmill
