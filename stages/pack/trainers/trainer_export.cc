#include "stages/pack/trainers/trainer_export.h"

#include <algorithm>

#include "corpora/token_estimate.h"
#include "manifests/commit_file.h"
#include "stages/pack/trainers/row_copies.h"
#include "stages/pack/trainers/row_files.h"

namespace kernelmill {
namespace {

constexpr char kReadme[] = "README.md";
constexpr std::string_view kLongest = "{longest}";

// What the README says of the rows.
struct ExportFacts {
  std::int64_t longest = 0;  // Tokens of the longest row.
  std::string tokenizer{kEstimated};
  std::int64_t left_out = 0;        // Training rows that were not drawn, or tasks without a split.
  std::int64_t without_weight = 0;  // Training rows of weight 0, which are not written.
};

// The length to set for a trainer: with room for a chat template, and for an estimate's error.
std::int64_t LengthFor(const ExportFacts& facts) {
  const std::int64_t error = facts.tokenizer == kEstimated ? facts.longest / 4 : 0;
  return (facts.longest + error + 64 + 255) / 256 * 256;
}

std::string ReadmeOf(const TrainerFormat& format, const TrainerOptions& options,
                     const DatasetManifest& manifest, const RowFiles& files,
                     const ExportFacts& facts) {
  std::string text = "# Rows in the format " + std::string(format.name) + "\n\n";
  text += "`kernelmill export --format " + std::string(format.name) +
          "` wrote them from the dataset with the Merkle root `" + manifest.merkle_root.Hex() +
          "`: " + std::string(format.explanation) + ".\n\n";
  for (const auto& [split, rows] : files.rows()) {
    text += "- `" + format.FileOf(split) + "`: " + std::to_string(rows) + " rows\n";
  }
  text += "- longest: " + std::to_string(facts.longest) + " tokens (" +
          (facts.tokenizer == kEstimated ? "estimated from bytes" : facts.tokenizer) +
          "), without a chat template\n";
  if (format.row_of_turn == nullptr) {
    text += "- seed of the wording: " + std::to_string(options.seed) +
            "; tasks without rows: " + std::to_string(facts.left_out) + ", left out\n";
  } else if (options.resample || format.always_resamples) {
    text += "- drawn by weight with the seed " + std::to_string(options.seed) +
            "; not drawn: " + std::to_string(facts.left_out) + " rows\n";
  }
  if (facts.without_weight > 0) {
    text += "- left out, because their weight is 0: " + std::to_string(facts.without_weight) +
            " training rows\n";
  }
  std::string guide(format.guide);
  for (std::size_t at; (at = guide.find(kLongest)) != guide.npos;) {
    guide.replace(at, kLongest.size(), std::to_string(LengthFor(facts)));
  }
  return text + "\n" + guide;
}

// Writes the rows of training records.
Status ExportTurns(const std::string& dataset, const DatasetManifest& manifest,
                   const TrainerFormat& format, const TrainerOptions& options, RowFiles* files,
                   ExportFacts* facts) {
  const bool draws = options.resample || format.always_resamples;
  return VisitRecords(dataset, manifest, [&](const Record& record) -> Status {
    if (record.kind != RecordKind::kTraining) return Status::Ok();
    KM_ASSIGN(const Row row, Row::Of(record));
    const RowAttributes& attributes = row.attributes;
    // Most trainers do not apply weights, and would train it.
    if (attributes.split == "train" && attributes.weight == 0) {
      ++facts->without_weight;
      return Status::Ok();
    }
    TrainedTurn turn = TrainedTurn::Of(row);
    if (options.fold_history || format.always_folds) turn.prompt = FoldedTurns(turn.prompt);
    std::int64_t copies = 1;
    // Rows for validation are not trained: each counts once.
    if (draws && attributes.split == "train") {
      copies = CopiesOf(row.content_id, attributes.weight, options.seed);
      facts->left_out += copies == 0;
    }
    if (draws) turn.weight = 1;
    if (copies > 0) {
      facts->longest =
          std::max(facts->longest, attributes.prompt_tokens + attributes.answer_tokens);
      facts->tokenizer = attributes.tokenizer;
    }
    for (; turn.copy < copies; ++turn.copy) {
      Json::Object fields = format.row_of_turn(turn);
      fields["content_id"] = row.content_id.Hex();
      fields["family"] = FamilyName(row.training.family);
      fields["weight"] = turn.weight;
      fields["copy"] = turn.copy;
      KM_RETURN_IF_ERROR(files->Add(attributes.split, std::move(fields)));
    }
    return Status::Ok();
  });
}

// Writes the questions about tasks.
Status ExportQuestions(const std::string& dataset, const DatasetManifest&,
                       const TrainerFormat& format, const TrainerOptions& options, RowFiles* files,
                       ExportFacts* facts) {
  const auto write = [&](const TaskQuestion& question) -> Status {
    facts->longest = std::max(facts->longest, EstimateTokens(question.messages));
    for (Json::Object& row : format.rows_of_question(question, options)) {
      KM_RETURN_IF_ERROR(files->Add(question.split, std::move(row)));
    }
    return Status::Ok();
  };
  if (options.questions.retries) return ForEachRepair(dataset, write);
  QuestionOptions asked = options.questions;
  asked.seed = options.seed;
  KM_ASSIGN(facts->left_out, AskAboutTasks(dataset, asked, write));
  return Status::Ok();
}

}  // namespace

Result<ExportedRows> ExportForTrainer(const std::string& dataset, const TrainerFormat& format,
                                      const TrainerOptions& options, const std::string& output) {
  KM_ASSIGN(const DatasetManifest manifest, ReadDatasetManifest(dataset));
  std::vector<std::string> beside = {kReadme};
  if (format.more_files != nullptr) {
    for (const auto& [name, text] : format.more_files({})) beside.push_back(name);
  }
  KM_RETURN_IF_ERROR(MakeVacant(output, beside));
  RowFiles files(format, output);
  ExportFacts facts;
  const auto write = format.row_of_turn != nullptr ? ExportTurns : ExportQuestions;
  KM_RETURN_IF_ERROR(write(dataset, manifest, format, options, &files, &facts)
                         .Within("format " + std::string(format.name)));
  std::map<std::string, std::string> texts;
  if (format.more_files != nullptr) {
    std::vector<std::string> splits;
    for (const auto& [split, rows] : files.rows()) splits.push_back(split);
    texts = format.more_files(splits);
  }
  texts[kReadme] = ReadmeOf(format, options, manifest, files, facts);
  KM_RETURN_IF_ERROR(files.Finish());
  ExportedRows exported{.rows = files.rows()};
  for (const auto& [name, text] : texts) {
    KM_RETURN_IF_ERROR(CommitFile(output + "/" + name, text));
    exported.files.push_back(name);
  }
  for (const auto& [split, rows] : files.rows()) exported.files.push_back(format.FileOf(split));
  return exported;
}

}  // namespace kernelmill
