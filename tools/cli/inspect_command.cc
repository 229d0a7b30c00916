#include "corpora/dataset/row.h"
#include "stages/engine/progress.h"
#include "stages/pack/row_query.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string folder;
  std::string family;
  RowQuery query;
  int limit = 20;
  std::size_t lines = 40;
  bool list = false;
  bool json = false;
};

Status RunInspect(const Arguments& arguments) {
  RowQuery query = arguments.query;
  if (!arguments.family.empty()) {
    KM_ASSIGN(query.family, FamilyFromName(arguments.family));
  }
  KM_ASSIGN(DatasetReader dataset, DatasetReader::Open(arguments.folder));
  Json::Array rows;
  int shown = 0;
  bool cut = false;
  KM_RETURN_IF_ERROR(FindRows(&dataset, query, [&](const RowInContext& row, bool* more) -> Status {
    if (shown == arguments.limit) {
      cut = true;
      *more = false;
      return Status::Ok();
    }
    ++shown;
    if (arguments.json) {
      rows.push_back(row.ToJson());
      return Status::Ok();
    }
    if (arguments.list) return Print(RowLine(row));
    return Print((shown > 1 ? "\n" : "") + RowText(row, arguments.lines));
  }));
  if (shown == 0) Say("no training record matches");
  if (cut) {
    Say("there are more than these " + std::to_string(shown) + ": --limit shows them" +
        (arguments.list || arguments.json ? "" : ", --list shows one line a row"));
  }
  if (!arguments.json) return Status::Ok();
  return Print(Json(Json::Object{{"rows", std::move(rows)}, {"more", cut}}).Pretty());
}

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  for (Family family : AllFamilies()) names.emplace_back(FamilyName(family));
  return names;
}

}  // namespace

void AddInspectCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("inspect", "Show training records of a dataset");
  auto arguments = std::make_shared<Arguments>();
  RowQuery& query = arguments->query;
  command->add_option("dataset", arguments->folder, "The folder of a dataset")->required();
  command->add_option("--family", arguments->family, "Only this family")
      ->check(CLI::IsMember(FamilyNames()));
  command->add_option("--origin", query.origin,
                      "Only records with this text in the identifier or the symbol of an origin");
  command->add_option("--operator", query.op,
                      "Only records whose module calls it: linear, aten.addmm");
  command->add_option("--licence", query.licence,
                      "Only records with evidence for this SPDX expression; none: without any");
  command->add_option("--split", query.split, "Only this split")->check(CLI::IsMember(AllSplits()));
  command->add_option("--id", query.id_prefix, "Only records whose id begins with these digits");
  command->add_option("--limit", arguments->limit, "Show at most this many")
      ->capture_default_str()
      ->check(kNonNegative);
  command->add_flag("--list", arguments->list, "One line a row");
  command
      ->add_option("--lines", arguments->lines, "Show at most this many lines of a message; 0: all")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON document");
  command->callback([=] { *action = [=] { return RunInspect(*arguments); }; });
}

}  // namespace kernelmill
