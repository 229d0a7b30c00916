#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "corpora/kernel_backend.h"
#include "corpora/tolerance.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/digest.h"
#include "manifests/printable.h"
#include "parsers/samples/message_code.h"
#include "stages/device/gpu_device.h"
#include "stages/device/measurement_run.h"
#include "stages/engine/progress.h"
#include "stages/task_files/reference_file.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/verify/judge/verdict_store.h"
#include "stages/verify/run/candidate_list.h"
#include "stages/verify/run/kernelbench_run.h"
#include "stages/verify/run/verify_run.h"
#include "stages/verify/run/verify_spec.h"
#include "stages/warm/warm_judge.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/run_arguments/executor_arguments.h"
#include "tools/cli/verdict_text.h"
#include "tools/cli/waiting.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string reference, candidate;
  std::string kernelbench, run;
  std::string tasks, candidates;
  std::string output;
  std::string backend{kCudaBackend.name};
  std::string target;
  std::string policy = "strict";
  std::string contract;
  std::string sanitize = "none";
  std::string device;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> warm_minutes;
  std::string stay_warm;
  std::int64_t limit = 0;
  std::int64_t own_size_seconds = 10;
  int level = 0;
  int jobs = 1;
  bool profile = false;
  bool only_device = false;
  bool compiled = false;
  bool eval_mode = false;
  bool no_cache = false;
  bool json = false;
  ExecutorArguments executor;
};

