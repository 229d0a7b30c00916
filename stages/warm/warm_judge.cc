#include "stages/warm/warm_judge.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json_fields.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/spawn.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/warm/local_socket.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The process that is the judge holds a lock on its log.
constexpr char kSocket[] = ".socket", kState[] = ".json", kLog[] = ".log";
constexpr std::chrono::seconds kStart{60}, kRequest{20};
constexpr std::chrono::hours kVerdict{24};
constexpr std::chrono::milliseconds kPause{20};
constexpr int kAttempts = 3;
constexpr std::size_t kNameDigits = 16;

std::string Folder() { return CheckoutRoot() / ".cache" / "warm"; }
std::string FileOf(const std::string& name, const char* suffix) {
  return Folder() + "/" + name + suffix;
}

// What a judge that stays was started with, and keeps: another program, executor or folder for
// temporary files has another name.
Result<std::string> WarmName() {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const std::string executor, ExecutorKey());
  std::error_code error;
  Sha256 hash;
  hash.Field("warm 1").Field(tool.digest.Hex()).Field(executor);
  hash.Field(fs::temp_directory_path(error).string());
  return hash.Finish().Hex().substr(0, kNameDigits);
}

// A descriptor that holds the lock of a name; negative if another process holds it.
Result<int> TakeLock(const std::string& name) {
  const std::string path = FileOf(name, kLog);
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Status::FromErrno("cannot open", path);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

std::vector<std::string> Environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

Status HasEnded(const std::string& name) {
  return Status(ErrorCode::kWorker, "the judge that stays has ended; " + FileOf(name, kLog) +
                                        " has its messages, and without --warm an answer is "
                                        "judged by this process");
}

// Starts the process, and waits until it listens.
Result<LocalSocket> Start(const std::string& name) {
  const std::string log = FileOf(name, kLog);
  const int messages = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (messages < 0) return Status::FromErrno("cannot open", log);
  const Result<pid_t> child =
      SpawnApart({fs::read_symlink("/proc/self/exe"), "verify", "--stay-warm", name},
                 {.output = messages, .errors = messages}, Environment());
  close(messages);
  KM_RETURN_IF_ERROR(child.status());
  const auto end = Clock::now() + kStart;
  bool ended = false;
  while (Clock::now() < end) {
    KM_ASSIGN(std::optional<LocalSocket> made, LocalSocket::Connect(Folder(), name + kSocket));
    if (made) return *std::move(made);
    // It ends at once if another client has started one meanwhile, which may not listen yet.
    if (!ended) ended = waitpid(*child, nullptr, WNOHANG) != 0;
    if (Pause(kPause) == Waited::kInterrupted) return InterruptedStatus();
    if (ended) {
      KM_ASSIGN(const int lock, TakeLock(name));
      if (lock >= 0) {
        close(lock);
        return HasEnded(name);
      }
    }
  }
  return HasEnded(name);
}

Status WriteState(const std::string& name, const WarmState& state) {
  return ReplaceFile(FileOf(name, kState), state.ToJson().Dump() + "\n");
}

// Answers one request. Nothing if it cannot be read: then there is nobody to answer.
void Answer(const LocalSocket& client, JudgePool* judges, std::chrono::minutes* stay) {
  const Result<std::optional<std::string>> text = client.Receive(kRequest);
  if (!text.ok() || !*text) return;
  const Result<WarmRequest> request = WarmRequest::Parse(**text);
  Result<Verdict> verdict = request.status();
  if (request.ok()) {
    *stay = request->stay;
    judges->Use(request->renew ? StoreUse::kRenew : StoreUse::kUse);
    verdict = judges->JudgeOrFail(request->choice, request->reference, request->code);
  }
  // A client that has gone gets nothing; the store has its verdict.
  (void)client.Send(WarmReplyText(verdict));
}

}  // namespace

Json WarmState::ToJson() const {
  return Json::Object{{"pid", pid}, {"since", since}, {"judged", judged}, {"ends", ends}};
}

