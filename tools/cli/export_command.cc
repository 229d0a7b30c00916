#include <memory>

#include "manifests/json_fields.h"
#include "stages/pack/export_dataset.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

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
  KM_ASSIGN(const ExportFormat* const format, FindExportFormat(arguments.format));
  KM_ASSIGN(const ExportedRows exported,
            ExportDataset(arguments.dataset, *format, arguments.options, arguments.output));
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

}  // namespace

Command ExportCommand() {
  return {
      .name = "export",
      .group = CommandGroup::kRead,
      .summary = "Write the rows of a dataset in a format for trainers",
      .description = "The dataset itself is not changed.",
      .examples = {{"export out/demo --format jsonl --output rows",
                    "Write rows/data/*.jsonl, one row per line."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        std::string formats;
        std::vector<std::string> names;
        for (const ExportFormat& format : AllExportFormats()) {
          formats += (formats.empty() ? "" : "; ") + std::string(format.name) + ": " +
                     std::string(format.explanation);
          names.emplace_back(format.name);
        }
        app.add_option("dataset", arguments->dataset, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("--format", arguments->format, formats)
            ->required()
            ->check(OneOf(names))
            ->group(kOutputGroup);
        app.add_option("--output", arguments->output,
                       "Write to this folder, which must not hold data/ yet")
            ->type_name(kFolder)
            ->required()
            ->group(kOutputGroup);
        app.add_option("--rows-per-parquet-file", arguments->options.rows_per_parquet_file,
                       "Write at most this many rows to one Parquet file")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1))
            ->group(kOutputGroup);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunExport(*arguments); };
      },
  };
}

}  // namespace kernelmill
