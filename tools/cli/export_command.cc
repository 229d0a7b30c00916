#include <algorithm>
#include <filesystem>
#include <memory>

#include "manifests/json_fields.h"
#include "stages/pack/trainers/trainer_export.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/standards_arguments.h"

namespace kernelmill {
namespace {

constexpr char kQuestions[] = "Questions (trl-rl, verl-rl, prompts)";
constexpr char kRows[] = "Rows for a trainer";

struct Arguments {
  std::string dataset;
  std::string format;
  std::string output;
  PackOptions pack;
  TrainerOptions trainer;
  StandardsOptions standards;
  std::vector<std::string> backends = {std::string(kCudaBackend.name)};
  GivenOptions given;
  bool json = false;
};

// Options that some formats only have.
struct FormatOption {
  std::string_view name;
  std::string_view of;  // What has it, for messages.
  // `trainer`: null for the formats of a dataset's own data/.
  bool (*fits)(const Arguments& arguments, const TrainerFormat* trainer);
};

bool HasTurns(const Arguments&, const TrainerFormat* trainer) {
  return trainer != nullptr && trainer->row_of_turn != nullptr;
}
bool HasQuestions(const Arguments&, const TrainerFormat* trainer) {
  return trainer != nullptr && trainer->rows_of_question != nullptr;
}
// The retry buffer has the questions themselves.
bool WordsQuestions(const Arguments& arguments, const TrainerFormat* trainer) {
  return HasQuestions(arguments, trainer) && !arguments.trainer.questions.retries;
}
bool HasRequests(const Arguments&, const TrainerFormat* trainer) {
  return trainer != nullptr && trainer->has_requests;
}
bool UsesSeed(const Arguments& arguments, const TrainerFormat* trainer) {
  return WordsQuestions(arguments, trainer) ||
         (HasTurns(arguments, trainer) &&
          (trainer->always_resamples || arguments.trainer.resample));
}
bool IsStandards(const Arguments& arguments, const TrainerFormat*) {
  return arguments.format == kStandardsFormat;
}
bool HasParquetFiles(const Arguments& arguments, const TrainerFormat*) {
  return arguments.format == "parquet";
}

constexpr std::string_view kOfTurns = "formats that have the dataset's rows for a trainer",
                           kOfQuestions = "formats of questions (trl-rl, verl-rl, prompts)",
                           kOfWording = "questions about tasks, which --retries does not ask",
                           kOfRequests = "the format prompts",
                           kOfStandards = "the format standards";
constexpr FormatOption kFormatOptions[] = {
    {"--rows-per-parquet-file", "the format parquet", HasParquetFiles},
    {"--resample", kOfTurns, HasTurns},
    {"--fold-history", kOfTurns, HasTurns},
    {"--seed", "rows that are drawn by weight (--resample) and questions about tasks", UsesSeed},
    {"--retries", kOfQuestions, HasQuestions},
    {"--backend", kOfWording, WordsQuestions},
    {"--multi-turn", kOfWording, WordsQuestions},
    {"--requests", kOfRequests, HasRequests},
    {"--model", kOfRequests, HasRequests},
    {"--samples", kOfRequests, HasRequests},
    {"--temperature", kOfRequests, HasRequests},
    {"--top-p", kOfRequests, HasRequests},
    {"--max-tokens", kOfRequests, HasRequests},
    {"--name", kOfStandards, IsStandards},
    {"--url", kOfStandards, IsStandards},
    {"--publisher", kOfStandards, IsStandards},
    {"--built", kOfStandards, IsStandards},
    {"--published", kOfStandards, IsStandards},
    {"--key", kOfStandards, IsStandards},
};

Status CheckOptions(const Arguments& arguments) {
  const TrainerFormat* const trainer = FindTrainerFormat(arguments.format);
  for (const FormatOption& option : kFormatOptions) {
    if (!arguments.given.contains(option.name) || option.fits(arguments, trainer)) continue;
    return Status(ErrorCode::kUsage, std::string(option.name) +
                                         " does not fit this export of the format " +
                                         arguments.format + ": it is for " +
                                         std::string(option.of) + "; leave it out");
  }
  return Status::Ok();
}

Result<ExportedRows> Exported(const Arguments& arguments) {
  if (arguments.format == kStandardsFormat) {
    KM_RETURN_IF_ERROR(CheckStandardsOptions(arguments.standards));
    ExportedRows documents;
    KM_ASSIGN(documents.files,
              ExportStandards(arguments.dataset, arguments.standards, arguments.output));
    return documents;
  }
  const TrainerFormat* const trainer = FindTrainerFormat(arguments.format);
  if (trainer == nullptr) {
    KM_ASSIGN(const ExportFormat* const format, FindExportFormat(arguments.format));
    return ExportDataset(arguments.dataset, *format, arguments.pack, arguments.output);
  }
  TrainerOptions options = arguments.trainer;
  options.questions.backends.clear();
  for (const std::string& name : arguments.backends) {
    KM_ASSIGN(const KernelBackend* const backend, KernelBackendNamed(name));
    auto& backends = options.questions.backends;
    if (std::find(backends.begin(), backends.end(), backend) == backends.end()) {
      backends.push_back(backend);
    }
  }
  return ExportForTrainer(arguments.dataset, *trainer, options, arguments.output);
}

// A file inside a dataset that its manifest does not list is damage.
Status CheckOutside(const std::string& dataset, const std::string& output) {
  std::error_code error;
  const std::filesystem::path inside = std::filesystem::weakly_canonical(output, error);
  const std::filesystem::path outside = std::filesystem::weakly_canonical(dataset, error);
  const auto [end, rest] =
      std::mismatch(outside.begin(), outside.end(), inside.begin(), inside.end());
  if (end != outside.end()) return Status::Ok();
  return Status(ErrorCode::kUsage,
                output + " lies in the dataset; name a folder outside of it with --output");
}

Status RunExport(const Arguments& arguments) {
  KM_RETURN_IF_ERROR(CheckOptions(arguments));
  KM_RETURN_IF_ERROR(CheckOutside(arguments.dataset, arguments.output));
  KM_ASSIGN(const ExportedRows exported, Exported(arguments));
  if (arguments.json) {
    return PrintJson(
        Json::Object{{"rows", Json::Object(exported.rows.begin(), exported.rows.end())},
                     {"files", ToJson(exported.files)}});
  }
  std::string text;
  for (const auto& [split, rows] : exported.rows) {
    text += split + ": " + std::to_string(rows) + " rows\n";
  }
  for (const std::string& file : exported.files) text += arguments.output + "/" + file + "\n";
  return Print(text);
}

void AddFormatOption(CLI::App& app, std::string* format) {
  std::string formats;
  std::vector<std::string> names;
  const auto add = [&](std::string_view name, std::string_view explanation) {
    formats += (formats.empty() ? "" : "; ") + std::string(name) + ": " + std::string(explanation);
    names.emplace_back(name);
  };
  for (const ExportFormat& item : AllExportFormats()) add(item.name, item.explanation);
  for (const TrainerFormat& item : AllTrainerFormats()) add(item.name, item.explanation);
  add(kStandardsFormat, kStandardsExplanation);
  app.add_option("--format", *format, formats)
      ->required()
      ->check(OneOf(names))
      ->group(kOutputGroup);
}

void AddQuestionOptions(CLI::App& app, Arguments* arguments) {
  SamplingOptions& sampling = arguments->trainer.sampling;
  app.add_option("--backend", arguments->backends,
                 "Ask for kernels of this backend; several give a row each")
      ->type_name("NAME")
      ->delimiter(',')
      ->check(OneOf(KernelBackendNames()))
      ->capture_default_str()
      ->group(kQuestions);
  app.add_flag("--multi-turn", arguments->trainer.questions.conversations,
               "Also ask for the last answer of every repair conversation")
      ->group(kQuestions);
  app.add_flag(
         "--retries", arguments->trainer.questions.retries,
         "Ask only for the repairs in the retry buffer of an RFT dataset; answers go into its "
         "next round")
      ->group(kQuestions);
  app.add_option(
         "--requests", sampling.form,
         "The form of prompts: openai and vllm for a batch, sglang-generate and sglang-chat "
         "as bodies for its server")
      ->type_name("FORM")
      ->check(OneOf(SamplingForms()))
      ->capture_default_str()
      ->group(kQuestions);
  app.add_option("--model", sampling.model, "The model's name in requests")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kQuestions);
  app.add_option("--samples", sampling.samples, "Request so many answers to each question")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->capture_default_str()
      ->group(kQuestions);
  app.add_option("--temperature", sampling.temperature, "The temperature in requests")
      ->type_name(kNumber)
      ->check(NumberFrom(0, 10))
      ->group(kQuestions);
  app.add_option("--top-p", sampling.top_p, "The top_p in requests")
      ->type_name(kNumber)
      ->check(NumberFrom(0, 1))
      ->group(kQuestions);
  app.add_option("--max-tokens", sampling.max_tokens, "The most tokens of an answer in requests")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kQuestions);
}

}  // namespace

