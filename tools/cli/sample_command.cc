#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "corpora/endpoint/chat_url.h"
#include "generators/wording/number_format.h"
#include "manifests/dataset_manifest.h"
#include "stages/ask/ask_run.h"
#include "stages/engine/progress.h"
#include "stages/pack/trainers/sampling_request.h"
#include "stages/recipes/asked_tasks.h"
#include "stages/recipes/rft_pipeline.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

// The folder in which the tasks of a configuration run has the name of the output and this.
constexpr std::string_view kTasksSuffix = ".tasks";
constexpr char kEndpoint[] = "The endpoint", kAsked[] = "What is asked";

struct Arguments {
  std::string prompts;
  std::string endpoint;
  std::string variable = ApiKey::kVariable;
  std::int64_t silence = 600;
  AskChanges changes;
  std::vector<std::string> backends = {std::string(kCudaBackend.name)};
  std::int64_t limit = 0;
  int jobs = 0;
  AskOptions ask;
  double first_wait = 1;
  std::optional<double> prompt_price, answer_price;  // Of a million tokens.
  GivenOptions given;
  bool quiet = false;
  bool json = false;
};

bool IsConfiguration(const std::string& prompts) {
  return prompts.ends_with(".yaml") || prompts.ends_with(".yml");
}

bool IsDataset(const std::string& prompts) {
  return std::filesystem::exists(std::filesystem::path(prompts) / kManifestName);
}

// The questions about the tasks of a dataset or a configuration, as `export --format prompts`
// writes them.
Status AddQuestions(const Arguments& arguments, PromptList* prompts) {
  if (arguments.changes.model.empty()) {
    return Status(ErrorCode::kUsage, "asking about tasks needs --model");
  }
  QuestionOptions questions;
  questions.backends.clear();
  for (const std::string& name : arguments.backends) {
    KM_ASSIGN(const KernelBackend* const backend, KernelBackendNamed(name));
    questions.backends.push_back(backend);
  }
  std::int64_t number = 0;
  const auto add = [&](const TaskQuestion& question) -> Status {
    const std::string place = arguments.prompts + ", question " + std::to_string(++number);
    for (Json::Object& line : RequestsOf(question, {.model = arguments.changes.model})) {
      KM_RETURN_IF_ERROR(prompts->Add(std::move(line), place));
    }
    return Status::Ok();
  };
  if (IsConfiguration(arguments.prompts)) {
    KM_ASSIGN(const Config config, Config::Load(RftKeys(), arguments.prompts, {}));
    questions.seed = config.Integer("seed");
    // Each task has a prompt for each backend.
    const auto backends = static_cast<std::int64_t>(questions.backends.size());
    const std::int64_t tasks = (arguments.limit + backends - 1) / backends;
    return AskAboutSources(config, arguments.ask.output + std::string(kTasksSuffix), arguments.jobs,
                           tasks, questions, add);
  }
  KM_RETURN_IF_ERROR(AskAboutTasks(arguments.prompts, questions, add).status());
  if (number > 0) return Status::Ok();
  return Status(ErrorCode::kUsage, arguments.prompts + " has no tasks with rows to ask about");
}

// What so many tokens cost; nothing without prices.
std::optional<double> CostOf(const Arguments& arguments, const AskTally& tally) {
  if (!arguments.prompt_price && !arguments.answer_price) return std::nullopt;
  constexpr double kMillion = 1e6;
  return (static_cast<double>(tally.prompt_tokens) * arguments.prompt_price.value_or(0) +
          static_cast<double>(tally.completion_tokens) * arguments.answer_price.value_or(0)) /
         kMillion;
}

Json JsonOf(const Arguments& arguments, const AskTally& tally) {
  Json json = tally.ToJson();
  const std::optional<double> cost = CostOf(arguments, tally);
  json["cost"] = cost ? Json(*cost) : Json();
  return json;
}

