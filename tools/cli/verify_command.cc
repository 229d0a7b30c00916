#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "corpora/kernel_backend.h"
#include "generators/feedback/verdict_feedback.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/printable.h"
#include "stages/engine/progress.h"
#include "stages/task_files/reference_file.h"
#include "parsers/samples/message_code.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/verify/judge/verdict_store.h"
#include "stages/verify/run/candidate_list.h"
#include "stages/verify/run/kernelbench_run.h"
#include "stages/verify/run/verify_run.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/terminal.h"
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
  std::optional<std::uint64_t> seed;
  std::int64_t limit = 0;
  std::int64_t own_size_seconds = 10;
  int level = 0;
  int jobs = 1;
  bool profile = false;
  bool eval_mode = false;
  bool no_cache = false;
  bool json = false;
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

const Json::Array& ListAt(const Json& json, std::string_view key) {
  static const Json::Array kNone;
  const Json* value = json.Find(key);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

// VerdictCounts::ToJson() in one line.
std::string CountsText(const Json& counts) {
  const auto number = [&](std::string_view key) { return std::to_string(counts.IntegerAt(key)); };
  std::string text =
      "    " + number("blocks") + " blocks, " + number("threads") + " threads; global loads " +
      number("global_load_requests") + " in " + number("global_load_sectors") +
      " sectors, stores " + number("global_store_requests") + " in " +
      number("global_store_sectors") + ", atomics " + number("global_atomics") + "; shared loads " +
      number("shared_load_requests") + ", stores " + number("shared_store_requests") +
      ", bank conflicts " + number("bank_conflicts") + ", atomics " + number("shared_atomics");
  const Json* const lanes = counts.Find("lanes_of_request");
  if (lanes != nullptr && lanes->is_double()) {
    char rounded[32];
    std::snprintf(rounded, sizeof rounded, "; %.1f lanes a request", lanes->as_double());
    text += rounded;
  }
  return text + "\n";
}

// A grade of VerdictGenerality in words.
std::string GradeText(const Json& verdict, std::string_view part) {
  const std::string grade = verdict.Find("generality")->TextAt(part);
  if (grade == GradeName(Grade::kAll)) return "right";
  if (grade == GradeName(Grade::kNotTried)) return "not tried";
  return grade;
}

// Formats a verdict (Verdict::ToJson()) for users.
std::string TextOf(const Json& verdict) {
  const std::string status = verdict.TextAt("status"), reason = verdict.TextAt("reason");
  const std::string detail = verdict.TextAt("detail"), feedback = verdict.TextAt("feedback");
  std::string text = status;
  for (const VerdictReason& known : AllVerdictReasons()) {
    if (StatusName(known.status) == status && known.name == reason) {
      text += " (" + reason + ": " + std::string(known.explanation) + ")";
    }
  }
  text += "\n  gate " + verdict.TextAt("gate") + ", policy " + verdict.TextAt("policy") + ", " +
          verdict.TextAt("backend") + " for " + verdict.TextAt("target") + " on the CPU executor";
  text += "\n  contract " + verdict.TextAt("contract") +
          "; other sizes: " + GradeText(verdict, "sizes") +
          "; other layouts: " + GradeText(verdict, "layouts") +
          "; rare values: " + GradeText(verdict, "values") +
          "; module's buffers: " + GradeText(verdict, "buffers");
  const Json::Array& trials = ListAt(verdict, "trials");
  const Result<VerdictFullSize> full_size = VerdictFullSize::FromJson(*verdict.Find("full_size"));
  if (full_size.ok() && full_size->state != "same" && !trials.empty()) {
    text += "\n  at smaller sizes than the task's own:";
    for (const Json& size : ListAt(verdict, "sizes")) {
      for (const Json& name : ListAt(size, "names")) {
        text += " " + name.as_string() + "=" + std::to_string(size.IntegerAt("value"));
      }
    }
  }
  text += "\n";
  if (full_size.ok() && status == StatusName(VerdictStatus::kCorrect)) {
    const std::string sizes = FullSizeText(*full_size);
    if (!sizes.empty()) text += "  " + sizes + "\n";
  }
  for (const Json& launch : ListAt(verdict, "launches")) {
    const std::int64_t count = launch.IntegerAt("count");
    text += "  launched " + launch.TextAt("kernel") +
            (count > 1 ? ", " + std::to_string(count) + " times" : "") + "\n";
    const Json* const counts = launch.Find("counts");
    if (counts != nullptr && counts->is_object()) text += CountsText(*counts);
  }
  std::int64_t passed = 0;
  for (const Json& trial : trials) passed += *trial.Find("passed") == Json(true) ? 1 : 0;
  if (!trials.empty()) {
    text +=
        "  passed " + std::to_string(passed) + " of " + std::to_string(trials.size()) + " trials\n";
  }
  // Verdicts that say nothing about the candidate have no feedback.
  if (feedback.empty() && !detail.empty()) text += detail + "\n";
  if (status != StatusName(VerdictStatus::kCorrect) && !feedback.empty()) text += "\n" + feedback;
  return text;
}

// The same, made printable, with the status in colour if standard output has colours.
std::string Painted(const Json& verdict) {
  const std::string text = Printable(TextOf(verdict)), status = verdict.TextAt("status");
  const bool correct = status == StatusName(VerdictStatus::kCorrect);
  return Terminal::Of(STDOUT_FILENO).Painted(correct ? Ink::kGood : Ink::kBad, status) +
         text.substr(status.size());
}

Status RunOne(const Arguments& arguments) {
  KM_ASSIGN(const std::string reference, ReadReference(arguments.reference));
  KM_ASSIGN(const std::string answer, ReadFile(arguments.candidate));
  const bool is_code = fs::path(arguments.candidate).extension() == ".py";
  const std::optional<std::string> code =
      is_code ? std::optional<std::string>(answer) : FindCandidateCode(answer);
  JudgePool judges(arguments.no_cache ? StoreUse::kRenew : StoreUse::kUse);
  KM_ASSIGN(const JudgingChoice choice, ChoiceOf(arguments));
  std::optional<Waiting> waiting(std::in_place, "verify: judging " + arguments.candidate);
  KM_ASSIGN(const Verdict judged, judges.JudgeOrFail(choice, reference, code));
  waiting.reset();
  const Json verdict = judged.ToJson();
  const std::string status = verdict.TextAt("status");
  KM_RETURN_IF_ERROR(arguments.json ? PrintJson(verdict) : PrintPrepared(Painted(verdict)));
  if (status == StatusName(VerdictStatus::kCorrect)) return Status::Ok();
  return Status(ErrorCode::kRefused, arguments.candidate + ": the verdict is " + status);
}

Status RunMany(const Arguments& arguments) {
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
  std::vector<VerdictLine> lines;
  KM_ASSIGN(const JudgingChoice judging, ChoiceOf(arguments));
  KM_ASSIGN(const VerifySummary summary,
            VerifyCandidates(items,
                             {.output = folder,
                              .judging = judging,
                              .list = arguments.candidates,
                              .jobs = arguments.jobs,
                              .fresh = arguments.no_cache},
                             &lines));
  if (is_kernelbench) {
    KM_RETURN_IF_ERROR(
        ReplaceFile(folder + "/eval_results.json", EvalResults(lines, arguments.policy)));
  }
  Say(folder + ": verdicts.jsonl" + (is_kernelbench ? ", eval_results.json" : ""));
  KM_RETURN_IF_ERROR(arguments.json ? PrintJson(summary.ToJson()) : Print(summary.Text()));
  const auto infra = summary.counts.find(std::string(StatusName(VerdictStatus::kInfra)));
  if (infra != summary.counts.end()) {
    return Status(ErrorCode::kWorker,
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
  if (one && (!arguments.output.empty() || arguments.limit > 0 || arguments.level > 0)) {
    return Status(ErrorCode::kUsage, "--output, --limit and --level are for many answers");
  }
  if (listed && arguments.output.empty()) {
    return Status(ErrorCode::kUsage, "--candidates needs --output, a folder for the verdicts");
  }
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
        app.add_option("--limit", arguments->limit, "Judge at most this many answers")
            ->type_name(kNumber)
            ->check(WholeNumber(1))
            ->group(kHowToRun);
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
