#include <filesystem>
#include <memory>

#include "corpora/kernel_backend.h"
#include "generators/wording/number_format.h"
#include "manifests/commit_file.h"
#include "manifests/printable.h"
#include "stages/audit/audit.h"
#include "stages/engine/progress.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/configuration.h"
#include "tools/cli/demo/demo_example.h"
#include "tools/cli/demo/demo_samples.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

constexpr int kMostModules = 40;
constexpr int kMostAnswered = 3;
// With these settings the generated task is a linear layer and a softmax.
constexpr char kGeneratedSeed[] = "generate.seed=38", kGeneratedLevel[] = "generate.levels=[2]";

struct Arguments {
  std::string configuration;
  std::string output = "out/demo";
  int jobs = 0;
  int limit = kMostModules;
};

// An answer in tools/demo/verify, with the verdict that it demonstrates.
struct Shown {
  const char* file;
  const KernelBackend* backend;
  VerdictStatus expected;
  const char* title;
};
constexpr Shown kShown[] = {
    {"cuda.py", &kCudaBackend, VerdictStatus::kCorrect, "a CUDA answer"},
    {"musa.py", &kMusaBackend, VerdictStatus::kCorrect, "the same for MUSA"},
    {"cheat.py", &kCudaBackend, VerdictStatus::kIllegal, "torch computes behind a kernel"},
    {"race.py", &kCudaBackend, VerdictStatus::kRace, "a barrier is missing"},
};

// "correct, 14 of 14 trials, no access out of bounds and no race" or the finding with its line.
std::string Summary(const Verdict& verdict) {
  if (verdict.status == VerdictStatus::kCorrect) {
    return "correct: " + std::to_string(verdict.trials.size()) +
           " trials, no access out of bounds, no race";
  }
  std::string text(StatusName(verdict.status));
  if (verdict.findings.empty()) return text + ": " + verdict.detail;
  const VerdictFinding& finding = verdict.findings.front();
  return text + ": " + finding.file + ":" + std::to_string(finding.line) + ": " + finding.detail;
}

// Judges four answers to one task, to show that kernels run here without a GPU.
Status ShowVerdicts() {
  const std::filesystem::path folder = CheckoutRoot() / "tools" / "demo" / "verify";
  KM_ASSIGN(const std::string task, ReadFile(folder / "task.py"));
  Say("verify: four answers to tools/demo/verify/task.py, run on this processor");
  std::string table = "\nAnswers to tools/demo/verify/task.py, judged without a GPU:\n";
  JudgePool judges;
  for (const KernelBackend* backend : KernelBackends()) {
    JudgingChoice choice;
    choice.backend = backend;
    choice.contract = kAnyShapeAndLayout;
    choice.memory = choice.races = true;
    for (const Shown& shown : kShown) {
      if (shown.backend != backend) continue;
      KM_ASSIGN(const std::string code, ReadFile(folder / shown.file));
      KM_ASSIGN(const Verdict verdict, judges.JudgeOrFail(choice, task, code));
      if (verdict.status != shown.expected) {
        return Status(ErrorCode::kInternal, (folder / shown.file).string() + ": the verdict is " +
                                                verdict.ToJson().Dump() + ", please report it");
      }
      table += "  " + std::string(shown.file) + ", " + shown.title + "\n      " + Summary(verdict) +
               "\n";
    }
  }
  return Print(table);
}

// A folder beside the dataset: "out/demo" → "out/demo.rft".
std::string Beside(std::string output, const char* suffix) {
  while (output.ends_with('/')) output.pop_back();
  return output + suffix;
}

// Makes samples of the answers in the dataset, and selects rows from them as `rft` does.
Status ShowSelection(const Arguments& arguments, const BuildOptions& options) {
  KM_ASSIGN(const DemoSamples samples, DemoSamplesOf(arguments.output));
  const std::filesystem::path dataset(Beside(arguments.output, ""));
  const std::string folder = Beside(arguments.output, ".samples");
  const std::string configuration = folder + "/rft.yaml";
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_RETURN_IF_ERROR(ReplaceFile(folder + "/samples.jsonl", samples.text));
  KM_RETURN_IF_ERROR(ReplaceFile(
      configuration,
      "seed: 7\ntasks:\n  - dataset: " + Json("../" + dataset.filename().string()).Dump() +
          "\nsamples:\n  - file: samples.jsonl\n"));
  const std::string counted = Counted(samples.right + samples.copies + samples.wrong, "sample");
  Say("rft: " + counted + " of the CUDA answers in " + arguments.output + "; they were made by " +
      kDemoMaker);
  KM_ASSIGN(const Config config, Config::Load(RftKeys(), configuration, {}));
  BuildOptions selected = options;
  selected.output = Beside(arguments.output, ".rft");
  KM_ASSIGN(const BuiltDataset built, BuildRftDataset(config, selected));
  return Print("\nFrom samples to rows: " + counted + " in " + folder + "/samples.jsonl, made by " +
               kDemoMaker + ", stand for what a model would write:\n  " +
               Counted(samples.right, "right answer") + ", " + Grouped(samples.copies) +
               " of them once more with another comment, " + Counted(samples.wrong, "answer") +
               " with a bug\n`rft` judges each, keeps right ones "
               "of different structure, and makes repairs of wrong ones:\n" +
               built.summary.Text());
}

