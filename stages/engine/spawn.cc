#include "stages/engine/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

namespace kernelmill {
namespace {

void AddStream(posix_spawn_file_actions_t* actions, int descriptor, int as, int mode) {
  if (descriptor < 0) {
    posix_spawn_file_actions_addopen(actions, as, "/dev/null", mode, 0);
  } else {
    posix_spawn_file_actions_adddup2(actions, descriptor, as);
  }
}

// The array of pointers that exec(3) takes. It is valid as long as `words`.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<pid_t> SpawnApart(const std::vector<std::string>& command, const ChildStreams& streams,
                         const std::vector<std::string>& environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  AddStream(&actions, streams.input, 0, O_RDONLY);
  AddStream(&actions, streams.output, 1, O_WRONLY);
  AddStream(&actions, streams.errors, 2, O_WRONLY);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error = posix_spawnp(&child, command[0].c_str(), &actions, &attributes,
                                 Pointers(command).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return Status::FromErrno("start", command[0]);
  }
  return child;
}

int WaitForEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool ComesFromOutside(int signal) {
  // What a process does to itself: faults, abort(), refused system calls, and limits that have a
  // signal of their own.
  static constexpr int kOwn[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGTRAP,
                                 SIGABRT, SIGPIPE, SIGSYS, SIGXCPU, SIGXFSZ};
  return std::find(std::begin(kOwn), std::end(kOwn), signal) == std::end(kOwn);
}

bool WasKilled(int status) { return WIFSIGNALED(status) && ComesFromOutside(WTERMSIG(status)); }

std::chrono::milliseconds ProcessorTimeBelow(pid_t process) {
  std::map<pid_t, std::pair<pid_t, long>> known;  // Parent and ticks.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    // The name of the program, in parentheses, may hold anything.
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string unused;
    pid_t parent = 0;
    fields >> unused >> parent;
    for (int i = 0; i < 9; ++i) fields >> unused;
    long ticks = 0, used = 0;
    for (int i = 0; i < 4 && fields >> used; ++i) ticks += used;  // Its own and its children's.
    if (fields) known[std::atoi(entry.path().filename().c_str())] = {parent, ticks};
  }
  long ticks = 0;
  for (const auto& [pid, entry] : known) {
    pid_t at = pid;
    while (at != process && known.contains(at)) at = known[at].first;
    if (at == process) ticks += entry.second;
  }
  return std::chrono::milliseconds(ticks * 1000 / sysconf(_SC_CLK_TCK));
}

}  // namespace kernelmill
