#include <algorithm>
#include <filesystem>
#include <memory>

#include "corpora/quarantine.h"
#include "generators/record_text/provenance_text.h"
#include "manifests/printable.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

constexpr std::string_view kExtension = ".mdb";

struct Arguments {
  std::string folder, step, reason, source;
  bool text = false;
  bool json = false;
};

bool IsWanted(const Arguments& arguments, const Reject& reject) {
  if (!arguments.reason.empty() && reject.reason != arguments.reason) return false;
  return arguments.source.empty() ||
         std::any_of(reject.origins.begin(), reject.origins.end(), [&](const Origin& origin) {
           return origin.url.starts_with(arguments.source);
         });
}

std::string TextOf(const Reject& reject, bool with_text) {
  std::string text = PrintableLine(reject.step) + " " + PrintableLine(reject.reason);
  if (!reject.detail.empty()) text += ": " + PrintableLine(reject.detail, 400);
  text += "\n";
  for (const Origin& origin : reject.origins) text += "    " + OriginText(origin) + "\n";
  if (!with_text) return text;
  for (std::size_t start = 0; start < reject.original.size();) {
    const std::size_t end = std::min(reject.original.find('\n', start), reject.original.size());
    text += "    | " + PrintableLine(reject.original.substr(start, end - start), 1000) + "\n";
    start = end + 1;
  }
  return text;
}

Json JsonOf(const Reject& reject, bool with_text) {
  Json::Array origins;
  for (const Origin& origin : reject.origins) origins.emplace_back(origin.ToJson());
  Json json = Json::Object{{"step", reject.step},
                           {"reason", reject.reason},
                           {"detail", reject.detail},
                           {"key", reject.key},
                           {"origins", std::move(origins)}};
  if (with_text) json["text"] = PrintableLine(reject.original, reject.original.size());
  return json;
}

// The steps that have rejects, by name.
Result<std::vector<std::string>> StepsIn(const std::string& quarantine) {
  std::vector<std::string> steps;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(quarantine, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == kExtension) steps.push_back(entry->path().stem().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return Status(ErrorCode::kIo, "cannot list " + quarantine + ": " + error.message());
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

Status RunRejects(const Arguments& arguments) {
  const std::string quarantine = QuarantineFolderOf(arguments.folder);
  std::error_code error;
  if (!std::filesystem::exists(arguments.folder, error)) {
    return Status(ErrorCode::kNotFound, "there is no dataset " + arguments.folder);
  }
  KM_ASSIGN(const std::vector<std::string> steps, StepsIn(quarantine));
  std::int64_t count = 0;
  for (const std::string& step : steps) {
    if (!arguments.step.empty() && step != arguments.step) continue;
    const std::string path = quarantine + "/" + step + std::string(kExtension);
    KM_ASSIGN(const QuarantineReader reader, QuarantineReader::Open(path));
    KM_RETURN_IF_ERROR(reader.ForEach([&](const Reject& reject) -> Status {
      if (!IsWanted(arguments, reject)) return Status::Ok();
      ++count;
      return arguments.json ? PrintJsonLine(JsonOf(reject, arguments.text))
                            : Print(TextOf(reject, arguments.text));
    }));
  }
  if (arguments.json) return Status::Ok();
  return Print(std::to_string(count) + (count == 1 ? " reject" : " rejects") + " of " +
               arguments.folder + "\n");
}

}  // namespace

Command RejectsCommand() {
  return {
      .name = "rejects",
      .group = CommandGroup::kRead,
      .summary = "Show what a run refused, and why",
      .description =
          "Every input that a step rejected, with the reason and where it came from: file and "
          "lines, or the row of a file of tasks. They lie in DIR.quarantine, beside the dataset "
          "and no part of it.",
      .examples = {{"rejects out/demo", "List all rejects."},
                   {"rejects out/demo --step slice --reason licence --text",
                    "Also show the text of what had no licence that is allowed."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->folder, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("--step", arguments->step, "Only rejects of this step")->type_name("STEP");
        app.add_option("--reason", arguments->reason, "Only rejects with this reason")
            ->type_name("REASON");
        app.add_option("--source", arguments->source,
                       "Only rejects from sources whose URL begins with this")
            ->type_name("URL");
        app.add_flag("--text", arguments->text, "Show the text that was rejected too");
        AddJsonOption(app, &arguments->json, "Print one JSON object a line");
        return [arguments] { return RunRejects(*arguments); };
      },
  };
}

}  // namespace kernelmill