Json JsonOf(const Arguments& arguments, const AskSummary& summary) {
  return Json::Object{{"output", arguments.ask.output},
                      {"prompts", summary.prompts},
                      {"samples", summary.samples},
                      {"answered_before", summary.before},
                      {"refused_before", summary.refused_before},
                      {"missing", summary.missing},
                      {"requests", summary.requests},
                      {"repeated", summary.repeated},
                      {"run", JsonOf(arguments, summary.run)},
                      {"file", JsonOf(arguments, summary.file)}};
}

// One line on what replies used.
std::string TokensText(const Arguments& arguments, const AskTally& tally) {
  std::string text = Grouped(tally.prompt_tokens) + " tokens of prompts, " +
                     Grouped(tally.completion_tokens) + " of answers";
  if (tally.uncounted > 0) text += ", unknown for " + Counted(tally.uncounted, "more request");
  if (const std::optional<double> cost = CostOf(arguments, tally)) {
    char number[64];
    std::snprintf(number, sizeof number, "; cost %.4f", *cost);
    text += number;
  }
  return text + "\n";
}

std::string TextOf(const Arguments& arguments, const AskSummary& summary) {
  std::string text = arguments.ask.output + ": " + Grouped(summary.before + summary.run.answered) +
                     " of " + Counted(summary.samples, "sample") + " for " +
                     Counted(summary.prompts, "prompt") + " are answered, " +
                     Grouped(summary.run.answered) + " of them by this run\n";
  const auto add = [&](const std::string& what, std::int64_t count) {
    if (count > 0) text += what + ": " + Grouped(count) + "\n";
  };
  add("cut at a limit of tokens", summary.file.cut);
  for (const auto& [code, samples] : summary.run.failed) add("failed, " + code, samples);
  add("refused in an earlier run", summary.refused_before);
  add("not asked for to the end", summary.missing);
  add("answers to other prompts", summary.others);
  text += Counted(summary.requests, "request") + ", " + Grouped(summary.repeated) +
          " of them repeated\n";
  text += "this run: " + TokensText(arguments, summary.run);
  if (summary.before > 0 || summary.others > 0) {
    text += "all runs: " + TokensText(arguments, summary.file);
  }
  return text;
}

Status RunSample(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  KM_ASSIGN(const ChatUrl url, ChatUrl::Of(arguments.endpoint));
  AskOptions options = arguments.ask;
  options.url = url.url;
  options.silence = std::chrono::seconds(arguments.silence);
  options.first_wait =
      std::chrono::milliseconds(static_cast<std::int64_t>(arguments.first_wait * 1e3));
  KM_ASSIGN(options.key, ApiKey::FromVariable(arguments.variable));
  if (!options.key.is_set() && arguments.variable != ApiKey::kVariable) {
    return Status(ErrorCode::kUsage, "the variable " + arguments.variable + " holds no key");
  }
  if (options.key.is_set() && url.is_open) {
    Warn("sample: the key goes to " + url.url + " unencrypted; https would protect it");
  }
  PromptList prompts(arguments.changes);
  const bool has_tasks = IsConfiguration(arguments.prompts) || IsDataset(arguments.prompts);
  if (!has_tasks && arguments.given.contains("--backend")) {
    return Status(ErrorCode::kUsage,
                  "--backend is for questions about the tasks of a dataset or configuration; the "
                  "prompts of " +
                      arguments.prompts + " name their backends: leave it out");
  }
  KM_RETURN_IF_ERROR(has_tasks ? AddQuestions(arguments, &prompts)
                               : prompts.AddFiles(arguments.prompts));
  if (arguments.limit > 0) prompts.Limit(static_cast<std::size_t>(arguments.limit));
  AskSummary summary;
  const Status status = AskForSamples(&prompts, options, &summary);
  // Nothing to sum up, when the file was refused.
  if (!status.ok() && summary.requests == 0 && summary.refused_before == 0) return status;
  KM_RETURN_IF_ERROR(arguments.json ? PrintJson(JsonOf(arguments, summary))
                                    : Print(TextOf(arguments, summary)));
  return status;
}