Status RunDemo(const Arguments& arguments) {
  Say("The demo mines real Python packages, runs what it finds in a sandbox, and writes a dataset "
      "that an audit can prove; then it judges native answers without a GPU, and selects rows from "
      "samples.");
  Say("To stay short it takes a seeded sample of at most " + std::to_string(arguments.limit) +
      " modules; `sft` takes all of them.");
  KM_ASSIGN(
      const Config config,
      Config::Load(SftKeys(), arguments.configuration,
                   {"limit=" + std::to_string(arguments.limit),
                    "answer.limit=" + std::to_string(kMostAnswered), "answer.variants=2",
                    "answer.profile=false", "generate.count=1", kGeneratedSeed, kGeneratedLevel}));
  BuildOptions options;
  options.output = arguments.output;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  options.jobs = arguments.jobs;
  KM_ASSIGN(const BuiltDataset built, BuildSftDataset(config, options));

  Say("audit: reading every byte back");
  KM_ASSIGN(const AuditReport report,
            Audit(arguments.output, {.root = built.manifest.ManifestDigest()}));
  if (report.result != AuditResult::kAuthentic) {
    return Status(ErrorCode::kCorrupt, arguments.output + ": the audit found " +
                                           std::to_string(report.findings.size()) + " faults");
  }
  Say("audit: authentic; " + std::to_string(report.files) + " files, " +
      std::to_string(report.records) + " records");
  KM_RETURN_IF_ERROR(ShowVerdicts());
  KM_ASSIGN(const std::string example, ExampleText(arguments.output));
  if (!example.empty()) {
    KM_RETURN_IF_ERROR(Print("\nA generated task on its way through the dataset:\n" + example));
  }
  KM_RETURN_IF_ERROR(Print("\n" + built.summary.Text()));
  KM_RETURN_IF_ERROR(ShowSelection(arguments, options));
  return Print("\nMore to try:\n  xdg-open " + ForShell(arguments.output) +
               "/report.html      # a browser, from anywhere\n"
               "  ./kernelmill sft " +
               ForShell(arguments.configuration) +
               "      # everything, not a sample\n"
               "  ./kernelmill inspect " +
               ForShell(Beside(arguments.output, ".rft")) +
               "  # the rows made from samples\n"
               "  ./kernelmill verify --reference tools/demo/verify/task.py --candidate "
               "tools/demo/verify/race.py --sanitize all\n"
               "  ./kernelmill config               # what can be set\n");
}

}  // namespace

Command DemoCommand() {
  return {
      .name = "demo",
      .group = CommandGroup::kBuild,
      .summary = "Build a small dataset from real packages, and audit it",
      .description =
          "It mines six packages of PyPI, draws one task, answers a few tasks in CUDA and MUSA, "
          "and builds and audits a dataset. Then it judges four answers without a GPU, makes "
          "samples of the dataset's answers, right and wrong, and selects rows from them as `rft` "
          "does. Start it with the script ./kernelmill of a checkout, which fetches the packages.",
      .examples = {{"demo", "Build out/demo and out/demo.rft."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("--config", arguments->configuration,
                       "The configuration to run; ./kernelmill demo writes one")
            ->type_name(kFile)
            ->required()
            ->group(kHowToRun);
        app.add_option(
               "--output", arguments->output,
               "Write the dataset to this folder, and beside it FOLDER.samples and FOLDER.rft")
            ->type_name(kFolder)
            ->capture_default_str()
            ->group(kOutputGroup);
        AddJobsOption(app, &arguments->jobs);
        app.add_option("--limit", arguments->limit, "Take at most this many mined modules")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, kMostModules))
            ->group(kHowToRun);
        return [arguments] { return RunDemo(*arguments); };
      },
  };
}

}  // namespace kernelmill