Result<JudgingChoice> ChoiceOf(const Arguments& arguments) {
  JudgingChoice choice;
  choice.policy = arguments.policy;
  KM_ASSIGN(choice.backend, KernelBackendNamed(arguments.backend));
  choice.target = arguments.target;
  const Result<const DeviceTarget*> target = choice.backend->TargetNamed(choice.target);
  if (!target.ok()) return target.status().Within("--target");
  if (arguments.seed) {
    choice.seed = *arguments.seed;
  } else {
    KM_ASSIGN(const VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
    KM_ASSIGN(choice.secret, store.Secret());
  }
  choice.training = !arguments.eval_mode;
  choice.own_size_cpu_ms = arguments.own_size_seconds * 1'000;
  KM_ASSIGN(choice.contract, TaskContract::Parse(arguments.contract));
  choice.memory = arguments.sanitize == "memory" || arguments.sanitize == "all";
  choice.races = arguments.sanitize == "race" || arguments.sanitize == "all";
  choice.count = arguments.profile;
  return choice;
}

// The device of --device; null without one. It is opened before anything is judged, so that a
// missing compiler is reported at once.
Result<std::unique_ptr<MeasuringDevice>> DeviceOf(const Arguments& arguments) {
  if (arguments.device.empty()) return std::unique_ptr<MeasuringDevice>();
  const Waiting waiting("verify: preparing the device");
  KM_ASSIGN(std::unique_ptr<MeasuringDevice> device,
            GpuDevice::Open({.device = arguments.device,
                             .folder = GpuDeviceOptions::DefaultFolder(),
                             .compiled = arguments.compiled}));
  return device;
}

// The tolerances of outputs in float32 and in half precision that answers are measured with.
Result<std::pair<double, double>> DeviceTolerances(const Arguments& arguments) {
  KM_ASSIGN(const VerifyPolicy* policy, FindVerifyPolicy(arguments.policy));
  if (policy->tolerance == ToleranceRule::kCloseTo1Percent) return std::pair(1e-2, 1e-2);
  return std::pair(ToleranceOf("float32"), ToleranceOf("float16"));
}

// Judges one answer, in this process or in the one that stays.
Result<Verdict> VerdictOn(const Arguments& arguments, const JudgingChoice& choice,
                          const std::string& reference, const std::optional<std::string>& code) {
  const Waiting waiting("verify: judging " + arguments.candidate);
  if (arguments.warm_minutes.value_or(0) > 0) {
    return JudgeWarm({.choice = choice,
                      .reference = reference,
                      .code = code,
                      .renew = arguments.no_cache,
                      .stay = std::chrono::minutes(*arguments.warm_minutes)});
  }
  return JudgePool(arguments.no_cache ? StoreUse::kRenew : StoreUse::kUse)
      .JudgeOrFail(choice, reference, code);
}

Status RunOne(const Arguments& arguments) {
  KM_ASSIGN(const std::string reference, ReadReference(arguments.reference));
  KM_ASSIGN(const std::string answer, ReadFile(arguments.candidate));
  const bool is_code = fs::path(arguments.candidate).extension() == ".py";
  const std::optional<std::string> code =
      is_code ? std::optional<std::string>(answer) : FindCandidateCode(answer);
  KM_ASSIGN(const std::unique_ptr<MeasuringDevice> device, DeviceOf(arguments));
  KM_ASSIGN(const JudgingChoice choice, ChoiceOf(arguments));
  KM_ASSIGN(const Verdict judged, VerdictOn(arguments, choice, reference, code));
  Json verdict = judged.ToJson();
  const std::string status = verdict.TextAt("status");
  std::optional<Measurement> measured;
  if (device != nullptr && judged.status == VerdictStatus::kCorrect) {
    KM_ASSIGN(const auto tolerances, DeviceTolerances(arguments));
    const Waiting measuring("verify: measuring " + arguments.candidate);
    KM_ASSIGN(measured, device->Measure({.reference = reference,
                                         .code = code.value_or(""),
                                         .backend = choice.backend,
                                         .training = choice.training,
                                         .seed = DigestOf(code.value_or("")).Prefix64(),
                                         .tolerance = tolerances.first,
                                         .half_tolerance = tolerances.second}));
  }
  if (arguments.json) {
    if (device != nullptr) verdict["measurement"] = measured ? measured->ToJson() : Json();
    KM_RETURN_IF_ERROR(PrintJson(verdict));
  } else {
    KM_RETURN_IF_ERROR(PrintPrepared(PaintedVerdict(verdict)));
    if (measured) KM_RETURN_IF_ERROR(PrintPrepared(Printable(MeasurementText(*measured))));
  }
  if (status == StatusName(VerdictStatus::kCorrect)) return Status::Ok();
  return Status(ErrorCode::kRefused, arguments.candidate + ": the verdict is " + status);
}

Status RunMany(const Arguments& arguments) {
  // Null: this process judges.
  KM_ASSIGN(const std::unique_ptr<StepExecutor> executor,
            arguments.executor.Make(arguments.jobs, {VerifySpec()}));
  const bool is_kernelbench = !arguments.kernelbench.empty();
  std::vector<VerifyItem> items;
  if (is_kernelbench) {
    KM_ASSIGN(items, ReadKernelBenchRun(arguments.kernelbench, arguments.run, arguments.level));
  } else {
    KM_ASSIGN(items, ReadCandidates(arguments.tasks, arguments.candidates));
  }
  if (arguments.limit > 0 && items.size() > static_cast<std::size_t>(arguments.limit)) {
    items.resize(static_cast<std::size_t>(arguments.limit));
  }
  const std::string folder = !arguments.output.empty() ? arguments.output : arguments.run;
  if (fs::exists(fs::path(folder) / kManifestName)) {
    return Status(ErrorCode::kUsage,
                  folder + " is a dataset, which must not be changed; name another --output");
  }
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_ASSIGN(const std::unique_ptr<MeasuringDevice> device, DeviceOf(arguments));
  std::vector<VerdictLine> lines;
  KM_ASSIGN(const JudgingChoice judging, ChoiceOf(arguments));
  VerifySummary summary;
  if (!arguments.only_device) {
    KM_ASSIGN(summary, VerifyCandidates(items,
                                        {.output = folder,
                                         .judging = judging,
                                         .list = arguments.candidates,
                                         .jobs = arguments.jobs,
                                         .executor = executor.get(),
                                         .fresh = arguments.no_cache},
                                        &lines));
  }
  if (is_kernelbench && !arguments.only_device) {
    KM_RETURN_IF_ERROR(
        ReplaceFile(folder + "/eval_results.json", EvalResults(lines, arguments.policy)));
  }
  std::optional<MeasurementSummary> measured;
  if (device != nullptr) {
    KM_ASSIGN(const auto tolerances, DeviceTolerances(arguments));
    KM_ASSIGN(measured, MeasureCorrect(items, *device,
                                       {.folder = folder,
                                        .jobs = arguments.jobs,
                                        .training = judging.training,
                                        .tolerance = tolerances.first,
                                        .half_tolerance = tolerances.second,
                                        .compiled = arguments.compiled,
                                        .fresh = arguments.no_cache}));
  }
  Say(folder + ": verdicts.jsonl" + (is_kernelbench ? ", eval_results.json" : "") +
      (measured ? ", measurements.jsonl" : ""));
  if (arguments.json) {
    Json json = summary.ToJson();
    if (measured) json["device"] = measured->ToJson();
    KM_RETURN_IF_ERROR(PrintJson(json));
  } else {
    KM_RETURN_IF_ERROR(
        Print((arguments.only_device ? "" : summary.Text()) + (measured ? measured->Text() : "")));
  }
  const auto infra = summary.counts.find(std::string(StatusName(VerdictStatus::kInfra)));
  if (infra != summary.counts.end()) {
    return Status(
        ErrorCode::kWorker,
        std::to_string(infra->second) +
            " answers have no verdict, because their processes were ended from outside or "
            "this machine ran short (\"infra\" in verdicts.jsonl says more); the same "
            "command judges them again");
  }
  if (summary.rejected == 0) return Status::Ok();
  const auto first = std::find_if(items.begin(), items.end(),
                                  [](const VerifyItem& item) { return !item.problem.empty(); });
  return Status(ErrorCode::kRefused, std::to_string(summary.rejected) +
                                         " lines have no verdict, the first of them " +
                                         first->problem);
}

Status RunVerify(const Arguments& arguments) {
  if (!arguments.stay_warm.empty()) return StayWarm(arguments.stay_warm);
  const bool none_given = arguments.reference.empty() && arguments.candidate.empty() &&
                          arguments.kernelbench.empty() && arguments.run.empty() &&
                          arguments.tasks.empty() && arguments.candidates.empty();
  if (none_given && arguments.warm_minutes == 0) {
    KM_ASSIGN(const std::size_t ended, EndWarmJudges());
    return Print("ended: " + std::to_string(ended) + " judges that stayed\n");
  }
  const bool one = !arguments.reference.empty() && !arguments.candidate.empty();
  const bool is_kernelbench = !arguments.kernelbench.empty() && !arguments.run.empty();
  const bool listed = !arguments.tasks.empty() && !arguments.candidates.empty();
  if (one + is_kernelbench + listed != 1) {
    return Status(ErrorCode::kUsage,
                  "give --reference and --candidate, or --kernelbench and --run, or --tasks and "
                  "--candidates");
  }
  std::size_t given = 0;
  for (const std::string* option :
       {&arguments.reference, &arguments.candidate, &arguments.kernelbench, &arguments.run,
        &arguments.tasks, &arguments.candidates}) {
    given += option->empty() ? 0 : 1;
  }
  if (given != 2) {
    return Status(ErrorCode::kUsage,
                  "--reference, --kernelbench and --tasks exclude each other: give one pair");
  }
  if (arguments.device.empty() && arguments.compiled) {
    return Status(ErrorCode::kUsage, "--compiled needs --device");
  }
  if (!arguments.device.empty() && arguments.device != arguments.backend && one) {
    return Status(ErrorCode::kUsage, "--device cuda measures answers for CUDA alone");
  }
  if (arguments.only_device && (arguments.limit > 0 || arguments.level > 0)) {
    return Status(ErrorCode::kUsage,
                  "--only-device measures all answers: leave --limit and --level out");
  }
  if (arguments.only_device && (one || arguments.device.empty())) {
    return Status(ErrorCode::kUsage, "--only-device is for many answers, with --device");
  }
  if (arguments.executor.IsGiven() && (one || arguments.only_device)) {
    return Status(ErrorCode::kUsage,
                  "--executor, --ranks and --sbatch are for judging many answers");
  }
  if (!one && arguments.warm_minutes) {
    return Status(ErrorCode::kUsage,
                  "--warm is for one answer: many share the judge's processes anyway");
  }
  if (!arguments.executor.queue.empty() &&
      (one || arguments.only_device || arguments.executor.IsGiven() || arguments.no_cache)) {
    return Status(ErrorCode::kUsage,
                  "--queue is for judging many answers, and has its verdicts from the store: leave "
                  "--executor, --ranks, --sbatch, --only-device and --no-cache out");
  }
  if (one && (!arguments.output.empty() || arguments.limit > 0 || arguments.level > 0)) {
    return Status(ErrorCode::kUsage, "--output, --limit and --level are for many answers");
  }
  if (listed && arguments.output.empty()) {
    return Status(ErrorCode::kUsage, "--candidates needs --output, a folder for the verdicts");
  }
  if (arguments.warm_minutes == 0) KM_RETURN_IF_ERROR(EndWarmJudges().status());
  return one ? RunOne(arguments) : RunMany(arguments);
}

}  // namespace

