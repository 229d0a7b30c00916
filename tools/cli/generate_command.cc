#include <cstdio>

#include "generators/graphs/generated_task.h"
#include "manifests/commit_file.h"
#include "stages/capture/coverage.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/recipes/fingerprint_listing.h"
#include "tools/cli/command.h"

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
  const GraphSampler& graph = tasks->graph();
  std::string text = "# " + tasks->Id() + ": level " + std::to_string(graph.level()) + ",";
  for (const Node& node : graph.large().nodes()) text.append(" ").append(node.op->name);
  text += "\n# " + Scaled(graph.cost().flops) + "FLOP, " + Scaled(graph.cost().bytes) + "B, " +
          (graph.any_shape() ? "any shape" : "fixed shapes") + "\n";
  tasks->AppendSource(SourceSizes::kLarge, &text);
  return text + "\n";
}

Status RunCoverage(const Options& options) {
  KM_ASSIGN(const std::vector<ProblemCoverage> problems, CoverKernelBench(options.coverage));
  return Print(options.json ? CoverageJson(problems).Pretty() : CoverageText(problems));
}

Status RunFingerprints(const Options& options) {
  KM_ASSIGN(const FingerprintListing listing, ListFingerprints(options.fingerprints));
  Say(options.fingerprints + ": " + std::to_string(listing.written) + " of " +
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
    const std::string text =
        options.json || !options.output.empty() ? tasks.ToJson().Dump() + "\n" : Listing(&tasks);
    if (options.output.empty()) {
      KM_RETURN_IF_ERROR(Print(text));
    } else {
      file += text;
    }
  }
  if (options.output.empty()) return Status::Ok();
  KM_RETURN_IF_ERROR(MakeFolders(options.output));
  return ReplaceFile(options.output + "/tasks.jsonl", file);
}

}  // namespace

void AddGenerateCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "generate", "Make tasks: PyTorch modules drawn at random, at sizes worth a kernel");
  auto options = std::make_shared<Options>();
  command->add_option("--count", options->count, "How many")->check(kPositive);
  command->add_option("--seed", options->seed, "Equal seeds give equal tasks")
      ->check(kNonNegative);
  command
      ->add_option("--levels", options->levels,
                   "1 one operator, 2 fused patterns, 3 blocks, 4 models: 1,2 (default: all)")
      ->delimiter(',');
  command
      ->add_option("--targets", options->targets,
                   "What tasks may cost: flops=1e9:1e11,bytes=:1e9,intensity=10:")
      ->delimiter(',');
  command->add_flag("--stratify", options->stratified,
                    "At levels 1 and 2 every operator in turn, not by how often people use it");
  command->add_option("--output", options->output, "Write tasks.jsonl to this folder");
  command->add_option("--coverage", options->coverage,
                      "Make nothing: say how much of KernelBench, in this checkout, the table of "
                      "operators can express");
  command->add_option(
      "--fingerprints", options->fingerprints,
      "Make nothing: print the table of a benchmark, whose problems are to stay out "
      "of datasets (decontaminate.tables): a .jsonl or .parquet file, a folder of "
      ".py files, or a checkout of KernelBench");
  command->add_flag("--json", options->json, "One task a line");
  command->callback([=] { *action = [=] { return WithoutResuming(RunGenerate(*options)); }; });
}

}  // namespace kernelmill
