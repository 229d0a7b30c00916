// Tests of the real worker, with torch and bubblewrap.
#include "stages/worker/torch_worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

constexpr char kPrelude[] =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n";
constexpr char kArguments[] =
    "\n\ndef get_inputs():\n    return [torch.randn(4, 8)]\n\n\n"
    "def get_init_inputs():\n    return []\n";

// A task without layers whose forward() has this body, indented by eight.
std::string TaskWith(const std::string& body, const std::string& before = "") {
  return kPrelude + before + "\n\nclass Model(nn.Module):\n    def forward(self, x):\n" + body +
         kArguments;
}

class Worker : public WorkerSuite<> {
 protected:
  static std::string End(const Json& reply) {
    const Json* end = reply.Find("end");
    return end != nullptr ? end->as_string() : "";
  }
};

KM_SHARED_SUITE(Worker);

TEST_F(Worker, HalfPrecisionWorksInTheSandbox) {
  for (const char* type : {"half", "bfloat16"}) {
    const Json reply = Admit(TaskWith("        return x." + std::string(type) + "() * 2\n"));
    EXPECT_EQ(End(reply), "ran") << reply.Dump();
  }
}

TEST_F(Worker, DescribesWhatTorchComputed) {
  const Json reply = Admit(TaskWith("        y = F.relu(x)\n        return y @ y.t()\n"));
  ASSERT_EQ(End(reply), "ran") << reply.Dump();
  const Json& annotation = *reply.Find("annotation");
  EXPECT_EQ(annotation.Find("values")->Dump(),
            R"([{"dtype":"float32","line":7,"name":"x","shape":[4,8],"stride":[8,1]},)"
            R"({"dtype":"float32","line":8,"name":"y","shape":[4,8],"stride":[8,1]},)"
            R"({"dtype":"float32","line":9,"name":"return","shape":[4,4],"stride":[4,1]}])");
  // relu of 32 elements, and 2·4·8·4 for the product.
  EXPECT_EQ(annotation.Find("flops")->as_int(), 32 + 256);
}

// On a busy machine a process gets a fraction of the elapsed time.
TEST_F(Worker, CountsNoTimeOfWorkAgainstTheLimitOnTheClock) {
  const std::string code =
      TaskWith("        for i in range(3_000_000):\n            pass\n        return F.relu(x)\n");
  WorkerLimits limits;
  limits.idle_ms = 1000;
  EXPECT_EQ(End(Admit(code, limits)), "ran");
}

TEST_F(Worker, GivesTheSameBytesForTheSameRequest) {
  const std::string code = TaskWith("        return torch.softmax(x * 3, -1)\n");
  EXPECT_EQ(Admit(code).Dump(), Admit(code).Dump());
}

// All processes of this machine, from /proc.
struct Seen {
  pid_t parent = 0;
  std::int64_t resident_kb = 0;
};
std::map<pid_t, Seen> Processes() {
  std::map<pid_t, Seen> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream status(entry.path() / "status");
    Seen seen;
    bool zombie = false;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) zombie = line.find('Z') != std::string::npos;
      if (line.starts_with("PPid:")) seen.parent = std::stoi(line.substr(5));
      if (line.starts_with("VmRSS:")) seen.resident_kb = std::stol(line.substr(6));
    }
    if (!zombie) found[std::stoi(name)] = seen;
  }
  return found;
}

std::set<pid_t> DescendantsOf(pid_t ancestor) {
  const auto processes = Processes();
  std::set<pid_t> found = {ancestor};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, seen] : processes) {
      if (found.contains(seen.parent)) grew |= found.insert(pid).second;
    }
  }
  found.erase(ancestor);
  return found;
}

// The processes, once none starts or ends any more.
std::set<pid_t> SettledDescendants() {
  std::set<pid_t> before;
  for (std::set<pid_t> now = DescendantsOf(getpid()); now != before;) {
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    now = DescendantsOf(getpid());
  }
  return before;
}

std::int64_t ResidentKb(const std::set<pid_t>& pids) {
  std::int64_t total = 0;
  for (const auto& [pid, seen] : Processes()) {
    if (pids.contains(pid)) total += seen.resident_kb;
  }
  return total;
}

bool AllGone(const std::set<pid_t>& pids) {
  for (int i = 0; i < 500; ++i) {
    const auto processes = Processes();
    bool gone = true;
    for (pid_t pid : pids) gone &= !processes.contains(pid);
    if (gone) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST_F(Worker, StaysTheSameOverManyRequests) {
  const std::string code = TaskWith("        return torch.tanh(x) + x.sum()\n");
  const std::string first = Admit(code).Dump();
  const std::set<pid_t> before = SettledDescendants();
  // What requests leave behind grows in each round. A huge page of the kernel's makes one grow.
  std::int64_t resident = ResidentKb(before), least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 50; ++i) ASSERT_EQ(Admit(code).Dump(), first) << "request " << i;
    EXPECT_EQ(SettledDescendants(), before);
    const std::int64_t now = ResidentKb(before);
    least = std::min(least, now - resident);
    resident = now;
  }
  EXPECT_LT(least, 512);
}

