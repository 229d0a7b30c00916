#include <memory>
#include <optional>

#include "stages/serve/serve.h"
#include "stages/verify/judge/verdict_store.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  ServeOptions serve;
  std::string token_file;
  std::optional<std::uint64_t> seed;
  int port = 8077;
  std::int64_t waiting = 256;
  std::int64_t connections = 256;
  std::int64_t body_mib = 4;
  std::int64_t client_seconds = 20;
  std::int64_t deadline_seconds = 600;
  std::int64_t own_size_seconds = 10;
  bool json = false;
};

Status RunServe(const Arguments& arguments) {
  ServeOptions options = arguments.serve;
  options.port = static_cast<std::uint16_t>(arguments.port);
  options.most_waiting = static_cast<std::size_t>(arguments.waiting);
  options.http.connections = static_cast<std::size_t>(arguments.connections);
  options.http.body_bytes = static_cast<std::uint64_t>(arguments.body_mib) << 20;
  options.http.reading = options.http.writing = std::chrono::seconds(arguments.client_seconds);
  options.deadline = std::chrono::seconds(arguments.deadline_seconds);
  options.choice.own_size_cpu_ms = arguments.own_size_seconds * 1'000;
  KM_ASSIGN(options.token, AccessToken::Read(arguments.token_file));
  if (arguments.seed) {
    options.choice.seed = *arguments.seed;
  } else {
    KM_ASSIGN(const VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
    KM_ASSIGN(options.choice.secret, store.Secret());
  }
  return Serve(options, [&](const std::string& url) {
    return arguments.json ? PrintJsonLine(Json::Object{{"url", url}}) : Print(url + "\n");
  });
}

}  // namespace

Command ServeCommand() {
  return {
      .name = "serve",
      .group = CommandGroup::kAnswers,
      .summary = "Judge answers for clients over HTTP, as the reward of reinforcement learning",
      .description =
          "The service judges as verify does and shares its store of verdicts. POST /v1/verify "
          "with {\"task\" or \"reference\", \"code\" or \"message\"} and optionally backend, "
          "target, policy, contract, sanitize, profile and deadline_seconds, or with "
          "{\"requests\": [...]}, returns {\"key\", \"verdict\", \"reward\", \"feedback\"}. GET "
          "/v1/verdicts/KEY returns a verdict again, GET /metrics counts in Prometheus' format, "
          "and GET /healthz says whether new candidates are judged.\n\n"
          "Equal requests are judged once. 429 and 503 ask the client to come again after "
          "Retry-After seconds; 503 also stands for a failure of this machine, which is never a "
          "verdict. The Python module kernelmill.reward asks the service for TRL and verl.\n\n"
          "The first SIGTERM or Ctrl-C ends the service in order: nothing new is begun, and what "
          "is being judged is answered. A second one ends it at once.",
      .examples = {{"serve --tasks out/corpus --jobs 2",
                    "Judge answers to the tasks of a dataset, two at once, for this machine only."},
                   {"serve --address 0.0.0.0 --token-file token",
                    "Also for other machines, whose clients must name the token."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kWho[] = "Who may ask", kLimits[] = "Limits", kHowToJudge[] = "How to judge";
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("--tasks", arguments->serve.tasks,
                       "A dataset; requests name its tasks by their ids")
            ->type_name(kFolder)
            ->group(kHowToJudge);
        app.add_option("--own-size-cpu", arguments->own_size_seconds, "As for verify")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0))
            ->group(kHowToJudge);
        app.add_option("--seed", arguments->seed, "As for verify, for debugging")
            ->type_name(kNumber)
            ->check(WholeNumber(0))
            ->group(kHowToJudge);
        app.add_option("--address", arguments->serve.address,
                       "The numeric address to listen on. One that other machines can reach needs "
                       "a token; there is no TLS")
            ->type_name("ADDRESS")
            ->capture_default_str()
            ->group(kWho);
        app.add_option("--port", arguments->port, "The port to listen on; 0: a free one")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(0, 65'535))
            ->group(kWho);
        app.add_option("--token-file", arguments->token_file,
                       "A file with the token that clients must name; by default the variable "
                       "KERNELMILL_SERVE_TOKEN, if it is set")
            ->type_name(kFile)
            ->group(kWho);
        app.add_option("--waiting", arguments->waiting,
                       "The most candidates that wait to be judged; further ones get 429")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, 1'000'000))
            ->group(kLimits);
        app.add_option("--deadline", arguments->deadline_seconds,
                       "Seconds after which a request gets 504, unless it names its own deadline")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, 3'600))
            ->group(kLimits);
        app.add_option("--connections", arguments->connections,
                       "The most connections; further ones get 503")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, 100'000))
            ->group(kLimits);
        app.add_option("--body", arguments->body_mib,
                       "The largest body of a request, in MiB; a larger one gets 413")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, 1'024))
            ->group(kLimits);
        app.add_option("--client-time", arguments->client_seconds,
                       "Seconds that a client may take to send a header or a body, or to take a "
                       "response")
            ->type_name(kNumber)
            ->capture_default_str()
            ->check(WholeNumber(1, 3'600))
            ->group(kLimits);
        AddJobsOption(app, &arguments->serve.lanes,
                      "Judge this many answers at once, each with 1.5 GB (default: 1)");
        AddJsonOption(app, &arguments->json, "Print the URL as one JSON object");
        return [arguments] { return RunServe(*arguments); };
      },
  };
}

}  // namespace kernelmill