Result<WarmState> WarmState::FromJson(const Json& json) {
  WarmState state;
  JsonFields fields(json, "the state of a judge that stays");
  fields.Read("pid", &state.pid);
  fields.Read("since", &state.since);
  fields.Read("judged", &state.judged);
  fields.Read("ends", &state.ends);
  KM_RETURN_IF_ERROR(fields.Finish());
  return state;
}

Result<Verdict> JudgeWarm(const WarmRequest& request) {
  KM_RETURN_IF_ERROR(MakeFolders(Folder()));
  KM_ASSIGN(const std::string name, WarmName());
  const std::string text = request.Text();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KM_ASSIGN(std::optional<LocalSocket> judge, LocalSocket::Connect(Folder(), name + kSocket));
    if (!judge) {
      KM_ASSIGN(LocalSocket started, Start(name));
      judge.emplace(std::move(started));
    }
    // One that ends meanwhile, because nobody has asked it for long, answers nothing.
    if (const Status sent = judge->Send(text); !sent.ok()) {
      if (sent.code() == ErrorCode::kInterrupted) return sent;
      continue;
    }
    KM_ASSIGN(const std::optional<std::string> reply, judge->Receive(kVerdict));
    if (reply) return ParseWarmReply(*reply);
  }
  return HasEnded(name);
}

Status StayWarm(const std::string& name) {
  std::signal(SIGHUP, SIG_IGN);  // It outlives the terminal.
  KM_RETURN_IF_ERROR(MakeFolders(Folder()));
  KM_ASSIGN(const int lock, TakeLock(name));
  if (lock < 0) return Status::Ok();
  KM_ASSIGN(const LocalSocket listener, LocalSocket::Listen(Folder(), name + kSocket));
  JudgePool judges;
  WarmState state{.pid = getpid(), .since = std::time(nullptr)};
  std::chrono::minutes stay{1};
  Status status;
  auto end = Clock::now() + stay;
  while (status.ok() && !Interrupted() && Clock::now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    const std::optional<LocalSocket> client = listener.Accept(left);
    if (!client) continue;
    state.ends = 0;
    status = WriteState(name, state);
    Answer(*client, &judges, &stay);
    end = Clock::now() + stay;
    ++state.judged;
    state.ends = std::time(nullptr) + std::chrono::seconds(stay).count();
    if (status.ok()) status = WriteState(name, state);
  }
  std::error_code error;
  for (const char* suffix : {kSocket, kState}) fs::remove(FileOf(name, suffix), error);
  close(lock);
  return status;
}

Result<std::vector<WarmState>> WarmJudges() {
  std::vector<WarmState> states;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(Folder(), error)) {
    if (entry.path().extension() != kState) continue;
    KM_ASSIGN(const int lock, TakeLock(entry.path().stem()));
    if (lock >= 0) {  // It was killed.
      close(lock);
      continue;
    }
    const Result<std::string> text = ReadFile(entry.path());
    if (!text.ok()) continue;  // It has ended meanwhile.
    KM_ASSIGN(const Json json, Json::Parse(*text));
    KM_ASSIGN(WarmState state, WarmState::FromJson(json));
    states.push_back(state);
  }
  std::sort(states.begin(), states.end(), [](const WarmState& a, const WarmState& b) {
    return std::pair(a.since, a.pid) < std::pair(b.since, b.pid);
  });
  return states;
}

std::string Text(const std::vector<WarmState>& judges) {
  if (judges.empty()) return "no judge stays\n";
  std::string text;
  for (const WarmState& judge : judges) {
    text += "process " + std::to_string(judge.pid) + ": a judge that stays, " +
            std::to_string(judge.judged) + " answers judged; " +
            (judge.ends == 0
                 ? std::string("judging")
                 : "ends in " +
                       std::to_string(std::max<std::int64_t>(judge.ends - std::time(nullptr), 0)) +
                       " s unless it is asked") +
            "\n";
  }
  return text;
}

Result<std::size_t> EndWarmJudges() {
  KM_ASSIGN(const std::vector<WarmState> judges, WarmJudges());
  for (const WarmState& judge : judges) kill(static_cast<pid_t>(judge.pid), SIGTERM);
  return judges.size();
}

}  // namespace kernelmill
