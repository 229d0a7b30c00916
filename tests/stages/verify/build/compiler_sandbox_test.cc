// Real compilers in the sandbox, which end by their sources, by our limits, and by another program.
#include "stages/verify/build/compiler_sandbox.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// Takes the optimizer more than a minute.
constexpr char kSlow[] =
    "#define A x = x * y + 1.5f; y = y * x - 0.5f; if (x > y) { y += 1.0f; }\n"
    "#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n"
    "void slow(float* p) { float x = p[0], y = p[1]; D D D D D D D D p[2] = x + y; }\n";
constexpr char kShort[] = "int one() { return 1; }\n";

class CompilerSandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "kernelmill-compile-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<CompilerRun> Compile(const std::string& source, int cpu_seconds) {
    EXPECT_TRUE(ReplaceFile(folder_ / "a.cpp", source).ok());
    return CompilerSandbox({}, folder_, cpu_seconds)
        .Run({CompilerSandbox::kCompiler, "-O2", "-w", "-fPIC", "-shared", "-fuse-ld=lld", "a.cpp",
              "-o", "a.so"});
  }

  fs::path folder_;
};

// The parents of all processes.
std::map<pid_t, pid_t> Parents() {
  std::map<pid_t, pid_t> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("PPid:")) parents[std::stoi(name)] = std::stoi(line.substr(5));
    }
  }
  return parents;
}

// A descendant of this process with this name; 0 if there is none.
pid_t FindBelow(const std::string& name) {
  std::map<pid_t, pid_t> parents = Parents();
  for (const auto& [pid, unused] : parents) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string comm;
    if (!std::getline(file, comm) || comm != name) continue;
    pid_t at = pid;
    while (at > 1 && at != getpid()) at = parents[at];
    if (at == getpid() && pid != getpid()) return pid;
  }
  return 0;
}

// Kills descendants of this process with a name, up to `times` times.
class Killer {
 public:
  Killer(std::string name, int times)
      : thread_([this, name = std::move(name), times] {
          for (int killed = 0; killed < times && !done_;) {
            if (const pid_t pid = FindBelow(name); pid > 0) {
              kill(pid, SIGKILL);
              ++killed;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
        }) {}
  ~Killer() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

TEST_F(CompilerSandboxTest, SourcesDecide) {
  const Result<CompilerRun> right = Compile(kShort, 60);
  ASSERT_TRUE(right.ok()) << right.status().message();
  EXPECT_EQ(right->exit_status, 0) << right->output;
  // Neither message makes a compiler one that was killed.
  for (const char* words : {"unable to execute command: Killed", "bwrap: no"}) {
    const Result<CompilerRun> wrong =
        Compile("#line 1 \"clang: error: " + std::string(words) + "\"\n#error " + words + "\n", 60);
    ASSERT_TRUE(wrong.ok()) << wrong.status().message();
    EXPECT_NE(wrong->exit_status, 0);
    EXPECT_FALSE(wrong->hit_limit);
  }
}

TEST_F(CompilerSandboxTest, TheLimitOnProcessorTimeIsOurs) {
  const Result<CompilerRun> run = Compile(kSlow, 1);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_NE(run->exit_status, 0);
  EXPECT_TRUE(run->hit_limit) << run->output;
}

TEST_F(CompilerSandboxTest, AKilledCompilerRunsAgain) {
  for (const char* name : {"bwrap", "clang++-19", "clang", "ld.lld"}) {
    const Killer killer(name, 1);
    const Result<CompilerRun> run = Compile(kShort, 60);
    ASSERT_TRUE(run.ok()) << name << ": " << run.status().message();
    EXPECT_EQ(run->exit_status, 0) << name << ": " << run->output;
  }
}

TEST_F(CompilerSandboxTest, OneThatIsKilledAgainAndAgainSaysNothingOfItsSource) {
  const Killer killer("clang", 100);
  const Result<CompilerRun> run = Compile(kSlow, 60);
  EXPECT_EQ(run.status().code(), ErrorCode::kWorker);
  EXPECT_NE(run.status().message().find("Killed"), std::string::npos) << run.status().message();
}

TEST_F(CompilerSandboxTest, ALowerLimitOfTheMachineIsNamed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit low{rlim_t{2} << 30, rlim_t{2} << 30};
    setrlimit(RLIMIT_AS, &low);
    const Result<CompilerRun> run = Compile(kShort, 60);
    _exit(run.status().code() == ErrorCode::kWorker &&
                  run.status().message().find("ulimit -v") != std::string::npos
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace kernelmill
