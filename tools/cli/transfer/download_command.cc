#include <memory>

#include "stages/transfer/dataset_download.h"
#include "stages/transfer/file_transfers.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string address, output;
  int jobs = kUsualTransfers;
  bool json = false;
};

std::string TextOf(const std::string& folder, const DownloadReport& report) {
  const std::int64_t there = report.files - report.downloaded;
  return folder + ": " + std::to_string(report.downloaded) + " files downloaded (" +
         std::to_string(report.bytes) + " bytes)" +
         (there > 0 ? ", " + std::to_string(there) + " were there" : "") + ", digest " +
         report.manifest_digest.Hex() + "\n";
}

Status RunDownload(const Arguments& arguments) {
  KM_ASSIGN(const ObjectAddress address, ObjectAddress::Parse(arguments.address));
  KM_ASSIGN(const auto store, ObjectStore::Open());
  KM_ASSIGN(const DownloadReport report,
            DownloadDataset(address, arguments.output, *store, arguments.jobs));
  if (!arguments.json) return Print(TextOf(arguments.output, report));
  return PrintJson(Json::Object{{"dataset", arguments.output},
                                {"manifest_digest", report.manifest_digest.Hex()},
                                {"files", report.files},
                                {"downloaded", report.downloaded},
                                {"bytes", report.bytes}});
}

}  // namespace

Command DownloadCommand() {
  return {
      .name = "download",
      .group = CommandGroup::kRead,
      .summary = "Download a dataset from an object store (s3://)",
      .description =
          "Every file is compared with the size and the SHA-256 that the manifest lists, and "
          "manifest.json is written last, so a download that was cut off is no dataset; the same "
          "command goes on with it. To know that it is the dataset that you expect, audit it with "
          "--root.\n\n"
          "The environment says where the store is and who asks, as for `kernelmill upload`.",
      .examples = {{"download s3://bucket/datasets/demo --output copy", "Download the dataset."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("address", arguments->address, "Where it is: s3://BUCKET/NAME")
            ->type_name("ADDRESS")
            ->required();
        app.add_option("--output", arguments->output,
                       "Write the dataset to this folder: a new one, or that of a download which "
                       "was cut off")
            ->type_name(kFolder)
            ->required()
            ->group(kOutputGroup);
        AddJobsOption(app, &arguments->jobs, "Download so many files at once (default: 4)");
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunDownload(*arguments); };
      },
  };
}

}  // namespace kernelmill
