#include "stages/serve/serve.h"

#include <poll.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "corpora/dataset/dataset_reader.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/serve/judging_service.h"
#include "stages/serve/known_verdicts.h"

namespace kernelmill {
namespace {

// For the responses that are on their way when the service stops.
constexpr std::chrono::milliseconds kPatience{5'000};
constexpr int kHttpThreads = 2;

// The tasks of a dataset, for several threads.
class ServedTasks {
 public:
  ServedTasks(DatasetReader reader, std::string dataset)
      : reader_(std::move(reader)), dataset_(std::move(dataset)) {}

  Result<ListedTask> Find(const std::string& task) {
    const std::lock_guard lock(mutex_);
    return FindListedTask(&reader_, task, dataset_);
  }

 private:
  std::mutex mutex_;
  DatasetReader reader_;
  const std::string dataset_;
};

Status CheckAddress(const ServeOptions& options, bool is_loopback) {
  if (is_loopback || options.token.is_set()) return Status::Ok();
  return Status(ErrorCode::kUsage,
                "other machines can reach " + options.address +
                    ": name a token for clients by --token-file or the variable " +
                    AccessToken::kVariable);
}

// Waits for the first signal.
void WaitForSignal() {
  pollfd entry = {InterruptDescriptor(), POLLIN, 0};
  while (poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

Status Serve(const ServeOptions& options,
             const std::function<Status(const std::string& url)>& on_ready) {
  KM_ASSIGN(const bool is_loopback, IsLoopback(options.address));
  KM_RETURN_IF_ERROR(CheckAddress(options, is_loopback));
  std::optional<ServedTasks> tasks;
  if (!options.tasks.empty()) {
    KM_ASSIGN(DatasetReader reader, DatasetReader::Open(options.tasks));
    tasks.emplace(std::move(reader), options.tasks);
  }
  KM_ASSIGN(const std::unique_ptr<KnownVerdicts> known, KnownVerdicts::Open());
  // A missing compiler is reported before the first client comes.
  JudgingChoice usual = options.choice;
  KM_ASSIGN(const DeviceTarget* const target, usual.backend->TargetNamed(""));
  usual.target = target->name;
  KM_RETURN_IF_ERROR(known->Learn(usual));

  std::unique_ptr<HttpServer> server;
  JudgingService service(
      {.rules = {.choice = options.choice,
                 .deadline = options.deadline,
                 .most_deadline = options.most_deadline,
                 .most_requests = options.most_requests,
                 .find_task = tasks
                                  ? [&tasks](const std::string& task) { return tasks->Find(task); }
                                  : std::function<Result<ListedTask>(const std::string&)>()},
       .token = options.token,
       .is_loopback = is_loopback,
       .queue = {.lanes = options.lanes,
                 .most_waiting = options.most_waiting,
                 .open_lane = [&known]() -> JudgingQueue::Judge {
                   const auto pool = std::make_shared<JudgePool>();
                   return [pool, &known](const VerifyRequest& request) {
                     // Requests with the same choice find stored verdicts from now on.
                     if (Status status = known->Learn(request.choice); !status.ok()) {
                       return Result<JudgePool::Judged>(std::move(status));
                     }
                     return pool->JudgeCandidate(request.choice, request.reference, request.code);
                   };
                 }},
       .find = [&known](const VerifyRequest& request) { return known->Find(request); },
       .find_key = [&known](const std::string& key) { return known->FindKey(key); },
       .count_connections = [&server] { return server->connections(); }});
  KM_ASSIGN(server, HttpServer::Listen(options.address, options.port, options.http, &service));
  FinishWorkAtInterrupt();
  server->Start(kHttpThreads);
  const std::string host = options.address.find(':') == std::string::npos
                               ? options.address
                               : '[' + options.address + ']';
  Status status = on_ready("http://" + host + ':' + std::to_string(server->port()));
  if (status.ok()) {
    WaitForSignal();
    Say("serve: stopping; what is being judged is answered first, a second signal ends at once");
  }
  service.Stop();
  server->Stop(kPatience);
  return status;
}

}  // namespace kernelmill
