#include <memory>

#include "stages/engine/progress.h"
#include "stages/queue/queue_worker.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string pool, url;
  std::int64_t lease = 60, tries = 5, idle = 0, patience = 600;
  bool quiet = false;
};

Status RunWorker(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  const bool compiles = arguments.pool == PoolName(WorkerPool::kCompile);
  return RunQueueWorker({.pool = compiles ? WorkerPool::kCompile : WorkerPool::kExecute,
                         .url = arguments.url,
                         .lease = std::chrono::seconds(arguments.lease),
                         .tries = arguments.tries,
                         .idle = std::chrono::seconds(arguments.idle),
                         .patience = std::chrono::seconds(arguments.patience)});
}

}  // namespace

Command WorkerCommand() {
  return {
      .name = "worker",
      .group = CommandGroup::kAnswers,
      .summary = "Build or judge the answers of a queue, for verify and rft",
      .description =
          "With --queue, `verify` and `rft` publish the keys of answers in a Redis server. Workers "
          "take them: "
          "those of the pool compile build the libraries of an answer and hand it on, and those of "
          "the pool execute judge it. Each worker does one answer at a time; start as many as "
          "there are processors, on every machine that sees the folder of the run and this "
          "checkout, with its folder .cache.\n\n"
          "A worker may be killed at any time. Another one takes the answer that it was at work on "
          "when the lease has expired. An answer whose tries all fail is put into quarantine, in "
          "the folder .run/quarantine of the run, and the command that leads the run names it. "
          "`kernelmill status --queue` shows what workers do. A worker whose server is "
          "gone waits for it. The password of the server is read from the variable "
          "KERNELMILL_QUEUE_PASSWORD.\n\n"
          "The exit code is 0 after --idle, and 75 when the server does not answer or the worker "
          "is stopped.",
      .examples = {{"worker compile --queue redis://queue:6379",
                    "Build answers until the worker is stopped."},
                   {"worker execute --queue redis://queue:6379 --idle 600",
                    "Judge answers, and end when none has come for ten minutes."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("pool", arguments->pool, "What to do: compile or execute")
            ->type_name("POOL")
            ->check(OneOf({"compile", "execute"}))
            ->required();
        app.add_option("--queue", arguments->url,
                       "The Redis server: redis://HOST[:PORT][/DATABASE]")
            ->type_name("URL")
            ->required();
        app.add_option("--idle", arguments->idle,
                       "End when no answer has come for this many seconds (default: never)")
            ->type_name(kNumber)
            ->check(WholeNumber(1));
        app.add_option("--lease", arguments->lease,
                       "Seconds until the answer of a worker that was lost is taken again")
            ->capture_default_str()
            ->type_name(kNumber)
            ->check(WholeNumber(2, 86'400));
        app.add_option("--tries", arguments->tries,
                       "Give an answer up when so many tries have failed")
            ->capture_default_str()
            ->type_name(kNumber)
            ->check(WholeNumber(1, 1'000));
        app.add_option("--patience", arguments->patience,
                       "Seconds to wait for a server that was there and is gone")
            ->capture_default_str()
            ->type_name(kNumber)
            ->check(WholeNumber(1));
        app.add_flag("--quiet", arguments->quiet, "Print errors only");
        return [arguments] { return RunWorker(*arguments); };
      },
  };
}

}  // namespace kernelmill