Command ExportCommand() {
  return {
      .name = "export",
      .group = CommandGroup::kRead,
      .summary = "Write the rows of a dataset for trainers, or documents about it for auditors",
      .description =
          "The dataset itself is not changed. The formats parquet, jsonl and jsonl_zst are those "
          "of "
          "a dataset's data/. The format standards has no rows: it audits the dataset and writes "
          "croissant.json, spdx.json and provenance.json, an in-toto statement; with --key also "
          "provenance.dsse.json, which `kernelmill audit --attestation` checks. Every other format "
          "is for a trainer or server, and its folder has a README.md that says how to open it.\n\n"
          "Only the last answer of a row is trained. verl would train earlier answers too, which "
          "are "
          "wrong in repair rows; for verl they stand within the question, and for every trainer "
          "with "
          "--fold-history.",
      .examples = {{"export out/demo --format trl --output trl",
                    "Write trl/data/*.jsonl for TRL's SFTTrainer."},
                   {"export out/demo --format verl --resample --seed 7 --output verl",
                    "Write Parquet for verl, with rows drawn by their weight."},
                   {"export out/demo --format prompts --requests vllm --samples 8 --output ask",
                    "Ask for 8 answers to each task with vllm run-batch."},
                   {"export out/demo --format standards --url https://example.org/demo --publisher "
                    "Example --built 2026-11-28 --published 2026-11-29 --key key.pem --output docs",
                    "Describe the dataset in Croissant and SPDX, and sign its provenance."},
                   {"export out/samples --format prompts --retries --samples 8 --output ask_again",
                    "Ask for 8 repairs of each answer that the retry buffer has drawn."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->dataset, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        AddFormatOption(app, &arguments->format);
        app.add_option("--output", arguments->output,
                       "Write to this folder, which must not hold data/ yet")
            ->type_name(kFolder)
            ->required()
            ->group(kOutputGroup);
        app.add_option("--rows-per-parquet-file", arguments->pack.rows_per_parquet_file,
                       "Write at most this many rows to one file of the format parquet")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1))
            ->group(kOutputGroup);
        app.add_flag("--resample", arguments->trainer.resample,
                     "Draw training rows by their weight, for trainers that ignore weights: the "
                     "weight of a row is the mean number of its copies, and \"copy\" counts them")
            ->group(kRows);
        app.add_flag("--fold-history", arguments->trainer.fold_history,
                     "Write the earlier turns of a conversation into its one question")
            ->group(kRows);
        app.add_option("--seed", arguments->trainer.seed,
                       "The seed of the draw, and of the wording of questions")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kRows);
        AddQuestionOptions(app, arguments.get());
        AddStandardsOptions(app, &arguments->standards);
        AddJsonOption(app, &arguments->json);
        ListGiven(app, &arguments->given);
        return [arguments] { return RunExport(*arguments); };
      },
  };
}

}  // namespace kernelmill
