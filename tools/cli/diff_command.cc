#include <memory>

#include "manifests/printable.h"
#include "stages/audit/dataset_difference.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string a, b;
  bool json = false;
};

std::string TextOf(const std::string& title,
                   const std::map<std::string, DatasetDifference::Pair>& pairs) {
  if (pairs.empty()) return "";
  const auto shown = [](const Json& value) {
    return value == Json()     ? std::string("none")
           : value.is_string() ? PrintableLine(value.as_string())
                               : PrintableLine(value.Dump());
  };
  std::string text = title + "\n";
  for (const auto& [name, pair] : pairs) {
    text +=
        "  " + PrintableLine(name) + "  " + shown(pair.first) + " -> " + shown(pair.second) + "\n";
  }
  return text;
}

std::string TextOf(const Arguments& arguments, const DatasetDifference& difference) {
  std::string text;
  for (const auto& [id, kind] : difference.removed) {
    text += "- " + id.Hex() + "  " + std::string(RecordKindName(kind)) + "\n";
  }
  for (const auto& [id, kind] : difference.added) {
    text += "+ " + id.Hex() + "  " + std::string(RecordKindName(kind)) + "\n";
  }
  for (const auto& [id, changed] : difference.changed) {
    text += "~ " + id.Hex() + "  " + std::string(RecordKindName(changed.kind)) + ": ";
    for (const std::string& column : changed.columns) {
      text += (column == changed.columns.front() ? "" : ", ") + PrintableLine(column);
    }
    text += "\n";
  }
  std::string sources;
  for (const std::string& name : difference.removed_sources) {
    sources += "  - " + PrintableLine(name) + "\n";
  }
  for (const std::string& name : difference.added_sources) {
    sources += "  + " + PrintableLine(name) + "\n";
  }
  if (!sources.empty()) text += "sources\n" + sources;
  text += TextOf("configuration", difference.configuration);
  text += TextOf("counts", difference.counts);
  text += TextOf("versions", difference.versions);
  if (!difference.files.empty()) {
    text += "files\n";
    for (const std::string& path : difference.files) text += "  " + PrintableLine(path) + "\n";
  }
  return text + arguments.a + " and " + arguments.b +
         (difference.Equal() ? " are the same dataset; " : " differ; ") +
         std::to_string(difference.removed.size()) + " records removed, " +
         std::to_string(difference.added.size()) + " added, " +
         std::to_string(difference.changed.size()) + " changed, " +
         std::to_string(difference.equal_records) + " equal\n";
}

Status RunDiff(const Arguments& arguments) {
  KM_ASSIGN(const DatasetDifference difference, CompareDatasets(arguments.a, arguments.b));
  KM_RETURN_IF_ERROR(arguments.json ? PrintJson(difference.ToJson())
                                    : Print(TextOf(arguments, difference)));
  if (difference.Equal()) return Status::Ok();
  return Status(ErrorCode::kRefused,
                arguments.a + " and " + arguments.b + " are different datasets");
}

}  // namespace

Command DiffCommand() {
  return {
      .name = "diff",
      .group = CommandGroup::kRead,
      .summary = "Compare two datasets record by record",
      .description =
          "It lists the records that only the first dataset has (-), those that only the second "
          "has (+), and those that both have with other facts (~), with the columns that differ: "
          "weight, split, origins. Then sources, keys of the configuration, counts, versions and "
          "files that differ. The exit code is 0 when both have the same manifest, and 1 "
          "otherwise. It checks every record against its digest; `audit` proves the rest of a "
          "dataset.",
      .examples = {{"diff out/demo out/purged", "Show what a purge has changed."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("a", arguments->a, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("b", arguments->b, "The folder of another one")
            ->type_name(kFolder)
            ->required();
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunDiff(*arguments); };
      },
  };
}

}  // namespace kernelmill
