#include "stages/recipes/sft_preview.h"

#include <cmath>

#include "generators/dataset_pages/markup.h"
#include "manifests/printable.h"
#include "stages/engine/run_status.h"
#include "stages/fetch/commit_operation.h"
#include "stages/generate/generate_step.h"
#include "stages/measure/measure_step.h"
#include "stages/mine/mine_keys.h"
#include "stages/mine/mining_plan.h"
#include "stages/mine/walk_step.h"
#include "stages/mix/mixture.h"
#include "stages/pack/pack_keys.h"
#include "stages/supply/supplied_rows.h"

namespace kernelmill {
namespace {

constexpr int kStepWidth = 9;

// "3 files", "1 file".
std::string Number(std::int64_t count, const std::string& what) {
  return Grouped(count) + " " + what + (count == 1 ? "" : "s");
}

Result<std::string> StateOf(const std::string& folder) {
  const Result<RunStatus> status = ReadRunStatus(folder);
  if (status.status().code() == ErrorCode::kNotFound) return std::string("a new run");
  if (!status.ok()) return status.status();
  if (status->published) {
    return std::string(
        "it holds a finished dataset, which is left alone: nothing is done when it was made from "
        "this configuration, otherwise the run is refused");
  }
  std::string steps;
  for (const RunStatus::StepStatus& step : status->steps) {
    steps += (steps.empty() ? "" : ", ") + step.step + " " + std::to_string(step.committed) +
             " of " + std::to_string(step.partitions) + " partitions";
  }
  return "an unfinished run is there, which would go on" + (steps.empty() ? "" : ": " + steps) +
         (status->running ? "; another process works on it right now" : "");
}

// What the first step would find.
Status Walk(const MiningOptions& mining, const ResolvedSource& resolved,
            SftPreview::Source* source) {
  WalkStep walk(FoldersOf({resolved}), mining);
  KM_ASSIGN(const std::unique_ptr<Lane> lane, walk.OpenLane());
  for (const Input& input : SourceInputs({resolved})) {
    KM_ASSIGN(const Outcome outcome, walk.Process(input, *lane));
    if (outcome.fate != Fate::kKept) source->refusal = outcome.reason;
    for (const auto& [name, count] : outcome.counters) {
      if (name == "entries") source->entries += count;
    }
    for (const Output& output : outcome.outputs) {
      KM_ASSIGN(const MinedFile file, MinedFile::FromText(output.body));
      ++source->files;
      source->bytes += file.size;
    }
  }
  return Status::Ok();
}

std::string SampleText(const Config& config) {
  const std::int64_t limit = config.Integer("limit"), cap = config.Integer("max_per_source");
  std::string text =
      limit > 0 ? "at most " + Number(limit, "distinct module") : "every distinct module";
  if (cap > 0) text += ", at most " + Grouped(cap) + " from one source";
  if (limit > 0 || cap > 0) text += ", chosen by seed " + std::to_string(config.Integer("seed"));
  return text;
}

// Empty where nothing is generated.
std::string GenerateText(const GenerateOptions& options) {
  if (options.count == 0) return "";
  return Number(options.count, "task") + " of seed " + std::to_string(options.sampler.seed) +
         ", no two with one graph";
}

std::string MixText(const MixOptions& options) {
  double whole = 0;
  for (const auto& [family, share] : options.shares) whole += share;
  std::string text;
  for (const auto& [family, share] : options.shares) {
    if (share <= 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(FamilyName(family)) + " " +
            Percent(std::llround(share * 1000), std::llround(whole * 1000));
  }
  return "weights by trained tokens: " + text;
}

// What the step would find.
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

std::string MeasureText(const MeasureOptions& options) {
  std::string text = options.tokenizer ? "tokens counted by " + options.TokenizerName()
                                       : "tokens estimated from bytes";
  text += options.max_tokens > 0 ? "; rows over " + Grouped(options.max_tokens) + " are rejected"
                                 : "; no budget";
  return text;
}

}  // namespace

Result<SftPreview> PreviewSft(const Config& config, const SftOptions& options) {
  const MiningOptions mining = MiningOptionsOf(config);
  KM_RETURN_IF_ERROR(CheckSettings(config));
  KM_ASSIGN(const GenerateOptions generate, GenerateOptions::Of(config));
  KM_ASSIGN(const MeasureOptions measures, MeasureOptions::Of(config));
  KM_ASSIGN(const MixOptions mix, MixOptions::Of(config));
  KM_ASSIGN(const PackOptions pack, PackOptions::Of(config));
  SftPreview preview;
  preview.output = options.output;
  KM_ASSIGN(preview.state, StateOf(options.output));
  std::int64_t files = 0, bytes = 0, unknown = 0;
  UntrustedChild child(mining.child_program);
  for (const SourceSpec& spec : SourceSpecs(config)) {
    KM_ASSIGN(const std::optional<ResolvedSource> resolved,
              ResolveOffline(spec, options.cache, ReadCommitsIn(child)));
    SftPreview::Source& source = preview.sources.emplace_back();
    source.name = resolved ? resolved->url : spec.url.empty() ? spec.git : spec.url;
    if (!resolved) {
      ++unknown;
      continue;
    }
    source.commit = resolved->commit;
    KM_RETURN_IF_ERROR(Walk(mining, *resolved, &source));
    files += source.files;
    bytes += source.bytes;
  }
  const auto all = static_cast<std::int64_t>(preview.sources.size());
  KM_ASSIGN(const std::vector<TaskSource> task_sources, ResolveTaskSources(config));
  std::int64_t supplied = 0;
  for (const TaskSource& tasks : task_sources) {
    SftPreview::Source& source = preview.sources.emplace_back();
    KM_RETURN_IF_ERROR(ReadTasks(mining, tasks, &source));
    supplied += source.entries;
  }
  if (unknown > 0) preview.steps.emplace_back("fetch", Number(unknown, "source"));
  std::string formats;
  for (const std::string& format : pack.formats) {
    formats += (formats.empty() ? "" : ", ") + format;
  }
  for (auto& step : std::vector<std::pair<std::string, std::string>>{
           {"walk", Number(all, "source")},
           {"read", Number(files, "file") + ", " + Number(bytes, "byte") +
                        (unknown > 0 ? ", and those of the sources to fetch" : "")},
           {"index",
            mining.kernels ? "the modules and native kernels in them" : "the modules in them"},
           {"slice", "each with all it needs, cut out"},
           {"sample", SampleText(config)},
           {"generate", GenerateText(generate)},
           {"supply", supplied > 0 ? Number(supplied, "row") + " of tasks" : ""},
           {"admit", "each is built and run in a sandbox; torch says what it computes"},
           {"render", "rows about those that pass, into train and validation"},
           {"measure", MeasureText(measures)},
           {"mix", MixText(mix)},
           {"pack", "shards, " + formats + ", card, report, manifest"}}) {
    const bool mines = step.first == "walk" || step.first == "read" || step.first == "index" ||
                       step.first == "slice" || step.first == "sample";
    if (mines ? all == 0 : step.second.empty()) continue;
    preview.steps.push_back(std::move(step));
  }
  return preview;
}

std::string SftPreview::Text() const {
  std::string text = PrintableLine(output) + ": " + state + "\n\nsources\n";
  for (const Source& source : sources) {
    text += "  " + PrintableLine(source.name);
    if (source.commit.empty() && source.refusal.empty()) {
      text += ": would be fetched\n";
      continue;
    }
    if (!source.commit.empty()) text += " at " + source.commit.substr(0, 12);
    text += ": ";
    text += source.refusal.empty()
                ? Grouped(source.files) + " of " + Grouped(source.entries) + " entries to read\n"
                : "would be rejected: " + source.refusal + "\n";
  }
  text += "\nsteps\n";
  for (const auto& [name, what] : steps) {
    text += "  " + name +
            std::string(kStepWidth - std::min<std::size_t>(kStepWidth, name.size()), ' ') +
            PrintableLine(what) + "\n";
  }
  return text + "\nNothing was fetched or written.\n";
}

Json SftPreview::ToJson() const {
  Json::Array source_list, step_list;
  for (const Source& source : sources) {
    const bool fetched = !source.commit.empty() || !source.refusal.empty();
    Json item = Json::Object{{"url", source.name}, {"fetched", fetched}};
    if (fetched) {
      item["commit"] = source.commit;
      item["entries"] = source.entries;
      item["files"] = source.files;
      item["bytes"] = source.bytes;
      if (!source.refusal.empty()) item["refusal"] = source.refusal;
    }
    source_list.push_back(std::move(item));
  }
  for (const auto& [name, what] : steps) {
    step_list.push_back(Json::Object{{"step", name}, {"what", what}});
  }
  return Json::Object{{"output", output},
                      {"state", state},
                      {"sources", std::move(source_list)},
                      {"steps", std::move(step_list)}};
}

}  // namespace kernelmill
