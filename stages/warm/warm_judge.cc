#include "stages/warm/warm_judge.h"

#include <fcntl.h>
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
#include "stages/engine/shared_entries.h"
#include "stages/engine/spawn.h"
#include "stages/verify/judge/judge_identity.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/warm/local_socket.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The process that is the judge holds a lock on its log, by which others know that it lives.
constexpr char kSocket[] = ".socket", kState[] = ".json", kLog[] = ".log";
// What comes before the reply once the judge has read a request: it is not sent again then.
constexpr std::string_view kTaken = "taken\n";
constexpr std::chrono::seconds kStart{60}, kRequest{20}, kEnd{30};
constexpr std::chrono::hours kVerdict{24};
constexpr std::chrono::milliseconds kPause{20};
constexpr int kAttempts = 3;
constexpr std::size_t kNameDigits = 16;

std::string Folder() { return CheckoutRoot() / ".cache" / "warm"; }
std::string FileOf(const std::string& name, const char* suffix) {
  return Folder() + "/" + name + suffix;
}

// What a judge that stays was started with, and keeps: another program, executor, instruction set,
// store of shared verdicts or folder for temporary files has another name.
Result<std::string> WarmName() {
  KM_ASSIGN(const Digest judge, JudgeIdentity());
  std::error_code error;
  const std::string temporary = fs::temp_directory_path(error);
  const char* const shared = std::getenv(SharedEntries::kVariable);
  const Digest digest = Sha256()
                            .Field("warm 3")
                            .Field(judge.Hex())
                            .Field(temporary)
                            .Field(shared == nullptr ? "" : shared)
                            .Finish();
  return digest.Hex().substr(0, kNameDigits);
}

// The lock of a name, of the whole file. It goes with the process.
struct flock WholeFile() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// False if another process holds the lock.
Result<bool> TakeLock(const std::string& name) {
  const std::string path = FileOf(name, kLog);
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Status::FromErrno("cannot open", path);
  struct flock lock = WholeFile();
  if (fcntl(descriptor, F_SETLK, &lock) == 0) return true;  // The descriptor stays open.
  close(descriptor);
  return false;
}

// The process that holds the lock; 0 without one.
pid_t HolderOf(const std::string& name) {
  const int descriptor = open(FileOf(name, kLog).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return 0;
  struct flock lock = WholeFile();
  const bool is_held = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return is_held ? lock.l_pid : 0;
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

// Starts the process, and waits until it listens. Nothing if it has ended, and no other one, which
// another client has started meanwhile, is there.
Result<std::optional<LocalSocket>> Start(const std::string& name) {
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
    if (made) return made;
    if (!ended) ended = waitpid(*child, nullptr, WNOHANG) != 0;
    if (ended && HolderOf(name) == 0) return std::optional<LocalSocket>();
    if (Pause(kPause) == Waited::kInterrupted) return InterruptedStatus();
  }
  return std::optional<LocalSocket>();
}

Status WriteState(const std::string& name, const WarmState& state) {
  return ReplaceFile(FileOf(name, kState), state.ToJson().Dump() + "\n");
}

// Answers one request. False if it cannot be read: then there is nobody to answer.
bool Answer(const LocalSocket& client, JudgePool* judges, std::chrono::minutes* stay) {
  const Result<std::optional<std::string>> text = client.Receive(kRequest);
  if (!text.ok() || !*text) return false;
  const Result<WarmRequest> request = WarmRequest::Parse(**text);
  (void)client.SendPart(kTaken, kRequest);
  Result<Verdict> verdict = request.status();
  if (request.ok()) {
    *stay = request->stay;
    judges->Use(request->renew ? StoreUse::kRenew : StoreUse::kUse);
    verdict = judges->JudgeOrFail(request->choice, request->reference, request->code);
  }
  // A client that has gone gets nothing; the store has its verdict.
  (void)client.Send(WarmReplyText(verdict), kRequest);
  return request.ok();
}

// The names of the judges that are or were here.
std::vector<std::string> Names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(Folder(), error)) {
    if (entry.path().extension() == kLog) names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What is known of a judge's state; a judge of another program may write it otherwise.
WarmState StateOf(const std::string& name) {
  const Result<std::string> text = ReadFile(FileOf(name, kState));
  if (!text.ok()) return {};
  const Result<Json> json = Json::Parse(*text);
  if (!json.ok()) return {};
  Result<WarmState> state = WarmState::FromJson(*json);
  return state.ok() ? *std::move(state) : WarmState();
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
      KM_ASSIGN(std::optional<LocalSocket> started, Start(name));
      if (!started) continue;
      judge.emplace(*std::move(started));
    }
    // One that ends meanwhile, because nobody has asked it for long, takes no request. One that
    // judges another answer takes it afterwards.
    if (const Status sent = judge->Send(text, kVerdict); !sent.ok()) {
      if (sent.code() == ErrorCode::kInterrupted) return sent;
      continue;
    }
    KM_ASSIGN(const std::optional<std::string> reply, judge->Receive(kVerdict));
    if (!reply) continue;
    if (!reply->starts_with(kTaken) || reply->size() == kTaken.size()) break;
    return ParseWarmReply(std::string_view(*reply).substr(kTaken.size()));
  }
  return HasEnded(name);
}

Status StayWarm(const std::string& name) {
  std::signal(SIGHUP, SIG_IGN);  // It outlives the terminal.
  KM_RETURN_IF_ERROR(MakeFolders(Folder()));
  KM_ASSIGN(const bool is_alone, TakeLock(name));
  if (!is_alone) return Status::Ok();
  std::chrono::minutes stay{1};
  auto end = Clock::now() + stay;
  const auto ends = [&stay] { return std::time(nullptr) + std::chrono::seconds(stay).count(); };
  WarmState state{.pid = getpid(), .since = std::time(nullptr), .ends = ends()};
  Status status = WriteState(name, state);
  KM_ASSIGN(const LocalSocket listener, LocalSocket::Listen(Folder(), name + kSocket));
  JudgePool judges;
  while (status.ok() && !Interrupted() && Clock::now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    const std::optional<LocalSocket> client = listener.Accept(left);
    if (!client) continue;
    state.ends = 0;
    status = WriteState(name, state);
    if (Answer(*client, &judges, &stay)) ++state.judged;
    end = Clock::now() + stay;
    state.ends = ends();
    if (status.ok()) status = WriteState(name, state);
  }
  std::error_code error;
  for (const char* suffix : {kSocket, kState}) fs::remove(FileOf(name, suffix), error);
  return status;
}

std::vector<WarmState> WarmJudges() {
  std::vector<WarmState> states;
  for (const std::string& name : Names()) {
    const pid_t holder = HolderOf(name);
    if (holder == 0) continue;  // It has ended, or was killed.
    states.push_back(StateOf(name));
    states.back().pid = holder;
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
  std::size_t count = 0;
  for (const std::string& name : Names()) {
    const pid_t holder = HolderOf(name);
    if (holder == 0) continue;
    if (kill(holder, SIGTERM) != 0) return Status::FromErrno("cannot end the judge of", name);
    for (const auto end = Clock::now() + kEnd; HolderOf(name) == holder;) {
      if (Clock::now() > end) {
        return Status(ErrorCode::kWorker, "process " + std::to_string(holder) +
                                              ", a judge that stays, does not end; try again");
      }
      if (Pause(kPause) == Waited::kInterrupted) return InterruptedStatus();
    }
    ++count;
  }
  return count;
}

}  // namespace kernelmill
