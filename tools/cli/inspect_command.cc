#include <unistd.h>

#include <memory>
#include <optional>

#include "corpora/dataset/row.h"
#include "stages/engine/progress.h"
#include "stages/pack/row_query.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/pager.h"
#include "tools/cli/terminal.h"
#include "tools/cli/text_layout.h"

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
  bool no_pager = false;
};

// Fits the text of a row to the terminal's width and colours it; unchanged for a pipe or a file.
std::string ForTerminal(const std::string& text, const Terminal& terminal) {
  if (!terminal.is_terminal) return text;
  const std::string laid_out = WithShortLines(text, terminal.columns);
  std::string painted;
  bool is_id = true, is_role = false;
  for (std::size_t start = 0; start < laid_out.size();) {
    const std::size_t end = laid_out.find('\n', start);
    const std::string line = laid_out.substr(start, end - start);
    // The id is the first line of a row; the line after an empty line is the role of a message.
    painted += (is_id || is_role ? terminal.Painted(Ink::kHeading, line) : line) + "\n";
    is_id = false;
    is_role = line.empty();
    start = end + 1;
  }
  return painted;
}

Status RunInspect(const Arguments& arguments) {
  RowQuery query = arguments.query;
  if (!arguments.family.empty()) {
    KM_ASSIGN(query.family, FamilyFromName(arguments.family));
  }
  KM_ASSIGN(DatasetReader dataset, DatasetReader::Open(arguments.folder));
  const Terminal terminal = Terminal::Of(STDOUT_FILENO);
  std::optional<Pager> pager(std::in_place, !arguments.json && !arguments.no_pager);
  Json::Array rows;
  int shown = 0;
  bool more_rows = false;
  const Status found =
      FindRows(&dataset, query, [&](const RowInContext& row, bool* more) -> Status {
        if (shown == arguments.limit) {
          more_rows = true;
          *more = false;
          return Status::Ok();
        }
        ++shown;
        if (arguments.json) {
          rows.push_back(row.ToJson());
          return Status::Ok();
        }
        if (arguments.list) return Print(RowLine(row));
        if (shown > 1) KM_RETURN_IF_ERROR(Print("\n"));
        return PrintPrepared(ForTerminal(RowText(row, arguments.lines), terminal));
      });
  pager.reset();
  if (Pager::IsClosed(found)) return Status::Ok();
  KM_RETURN_IF_ERROR(found);
  if (shown == 0) Say("no training record matches");
  if (more_rows) {
    Say("more than these " + std::to_string(shown) + " rows match: --limit N shows more" +
        (arguments.list || arguments.json ? "" : ", --list shows one line per row"));
  }
  if (!arguments.json) return Status::Ok();
  return PrintJson(Json::Object{{"rows", std::move(rows)}, {"more", more_rows}});
}

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  for (Family family : AllFamilies()) names.emplace_back(FamilyName(family));
  return names;
}

}  // namespace

Command InspectCommand() {
  return {
      .name = "inspect",
      .group = CommandGroup::kRead,
      .summary = "Show training rows of a dataset",
      .description =
          "On a terminal long lines are wrapped to its width, and long output goes "
          "through the program that PAGER names.",
      .examples = {{"inspect out/demo --limit 2", "Read two rows."},
                   {"inspect out/demo --family repair --operator linear --lines 0",
                    "Read the whole repairs of answers to modules that call linear."},
                   {"inspect out/demo --list --limit 1000", "List rows, one per line."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kWhichRows[] = "Which rows";
        const auto arguments = std::make_shared<Arguments>();
        RowQuery& query = arguments->query;
        app.add_option("dataset", arguments->folder, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("--family", arguments->family, "Only rows of this family")
            ->check(OneOf(FamilyNames()))
            ->group(kWhichRows);
        app.add_option("--origin", query.origin,
                       "Only rows with this text in the identifier or the symbol of an origin")
            ->type_name("TEXT")
            ->group(kWhichRows);
        app.add_option("--operator", query.op,
                       "Only rows whose module calls this operator: linear, aten.addmm")
            ->type_name("NAME")
            ->group(kWhichRows);
        app.add_option("--licence", query.licence,
                       "Only rows with evidence for this SPDX expression; none: without evidence")
            ->type_name("SPDX")
            ->group(kWhichRows);
        app.add_option("--split", query.split, "Only rows of this split")
            ->check(OneOf(AllSplits()))
            ->group(kWhichRows);
        app.add_option("--id", query.id_prefix, "Only rows whose id starts with these digits")
            ->type_name("ID")
            ->group(kWhichRows);
        app.add_option("--limit", arguments->limit, "Show at most this many rows")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kOutputGroup);
        app.add_option("--lines", arguments->lines,
                       "Show at most this many lines of a message; 0: all")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kOutputGroup);
        app.add_flag("--list", arguments->list, "Show one line per row")->group(kOutputGroup);
        app.add_flag("--no-pager", arguments->no_pager, "Never start a pager")->group(kOutputGroup);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunInspect(*arguments); };
      },
  };
}

}  // namespace kernelmill