void AddEndpointOptions(CLI::App& app, Arguments* arguments) {
  app.add_option("--endpoint", arguments->endpoint,
                 "The server: https://HOST/v1, or the whole address of its chat completions")
      ->type_name("URL")
      ->required()
      ->group(kEndpoint);
  app.add_option("--key-variable", arguments->variable,
                 "The environment variable that holds the key, if the server asks for one")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kEndpoint);
  app.add_option("--silence", arguments->silence,
                 "A request has failed when the server sends nothing for so many seconds")
      ->type_name(kNumber)
      ->check(WholeNumber(1, 86'400))
      ->capture_default_str()
      ->group(kEndpoint);
}

void AddAskedOptions(CLI::App& app, Arguments* arguments) {
  AskChanges& changes = arguments->changes;
  app.add_option("--model", changes.model, "The model's name; by default that in the prompts")
      ->type_name("NAME")
      ->group(kAsked);
  app.add_option("--n", changes.samples,
                 "Ask for so many answers to each prompt; by default as the prompts say, or 1")
      ->type_name(kNumber)
      ->check(WholeNumber(1, 100'000))
      ->group(kAsked);
  app.add_option("--temperature", changes.temperature, "The temperature")
      ->type_name(kNumber)
      ->check(NumberFrom(0, 10))
      ->group(kAsked);
  app.add_option("--top-p", changes.top_p, "The top_p")
      ->type_name(kNumber)
      ->check(NumberFrom(0, 1))
      ->group(kAsked);
  app.add_option("--max-tokens", changes.max_tokens,
                 "The most tokens of an answer, sent as max_completion_tokens")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kAsked);
  app.add_option("--seed", changes.seed,
                 "The seed; a request for the attempts from number A on has this seed plus A")
      ->type_name(kNumber)
      ->check(WholeNumber(0, std::int64_t{1} << 53))
      ->group(kAsked);
  app.add_option("--backend", arguments->backends,
                 "With a dataset or configuration: ask for kernels of this backend, or of several")
      ->type_name("NAME")
      ->delimiter(',')
      ->check(OneOf(KernelBackendNames()))
      ->capture_default_str()
      ->group(kAsked);
  app.add_option("--limit", arguments->limit, "Only the first so many prompts")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kAsked);
}

void AddRunOptions(CLI::App& app, Arguments* arguments) {
  AskOptions& ask = arguments->ask;
  app.add_option("--concurrency", ask.concurrency, "The most requests at a time")
      ->type_name(kNumber)
      ->check(WholeNumber(1, 4096))
      ->capture_default_str()
      ->group(kHowToRun);
  app.add_flag("--stream", ask.stream, "Have answers streamed, so that a slow one is not silent")
      ->group(kHowToRun);
  app.add_option("--choices", ask.most_choices,
                 "The most answers that one request asks for; by default all of a prompt")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kHowToRun);
  app.add_option("--requests-per-minute", ask.requests_per_minute, "Send at most so many")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kHowToRun);
  app.add_option("--tokens-per-minute", ask.tokens_per_minute,
                 "Use at most so many tokens, of prompts and answers")
      ->type_name(kNumber)
      ->check(WholeNumber(1))
      ->group(kHowToRun);
  app.add_option("--retries", ask.retries,
                 "Send a request that fails so many times more, before it counts as failed")
      ->type_name(kNumber)
      ->check(WholeNumber(0, 1000))
      ->capture_default_str()
      ->group(kHowToRun);
  app.add_option("--first-wait", arguments->first_wait,
                 "Seconds before the first of these; each wait is twice the one before, up to a "
                 "minute, or as long as the server asks for")
      ->type_name(kNumber)
      ->check(NumberFrom(0, 60))
      ->capture_default_str()
      ->group(kHowToRun);
  app.add_flag("--ask-refused", ask.ask_refused,
               "Also ask for what the server refused in an earlier run")
      ->group(kHowToRun);
  AddJobsOption(app, &arguments->jobs,
                "With a configuration: run its tasks in this many threads; by default one per "
                "processor");
  app.add_flag("--quiet", arguments->quiet, "Print errors and the summary only")->group(kHowToRun);
}

}  // namespace