TEST_F(Worker, EndsWithItsOwner) {
  std::set<pid_t> descendants;
  {
    const std::set<pid_t> others = DescendantsOf(getpid());
    Result<TorchWorker> worker = TorchWorker::Start();
    ASSERT_TRUE(worker.ok()) << worker.status().message();
    for (pid_t pid : DescendantsOf(getpid())) {
      if (!others.contains(pid)) descendants.insert(pid);
    }
    EXPECT_GE(descendants.size(), 2u);
  }
  EXPECT_TRUE(AllGone(descendants));
}

// Kills the owner of a worker during a task that would run for a minute.
TEST_F(Worker, EndsWhenItsOwnerIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    Result<TorchWorker> worker = TorchWorker::Start();
    if (!worker.ok() || write(ready[1], "1", 1) != 1) _exit(1);
    const std::string code = TaskWith("        while True: pass\n");
    WorkerLimits limits;
    limits.cpu_ms = limits.idle_ms = 60'000;
    (void)worker->Call(
        Json::Object{{"kind", "admit"}, {"code", code}, {"seed", 7}, {"limits", limits.ToJson()}});
    _exit(0);
  }
  char byte;
  close(ready[1]);
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  std::set<pid_t> descendants;
  while (descendants.size() < 4) descendants = DescendantsOf(owner);  // bwrap twice, zygote, task.
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(AllGone(descendants));
}

TEST_F(Worker, IsStartedAgainWhenItDies) {
  const std::string code = TaskWith("        return torch.tanh(x)\n");
  const std::string before = Admit(code).Dump();
  for (pid_t pid : DescendantsOf(getpid())) kill(pid, SIGKILL);
  EXPECT_EQ(Admit(code).Dump(), before);
}

// Signals the process of the next request as soon as it is there, once.
class SignalsOnce {
 public:
  explicit SignalsOnce(std::vector<int> signals)
      : before_(SettledDescendants()), thread_([this, signals = std::move(signals)] {
          for (int i = 0; i < 3000; ++i) {
            for (pid_t pid : DescendantsOf(getpid())) {
              if (before_.contains(pid)) continue;
              for (int signal : signals) {
                if (signal == SIGCONT) std::this_thread::sleep_for(std::chrono::seconds(4));
                kill(pid, signal);
              }
              return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
        }) {}
  ~SignalsOnce() { thread_.join(); }

 private:
  std::set<pid_t> before_;
  std::thread thread_;
};

std::string BusyTask() {
  return TaskWith(
      "        for i in range(3_000_000):\n            pass\n        return F.relu(x)\n");
}

// As the kernel does where memory runs out.
TEST_F(Worker, AKillFromOutsideIsNoLimitOfTheTask) {
  const std::string before = Admit(BusyTask()).Dump();
  const SignalsOnce killer({SIGKILL});
  EXPECT_EQ(Admit(BusyTask()).Dump(), before);
}

TEST_F(Worker, ATaskIsNotChargedForTheTimeInWhichItIsStopped) {
  WorkerLimits limits;
  limits.idle_ms = 2000;
  const SignalsOnce stopper({SIGSTOP, SIGCONT});
  EXPECT_EQ(End(Admit(BusyTask(), limits)), "ran");
}

// A request that is killed whenever it is asked again says nothing, and is no reply.
TEST_F(Worker, ARequestThatIsKilledAgainAndAgainHasNoReply) {
  std::atomic<bool> done = false;
  Result<TorchWorker> worker = TorchWorker::Start();
  ASSERT_TRUE(worker.ok()) << worker.status().message();
  std::thread killer([&] {
    while (!done) {
      // The processes of this request, which have its limit.
      for (pid_t pid : DescendantsOf(getpid())) {
        std::ifstream limits("/proc/" + std::to_string(pid) + "/limits");
        std::string text((std::istreambuf_iterator<char>(limits)), {});
        if (text.find("Max cpu time              20 ") != std::string::npos) kill(pid, SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const Result<Json> reply = worker->Call(Json::Object{{"kind", "admit"},
                                                       {"code", BusyTask()},
                                                       {"seed", 7},
                                                       {"limits", WorkerLimits().ToJson()}});
  done = true;
  killer.join();
  EXPECT_EQ(reply.status().code(), ErrorCode::kWorker);
  EXPECT_NE(reply.status().message().find("killed from outside"), std::string::npos)
      << reply.status().message();
}

TEST_F(Worker, DescribesTheSameOnEveryProcessor) {
  // randn() and sums over its results differ between these capabilities.
  const std::string code = TaskWith(
      "        y = F.layer_norm(F.gelu(x @ x.t()), (4,))\n"
      "        return F.conv1d(y[None], torch.ones(4, 4, 3)).softmax(-1)\n");
  std::set<std::string> annotations;
  for (const char* capability : {"default", "avx2"}) {
    Result<TorchWorker> worker = TorchWorker::Start({{{"ATEN_CPU_CAPABILITY", capability}}});
    ASSERT_TRUE(worker.ok()) << worker.status().message();
    const Result<Json> reply = worker->Call(Json::Object{
        {"kind", "admit"}, {"code", code}, {"seed", 7}, {"limits", WorkerLimits().ToJson()}});
    ASSERT_TRUE(reply.ok() && End(*reply) == "ran");
    annotations.insert(reply->Find("annotation")->Dump());
  }
  EXPECT_EQ(annotations.size(), 1u);
}

}  // namespace
}  // namespace kernelmill