Command VerifyCommand() {
  return {
      .name = "verify",
      .group = CommandGroup::kAnswers,
      .summary = "Judge native answers to PyTorch tasks, CUDA or MUSA, without a GPU",
      .description =
          "The kernels of an answer are compiled for the processor and run in a sandbox that has "
          "never seen the reference. Give one pair: --reference and --candidate for one answer, "
          "--kernelbench and --run for a run of KernelBench, or --tasks and --candidates for "
          "answers to the tasks of a dataset.\n\n"
          "For one answer the exit code is 0 when it is correct and 1 when it is not. For many it "
          "is 0 when every one of them has a verdict. Malformed lines of a list are listed in "
          "verdicts.jsonl with their text and the problem; the others are judged. After an "
          "interruption, the same command continues.",
      .examples =
          {{"verify --reference ref.py --candidate answer.py", "Judge one CUDA answer."},
           {"verify --reference ref.py --candidate answer.md --backend musa --json",
            "Judge the code in a model's message as MUSA, and print JSON."},
           {"verify --reference ref.py --candidate answer.py --sanitize all --profile",
            "Check every access too, and count memory requests and bank conflicts."},
           {"verify --reference ref.py --candidate answer.py --contract any_shape,any_layout",
            "Also require it to be right at other sizes and in other memory layouts."},
           {"verify --reference ref.py --candidate answer.py --warm 10",
            "Judge many answers one after the other: all but the first take a part of the time."},
           {"verify --kernelbench KernelBench --run KernelBench/runs/mine --policy kernelbench",
            "Judge a run of KernelBench under its own protocol."},
           {"verify --tasks out/corpus --candidates answers.jsonl --output out/verdicts",
            "Judge answers to the tasks of a dataset."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kOne[] = "One answer", kBench[] = "A run of KernelBench",
                       kList[] = "Answers to a dataset's tasks", kHowToJudge[] = "How to judge";
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("--reference", arguments->reference,
                       "The task: Python with Model, get_inputs() and get_init_inputs()")
            ->type_name(kFile)
            ->group(kOne);
        app.add_option("--candidate", arguments->candidate,
                       "The answer: Python with ModelNew, or a message with such a code block")
            ->type_name(kFile)
            ->group(kOne);
        app.add_option("--kernelbench", arguments->kernelbench, "A checkout of KernelBench")
            ->type_name(kFolder)
            ->group(kBench);
        app.add_option("--run", arguments->run, "The folder of one of its runs")
            ->type_name(kFolder)
            ->group(kBench);
        app.add_option("--level", arguments->level, "Judge only this level of the run")
            ->type_name(kNumber)
            ->check(WholeNumber(1, 4))
            ->group(kBench);
        app.add_option("--tasks", arguments->tasks, "A dataset with tasks")
            ->type_name(kFolder)
            ->group(kList);
        app.add_option("--candidates", arguments->candidates,
                       "Answers, one JSON object per line: \"task\", \"code\" or \"message\", and "
                       "optionally \"id\", \"backend\" and others; or the output of a batch by "
                       "OpenAI, vLLM or SGLang")
            ->type_name(kFile)
            ->group(kList);
        std::string policies;
        std::vector<std::string> policy_names;
        for (const VerifyPolicy& policy : AllVerifyPolicies()) {
          policies += (policies.empty() ? "" : "; ") + std::string(policy.name) + ": " +
                      std::string(policy.explanation);
          policy_names.emplace_back(policy.name);
        }
        app.add_option("--policy", arguments->policy, policies)
            ->capture_default_str()
            ->check(OneOf(policy_names))
            ->group(kHowToJudge);
        app.add_option(
               "--contract", arguments->contract,
               "What an answer has to handle beside the task's own inputs: any_shape, "
               "any_layout, any_values (NaN, infinities and other rare values), module_buffers "
               "(running statistics and others that forward() changes), or several with commas. "
               "Tasks of a dataset may ask for more")
            ->type_name("WORDS")
            ->check([](const std::string& words) {
              const Result<TaskContract> contract = TaskContract::Parse(words);
              return contract.ok() ? std::string() : contract.status().message();
            })
            ->group(kHowToJudge);
        app.add_option("--sanitize", arguments->sanitize,
                       "Run an answer once more with every access of its kernels checked, for "
                       "bounds (memory), for data races (race), or for both (all)")
            ->capture_default_str()
            ->check(OneOf({"none", "memory", "race", "all"}))
            ->group(kHowToJudge);
        app.add_flag("--profile", arguments->profile,
                     "Run a correct answer once more and count the memory requests, sectors, bank "
                     "conflicts and atomics of its launches")
            ->group(kHowToJudge);
        app.add_option("--backend", arguments->backend,
                       "The language of candidates that do not name one")
            ->capture_default_str()
            ->check(OneOf(KernelBackendNames()))
            ->group(kHowToJudge);
        app.add_option(
               "--target", arguments->target,
               "The architecture that verdicts on that backend hold for: sm_80 for CUDA; "
               "mp_31 (the default), mp_22 or mp_21 for MUSA, where the last two have warps "
               "of 128 threads")
            ->type_name("NAME")
            ->group(kHowToJudge);
        app.add_option(
               "--device", arguments->device,
               "Also run every correct answer on this machine's GPU (cuda), compare it with "
               "PyTorch there, and time both; it needs nvcc and a torch with CUDA")
            ->check(OneOf({std::string(kCudaBackend.name)}))
            ->group(kHowToJudge);
        app.add_flag(
               "--compiled", arguments->compiled,
               "With --device, time the reference under torch.compile too, once a task, which "
               "takes half a minute each")
            ->group(kHowToJudge);
        app.add_flag(
               "--only-device", arguments->only_device,
               "Judge nothing: measure the correct answers of the verdicts.jsonl that is there, "
               "for a machine with a GPU after others have judged")
            ->group(kHowToJudge);
        app.add_option("--own-size-cpu", arguments->own_size_seconds,
                       "Seconds of processor time that forward() may take at the sizes of a task "
                       "that is judged at smaller ones; 0: it does not run whole there")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kHowToJudge);
        app.add_option("--seed", arguments->seed,
                       "Draw the inputs and the order of threads from this seed, for debugging; by "
                       "default they follow from a secret in .cache/verdicts")
            ->type_name(kNumber)
            ->check(WholeNumber(0))
            ->group(kHowToJudge);
        app.add_flag("--eval-mode", arguments->eval_mode,
                     "Switch both models to eval(); KernelBench leaves them in training mode")
            ->group(kHowToJudge);
        app.add_flag("--no-cache", arguments->no_cache,
                     "Judge again what was judged before; .cache/verdicts keeps every verdict")
            ->group(kHowToRun);
        app.add_option("--warm", arguments->warm_minutes,
                       "Judge one answer by processes that then stay for this many minutes, with "
                       "1.5 GB, and judge the next ones in a part of the time; `kernelmill status` "
                       "shows them, and 0 ends them")
            ->type_name("MINUTES")
            ->check(WholeNumber(0, 1'440))
            ->group(kHowToRun);
        app.add_option("--stay-warm", arguments->stay_warm)->group("");  // How --warm starts them.
        app.add_option("--limit", arguments->limit, "Judge at most this many answers")
            ->type_name(kNumber)
            ->check(WholeNumber(1))
            ->group(kHowToRun);
        arguments->executor.AddTo(app);
        arguments->executor.AddQueueTo(app);
        AddJobsOption(app, &arguments->jobs,
                      "Judge this many answers at once, each with 1.5 GB (default: 1)");
        app.add_option("--output", arguments->output,
                       "Write verdicts.jsonl to this folder; by default to the folder of the run")
            ->type_name(kFolder)
            ->group(kOutputGroup);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunVerify(*arguments); };
      },
  };
}

}  // namespace kernelmill