Command SampleCommand() {
  return {
      .name = "sample",
      .group = CommandGroup::kAnswers,
      .summary = "Ask a model for answers to tasks, at an OpenAI-compatible endpoint",
      .description =
          "The prompts are a file or folder of `export --format prompts`, or a dataset, whose "
          "tasks "
          "are asked about as that export would, or a configuration of `rft` (.yaml), of which "
          "`tasks` is read: datasets, files of tasks and a checkout of KernelBench. A prompt says "
          "what torch computes, so tasks of files and checkouts run in a sandbox first, in the "
          "folder OUTPUT.tasks, and those that fail are not asked about.\n\n"
          "Each answer is appended to --output as it comes, in the form of OpenAI's batch output "
          "with the request beside it; `rft` and `verify` read the file.\n\n"
          "When the command is stopped or killed, the same command goes on: it asks for what the "
          "file does not answer, and for nothing else. A larger --n adds answers. A file with "
          "answers to other prompts or of other sampling parameters is refused.\n\n"
          "Requests that fail because of the server's state (429, 5xx, a lost connection, a reply "
          "that is no answer) are sent again, not before the server's Retry-After. What fails too "
          "often, or is refused, becomes a line with an error. 401 and 403 end the run. A server "
          "that gives fewer answers to a request than it was asked for is asked for the others.\n\n"
          "The key is read from an environment variable, and written nowhere.",
      .examples =
          {{"sample ask/data/train.jsonl --endpoint http://localhost:8000/v1 --model my-7b --n 8 "
            "--temperature 0.7 --output samples.jsonl",
            "Ask a local server for 8 answers to each prompt."},
           {"sample out/corpus --endpoint https://api.example.org/v1 --model large --stream "
            "--concurrency 64 --requests-per-minute 500 --output samples.jsonl",
            "Ask about the tasks of a dataset, within a limit."},
           {"sample samples.yaml --endpoint http://localhost:8000/v1 --model my-7b --n 8 --output "
            "samples.jsonl",
            "Ask about the tasks that samples.yaml names; `rft samples.yaml` can then name "
            "samples.jsonl as its samples."},
           {"sample ask/data/train.jsonl --endpoint https://api.example.org/v1 --prompt-price 0.4 "
            "--answer-price 1.6 --output samples.jsonl --json",
            "Print what it cost as JSON, at prices of a million tokens."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("prompts", arguments->prompts,
                       "A file or folder of `export --format prompts`, a dataset, or a "
                       "configuration of `rft` whose tasks are asked about")
            ->type_name(kFile)
            ->required();
        AddEndpointOptions(app, arguments.get());
        AddAskedOptions(app, arguments.get());
        AddRunOptions(app, arguments.get());
        app.add_option("--output", arguments->ask.output,
                       "Append the answers to this file, which is created if necessary")
            ->type_name(kFile)
            ->required()
            ->group(kOutputGroup);
        app.add_option("--prompt-price", arguments->prompt_price,
                       "The price of a million tokens of prompts, in any currency")
            ->type_name(kNumber)
            ->check(NumberFrom(0, 1e6))
            ->group(kOutputGroup);
        app.add_option("--answer-price", arguments->answer_price,
                       "The price of a million tokens of answers")
            ->type_name(kNumber)
            ->check(NumberFrom(0, 1e6))
            ->group(kOutputGroup);
        AddJsonOption(app, &arguments->json);
        ListGiven(app, &arguments->given);
        return [arguments] { return RunSample(*arguments); };
      },
  };
}

}  // namespace kernelmill
