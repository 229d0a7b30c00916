#include "manifests/json_fields.h"
#include "stages/pack/export_dataset.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string dataset;
  std::string format;
  std::string output;
  PackOptions options;
  bool json = false;
};

Status RunExport(const Arguments& arguments) {
  const Result<const ExportFormat*> format = FindExportFormat(arguments.format);
  if (!format.ok()) return Status(ErrorCode::kUsage, "--format: " + format.status().message());
  KM_ASSIGN(const ExportedRows exported,
            ExportDataset(arguments.dataset, **format, arguments.options, arguments.output));
  if (arguments.json) {
    return Print(
        Json(Json::Object{{"rows", Json::Object(exported.rows.begin(), exported.rows.end())},
                          {"files", ToJson(exported.files)}})
            .Pretty());
  }
  std::string text;
  for (const auto& [split, rows] : exported.rows) {
    text += split + ": " + std::to_string(rows) + " rows\n";
  }
  for (const std::string& file : exported.files) text += arguments.output + "/" + file + "\n";
  return Print(text);
}

}  // namespace

void AddExportCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("export", "Write the rows of a dataset in a format for trainers");
  auto arguments = std::make_shared<Arguments>();
  std::string formats;
  for (const ExportFormat& format : AllExportFormats()) {
    formats += (formats.empty() ? "" : "; ") + std::string(format.name) + ": " +
               std::string(format.explanation);
  }
  command->add_option("dataset", arguments->dataset, "The folder of a dataset")->required();
  command->add_option("--format", arguments->format, formats)->required();
  command->add_option("--output", arguments->output, "A folder without data/; it is made")
      ->required();
  command
      ->add_option("--rows-per-parquet-file", arguments->options.rows_per_parquet_file,
                   "Rows in one Parquet file at most")
      ->capture_default_str()
      ->check(kPositive);
  command->add_flag("--json", arguments->json, "One JSON document");
  command->callback([=] { *action = [=] { return RunExport(*arguments); }; });
}

}  // namespace kernelmill
