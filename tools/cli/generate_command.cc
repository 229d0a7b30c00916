#include <cstdio>
#include <memory>

#include "generators/graphs/generated_task.h"
#include "manifests/commit_file.h"
#include "stages/capture/coverage.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/recipes/fingerprint_listing.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Options {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2, 3, 4};
  std::vector<std::string> targets;
  std::string output;
  std::string coverage, fingerprints;
  bool json = false;
  bool stratified = false;
};

// 1234567 → "1.2 M".
std::string Scaled(std::int64_t value) {
  constexpr std::string_view kUnits[] = {"", " k", " M", " G", " T"};
  double number = static_cast<double>(value);
  std::size_t unit = 0;
  for (; number >= 1000 && unit + 1 < std::size(kUnits); ++unit) number /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f" : "%.1f", number);
  return std::string(text).append(kUnits[unit]);
}

std::string Listing(TaskGenerator* tasks) {
  const GraphSampler& sampler = tasks->sampler();
  std::string text = "# " + tasks->Id() + ": level " + std::to_string(sampler.level()) + ",";
  for (const Node& node : sampler.large().nodes()) text.append(" ").append(node.op->name);
  text += "\n# " + Scaled(sampler.cost().flops) + "FLOP, " + Scaled(sampler.cost().bytes) + "B, " +
          (sampler.any_shape() ? "any shape" : "fixed shapes") + "\n";
  tasks->AppendSource(SourceSizes::kLarge, &text);
  return text + "\n";
}

Status RunCoverage(const Options& options) {
  KM_ASSIGN(const std::vector<ProblemCoverage> problems, CoverKernelBench(options.coverage));
  return options.json ? PrintJson(CoverageJson(problems)) : Print(CoverageText(problems));
}

Status RunFingerprints(const Options& options) {
  KM_ASSIGN(const FingerprintListing listing, ListFingerprints(options.fingerprints));
  Say(options.fingerprints + ": " + std::to_string(listing.graphs) + " of " +
      std::to_string(listing.problems) + " problems have a graph of known operators");
  return Print(listing.table);
}

Status RunGenerate(const Options& options) {
  if (!options.fingerprints.empty()) return RunFingerprints(options);
  if (!options.coverage.empty()) return RunCoverage(options);
  KM_RETURN_IF_ERROR(CheckLevels(options.levels).Within("--levels"));
  SamplerOptions sampler{
      .seed = options.seed, .levels = options.levels, .stratified = options.stratified};
  Result<CostTargets> targets = CostTargets::Read(options.targets);
  if (!targets.ok()) return targets.status().Within("--targets");
  sampler.targets = *targets;
  TaskGenerator tasks(std::move(sampler));
  std::string file;
  for (std::int64_t i = 0; i < options.count; ++i) {
    if (Interrupted()) return InterruptedStatus();
    if (!tasks.Next()) {
      return Status(ErrorCode::kUsage,
                    "no graph of these levels meets the targets after " + std::to_string(i) +
                        " tasks: widen --targets, or ask for fewer with --count");
    }
    if (!options.output.empty()) {
      file += tasks.ToJson().Dump() + "\n";
    } else if (options.json) {
      KM_RETURN_IF_ERROR(PrintJsonLine(tasks.ToJson()));
    } else {
      KM_RETURN_IF_ERROR(Print(Listing(&tasks)));
    }
  }
  if (options.output.empty()) return Status::Ok();
  KM_RETURN_IF_ERROR(MakeFolders(options.output));
  return ReplaceFile(options.output + "/tasks.jsonl", file);
}

}  // namespace

Command GenerateCommand() {
  return {
      .name = "generate",
      .group = CommandGroup::kBuild,
      .summary = "Draw tasks at random: PyTorch modules at sizes that keep a GPU busy",
      .description =
          "No two tasks of a run have the same operator graph. Equal seeds give equal "
          "tasks, and a larger count only adds tasks.",
      .examples = {{"generate --count 20 --levels 1,2 --json", "Print 20 tasks, one per line."},
                   {"generate --count 5 --targets flops=1e9:1e11",
                    "Draw tasks that cost between 1 and 100 GFLOP."},
                   {"generate --coverage KernelBench",
                    "Report how many problems of a checkout of KernelBench the operator table can "
                    "express."},
                   {"generate --fingerprints my_benchmark > mine.tsv",
                    "Write the table that keeps a benchmark of yours out of datasets."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kWhat[] = "Which tasks", kOther[] = "Instead of drawing tasks";
        const auto options = std::make_shared<Options>();
        app.add_option("--count", options->count, "Draw this many tasks")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1))
            ->group(kWhat);
        app.add_option("--seed", options->seed, "The seed of the random numbers")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kWhat);
        app.add_option("--levels", options->levels,
                       "1: one operator, 2: fused patterns, 3: blocks, 4: models; by default all "
                       "four, 1,2,3,4")
            ->type_name("LEVELS")
            ->delimiter(',')
            ->group(kWhat);
        app.add_option("--targets", options->targets,
                       "What a task may cost: flops=1e9:1e11,bytes=:1e9,intensity=10:")
            ->type_name("RANGES")
            ->delimiter(',')
            ->group(kWhat);
        app.add_flag("--stratify", options->stratified,
                     "At levels 1 and 2 take every operator in turn, not by how often it is used")
            ->group(kWhat);
        app.add_option("--coverage", options->coverage,
                       "Report how much of KernelBench, in this checkout of it, the operator table "
                       "can express")
            ->type_name(kFolder)
            ->group(kOther);
        app.add_option("--fingerprints", options->fingerprints,
                       "Print the table of a benchmark, for decontaminate.tables: of a .jsonl or "
                       ".parquet file, a folder of .py files, or a checkout of KernelBench")
            ->type_name(kFile)
            ->group(kOther);
        app.add_option("--output", options->output, "Write tasks.jsonl to this folder")
            ->type_name(kFolder)
            ->group(kOutputGroup);
        AddJsonOption(app, &options->json, "Print one JSON object per task and line");
        return [options] { return WithoutResuming(RunGenerate(*options)); };
      },
  };
}

}  // namespace kernelmill
