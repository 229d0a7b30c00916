#include <memory>

#include "stages/transfer/dataset_upload.h"
#include "stages/transfer/file_transfers.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string folder, address;
  int jobs = kUsualTransfers;
  bool json = false;
};

std::string TextOf(const std::string& address, const UploadReport& report) {
  const std::string digest = ", digest " + report.manifest_digest.Hex() + "\n";
  if (report.was_there) {
    return address + ": this dataset is there already; nothing was uploaded" + digest;
  }
  const std::int64_t there = report.files - report.uploaded;
  return address + ": " + std::to_string(report.uploaded) + " files uploaded (" +
         std::to_string(report.bytes) + " bytes)" +
         (there > 0 ? ", " + std::to_string(there) + " were there" : "") + digest;
}

Status RunUpload(const Arguments& arguments) {
  KM_ASSIGN(const ObjectAddress address, ObjectAddress::Parse(arguments.address));
  KM_ASSIGN(const auto store, ObjectStore::Open());
  KM_ASSIGN(const UploadReport report,
            UploadDataset(arguments.folder, address, *store, arguments.jobs));
  if (!arguments.json) return Print(TextOf(address.Text(), report));
  return PrintJson(Json::Object{{"dataset", address.Text()},
                                {"manifest_digest", report.manifest_digest.Hex()},
                                {"was_there", report.was_there},
                                {"files", report.files},
                                {"uploaded", report.uploaded},
                                {"bytes", report.bytes}});
}

}  // namespace

Command UploadCommand() {
  return {
      .name = "upload",
      .group = CommandGroup::kRead,
      .summary = "Upload a dataset to an object store (s3://)",
      .description =
          "Every file becomes an object that is created once and never replaced (If-None-Match), "
          "and manifest.json comes last, so a reader never sees a part of the dataset. The same "
          "command goes on after it was cut off, and says so when the dataset is there already. "
          "Another dataset under the same name is refused: the object NAME.claim beside the "
          "dataset says which one the name is for.\n\n"
          "The environment says where the store is and who asks: AWS_ACCESS_KEY_ID, "
          "AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN for temporary keys, AWS_REGION, and "
          "AWS_ENDPOINT_URL for a store that is not AWS's.",
      .examples = {{"upload out/demo s3://bucket/datasets/demo", "Upload the dataset."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->folder, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("address", arguments->address, "Where to: s3://BUCKET/NAME")
            ->type_name("ADDRESS")
            ->required();
        AddJobsOption(app, &arguments->jobs, "Upload so many files at once (default: 4)");
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunUpload(*arguments); };
      },
  };
}

}  // namespace kernelmill
