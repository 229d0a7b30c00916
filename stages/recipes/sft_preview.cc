#include "stages/recipes/sft_preview.h"

#include <algorithm>

#include "generators/wording/number_format.h"
#include "manifests/printable.h"
#include "stages/engine/run_status.h"
#include "stages/fetch/commit_operation.h"
#include "stages/mine/mine_keys.h"
#include "stages/mine/mined_items.h"
#include "stages/mine/walk_step.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/source_entries.h"
#include "stages/recipes/step_table.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {
namespace {

Result<std::string> StateOf(const std::string& folder) {
  const Result<RunStatus> status = ReadRunStatus(folder, StepTable());
  if (status.status().code() == ErrorCode::kNotFound) return std::string("a new run");
  if (!status.ok()) return status.status();
  if (status->published) {
    return std::string(
        "it holds a finished dataset, which a run never changes: nothing is done when it was made "
        "from this configuration, and the run is refused when it was made from another one");
  }
  std::string steps;
  for (const RunStatus::StepStatus& step : status->steps) {
    steps += (steps.empty() ? "" : ", ") + step.step + " " + std::to_string(step.committed) +
             " of " + std::to_string(step.partitions) + " partitions";
  }
  return "it holds an unfinished run, which would be resumed" +
         (steps.empty() ? "" : ": " + steps) +
         (status->running ? "; another process is working on it" : "");
}

// Counts the files that the step "walk" would list.
Status Walk(const MiningOptions& mining, const ResolvedSource& resolved,
            SftPreview::Source* source) {
  WalkStep walk(FoldersOf({resolved}), mining);
  KM_ASSIGN(const std::unique_ptr<Lane> lane, walk.OpenLane());
  for (const Input& input : RepositoryInputs({resolved})) {
    KM_ASSIGN(const Outcome outcome, walk.Process(input, *lane));
    if (outcome.fate != Fate::kKept) source->reject_reason = outcome.reason;
    for (const auto& [name, count] : outcome.counters) {
      if (name == "entries") source->entries += count;
    }
    for (const Output& output : outcome.outputs) {
      KM_ASSIGN(const ListedFile file, ListedFile::FromText(output.body));
      ++source->files;
      source->bytes += file.size;
    }
  }
  return Status::Ok();
}

// Counts the rows that the step "supply" would read.
Status ReadTasks(const MiningOptions& mining, const TaskSource& tasks, SftPreview::Source* source) {
  source->name = tasks.url;
  source->commit = tasks.sha256;
  return ForEachRow(tasks, mining.largest_file, [&](const SuppliedRow& row) {
    ++source->entries;
    if (!row.reason.empty()) return Status::Ok();
    ++source->files;
    source->bytes += static_cast<std::int64_t>(row.bytes.size());
    return Status::Ok();
  });
}

}  // namespace

Result<SftPreview> PreviewSft(const Config& config, const BuildOptions& options) {
  const std::vector<StepSpec> steps = StepsOf("sft");
  const MiningOptions mining = MiningOptionsOf(config);
  KM_RETURN_IF_ERROR(CheckSources(config));
  KM_RETURN_IF_ERROR(CheckSettings(steps, config));
  SftPreview preview;
  preview.output = options.output;
  KM_ASSIGN(preview.state, StateOf(options.output));
  RunForecast forecast{.config = config};
  UntrustedChild child(mining.child_program);
  const SourceOptions source_options = SourceOptionsOf(options);
  KM_ASSIGN(const std::vector<SourceSpec> specs, PinnedSpecs(config, source_options));
  for (const SourceSpec& spec : specs) {
    KM_ASSIGN(const std::optional<ResolvedSource> resolved,
              ResolveOffline(spec, FetchOptionsOf(config, source_options), ReadCommitsIn(child)));
    SftPreview::Source& source = preview.sources.emplace_back();
    source.name = resolved ? resolved->url : spec.url.empty() ? spec.Name() : spec.url;
    ++forecast.repositories;
    if (!resolved) {
      ++forecast.unfetched;
      continue;
    }
    source.commit = resolved->commit;
    KM_RETURN_IF_ERROR(Walk(mining, *resolved, &source));
    forecast.files += source.files;
    forecast.bytes += source.bytes;
  }
  KM_ASSIGN(const std::vector<TaskSource> task_sources, ResolveTaskSources(config));
  for (const TaskSource& tasks : task_sources) {
    SftPreview::Source& source = preview.sources.emplace_back();
    KM_RETURN_IF_ERROR(ReadTasks(mining, tasks, &source));
    ++forecast.task_files;
    forecast.task_rows += source.entries;
  }
  for (const StepSpec& step : steps) {
    SftPreview::Step& line = preview.steps.emplace_back();
    line.name = step.name;
    line.off = WhyOff(step, forecast);
    line.what = step.preview == nullptr ? std::string(step.does) : step.preview(forecast);
  }
  return preview;
}

std::string SftPreview::Text() const {
  std::string text = PrintableLine(output) + ": " + state + "\n\nsources\n";
  for (const Source& source : sources) {
    text += "  " + PrintableLine(source.name);
    if (source.commit.empty() && source.reject_reason.empty()) {
      text += ": would be fetched\n";
      continue;
    }
    if (!source.commit.empty()) text += " at " + source.commit.substr(0, 12);
    text += ": ";
    text += source.reject_reason.empty()
                ? Grouped(source.files) + " of " + Grouped(source.entries) + " entries to read\n"
                : "would be rejected: " + source.reject_reason + "\n";
  }
  text += "\nsteps\n";
  std::size_t width = 0;
  for (const Step& step : steps) width = std::max(width, step.name.size());
  for (const Step& step : steps) {
    text += "  " + step.name + std::string(width - step.name.size() + 2, ' ') +
            (step.off.empty() ? PrintableLine(step.what) : "off: " + step.off) + "\n";
  }
  return text + "\nNothing was fetched or written.\n";
}

Json SftPreview::ToJson() const {
  Json::Array source_list, step_list;
  for (const Source& source : sources) {
    const bool fetched = !source.commit.empty() || !source.reject_reason.empty();
    Json item = Json::Object{{"url", source.name}, {"fetched", fetched}};
    if (fetched) {
      item["commit"] = source.commit;
      item["entries"] = source.entries;
      item["files"] = source.files;
      item["bytes"] = source.bytes;
      if (!source.reject_reason.empty()) item["refusal"] = source.reject_reason;
    }
    source_list.push_back(std::move(item));
  }
  for (const Step& step : steps) {
    Json item = Json::Object{{"step", step.name}};
    item[step.off.empty() ? "what" : "off"] = step.off.empty() ? step.what : step.off;
    step_list.push_back(std::move(item));
  }
  return Json::Object{{"output", output},
                      {"state", state},
                      {"sources", std::move(source_list)},
                      {"steps", std::move(step_list)}};
}

}  // namespace kernelmill
