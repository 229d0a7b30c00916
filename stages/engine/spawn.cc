#include "stages/engine/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

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

}  // namespace kernelmill
