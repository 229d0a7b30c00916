#include <memory>
#include <utility>
#include <vector>

#include "stages/engine/run_status.h"
#include "stages/queue/queue_status.h"
#include "stages/recipes/step_table.h"
#include "stages/warm/warm_judge.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

Status ShowWarmJudges(bool json) {
  const std::vector<WarmState> judges = WarmJudges();
  if (!json) return Print(Text(judges));
  Json::Array list;
  for (const WarmState& judge : judges) list.push_back(judge.ToJson());
  return PrintJson(Json::Object{{"judges", std::move(list)}});
}

Status ShowQueues(const std::string& url, bool json) {
  KM_ASSIGN(const QueueStatus status, ReadQueueStatus(url));
  return json ? PrintJson(status.ToJson()) : Print(status.Text());
}

Status ShowStatus(const std::string& folder, const std::string& queue, bool json) {
  if (!queue.empty() && !folder.empty()) {
    return Status(ErrorCode::kUsage, "give a folder or --queue: each shows something else");
  }
  if (!queue.empty()) return ShowQueues(queue, json);
  if (folder.empty()) return ShowWarmJudges(json);
  KM_ASSIGN(const RunStatus status, ReadRunStatus(folder, StepTable()));
  return json ? PrintJson(status.ToJson()) : Print(status.Text());
}

}  // namespace

Command StatusCommand() {
  return {
      .name = "status",
      .group = CommandGroup::kBuild,
      .summary = "Show the progress of a run, of a queue, or what `verify --warm` has left",
      .description =
          "It reads only the folder, so it works while the run is in progress and after it was "
          "killed. With --queue it reads a Redis server instead: the answers that wait in each "
          "pool, the workers with their leases, the lease that was renewed longest ago, and what "
          "was given up, with the reason. Without both it shows the processes that `verify "
          "--warm` has left.",
      .examples = {{"status out/corpus", "Show the steps of a run, with their counts."},
                   {"status --queue redis://queue:6379",
                    "Show what waits for the workers of a queue, and what they do."},
                   {"status", "Show the judges that `verify --warm` has left."}},
      .declare = [](CLI::App& app) -> Action {
        const auto folder = std::make_shared<std::string>();
        const auto queue = std::make_shared<std::string>();
        const auto json = std::make_shared<bool>(false);
        app.add_option("folder", *folder, "The output folder of a run")->type_name(kFolder);
        app.add_option("--queue", *queue,
                       "Show the queues of this Redis server: redis://HOST[:PORT][/DATABASE]")
            ->type_name("URL");
        AddJsonOption(app, json.get());
        return [=] { return ShowStatus(*folder, *queue, *json); };
      },
  };
}

}  // namespace kernelmill
