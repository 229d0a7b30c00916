#include "stages/untrusted/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "stages/untrusted/sanitizers.h"
#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

constexpr int kNotConfined = 254;
constexpr uid_t kNobody = 65534;

// The result of an attempt: its errno, 0 for success, or the signal that ended the process.
struct End {
  int error = -1;
  int signal = 0;
};

class Confinement : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "builds with sanitizers are not confined";
    if (GetParam() && geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    chmod(git_.folder().c_str(), 0755);
    git_.Write("inside.txt", "inside");
    outside_.Write("outside.txt", "outside");
    chmod(outside_.folder().c_str(), 0755);
  }

  // Makes the attempt in a confined process, as this user or, with the parameter, as nobody.
  End Try(const std::function<bool()>& attempt) {
    const pid_t child = fork();
    if (child == 0) {
      if (GetParam() && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(kNotConfined);
      if (!ConfineProcess(git_.folder().string()).ok()) _exit(kNotConfined);
      errno = 0;
      _exit(attempt() ? 0 : errno);
    }
    int state = 0;
    waitpid(child, &state, 0);
    if (WIFSIGNALED(state)) return {-1, WTERMSIG(state)};
    EXPECT_NE(WEXITSTATUS(state), kNotConfined);
    return {WEXITSTATUS(state), 0};
  }
  End TryCall(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
    return Try([&] { return syscall(number, a, b, c, d) >= 0; });
  }
  End TryOpen(const std::filesystem::path& path, int flags) {
    return Try([&] { return open(path.c_str(), flags, 0600) >= 0; });
  }

  GitFixture git_, outside_;
};

INSTANTIATE_TEST_SUITE_P(Users, Confinement, testing::Bool(),
                         [](const auto& info) { return info.param ? "Nobody" : "Caller"; });

TEST_P(Confinement, ReadsItsFolder) {
  EXPECT_EQ(TryOpen(git_.folder() / "inside.txt", O_RDONLY).error, 0);
  EXPECT_EQ(TryOpen(git_.folder(), O_RDONLY | O_DIRECTORY).error, 0);
}

TEST_P(Confinement, ReadsNoOtherFile) {
  if (LandlockVersion() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  std::filesystem::create_symlink(outside_.folder() / "outside.txt", git_.folder() / "link");
  for (const std::filesystem::path& path :
       {outside_.folder() / "outside.txt", git_.folder() / "link", outside_.folder(),
        std::filesystem::path("/etc/passwd"), std::filesystem::path("/proc/self/environ")}) {
    EXPECT_EQ(TryOpen(path, O_RDONLY).error, EACCES) << path;
  }
}

TEST_P(Confinement, WritesNoFile) {
  const std::filesystem::path file = git_.folder() / "inside.txt";
  chmod(file.c_str(), 0666);
  chmod(git_.folder().c_str(), 0777);
  for (int flags :
       {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT, O_WRONLY | O_APPEND}) {
    EXPECT_EQ(TryOpen(file, flags).error, EPERM) << flags;
  }
  EXPECT_EQ(TryOpen(git_.folder(), O_TMPFILE | O_RDWR).error, EPERM);
  const char* path = file.c_str();
  const std::string other = (git_.folder() / "other").string();
  EXPECT_EQ(Try([&] { return unlink(path) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return rename(path, other.c_str()) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return link(path, other.c_str()) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return symlink(path, other.c_str()) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return mkdir(other.c_str(), 0700) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return truncate(path, 0) == 0; }).error, EPERM);
  EXPECT_EQ(Try([&] { return chmod(path, 0600) == 0; }).error, EPERM);
}

TEST_P(Confinement, ReachesNobody) {
  EXPECT_EQ(Try([] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }).error, EPERM);
  EXPECT_EQ(Try([] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }).error, EPERM);
  EXPECT_EQ(TryCall(__NR_connect, 0).error, EPERM);
  EXPECT_EQ(TryCall(__NR_bind, 0).error, EPERM);
  EXPECT_EQ(TryCall(__NR_sendmsg, 0).error, EPERM);
  EXPECT_EQ(Try([] { return kill(getppid(), 0) == 0; }).error, EPERM);
  EXPECT_EQ(TryCall(__NR_tkill, getpid(), 0).error, EPERM);
  EXPECT_EQ(TryCall(__NR_tgkill, getpid(), getpid(), 0).error, EPERM);  // The parent's.
  EXPECT_EQ(Try([] { return syscall(__NR_tgkill, getpid(), getpid(), 0) == 0; }).error, 0);
}

TEST_P(Confinement, MakesNoProcessAndNoCode) {
  EXPECT_EQ(Try([] { return fork() >= 0; }).error, EPERM);
  const auto map = [](int protection) {
    return mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  };
  EXPECT_EQ(Try([&] { return map(PROT_READ | PROT_WRITE); }).error, 0);
  EXPECT_EQ(Try([&] { return map(PROT_READ | PROT_EXEC); }).error, EPERM);
  for (long number : {__NR_execve, __NR_execveat, __NR_ptrace, __NR_process_vm_writev, __NR_mount,
                      __NR_unshare, __NR_setns, __NR_bpf, __NR_io_uring_setup}) {
    EXPECT_EQ(TryCall(number).signal, SIGSYS) << number;
  }
}

TEST_P(Confinement, KeepsItsLimits) {
  const auto raise = [](int which, rlim_t value) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource>(which), &limit);
    limit.rlim_cur = value;
    return setrlimit(static_cast<__rlimit_resource>(which), &limit) == 0;
  };
  EXPECT_EQ(Try([&] { return raise(RLIMIT_CPU, 60); }).error, 0);
  EXPECT_EQ(Try([&] { return raise(RLIMIT_CORE, 0); }).error, EPERM);
  EXPECT_EQ(Try([&] { return raise(RLIMIT_AS, RLIM_INFINITY); }).error, EPERM);
  EXPECT_EQ(Try([&] { return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0; }).error, EPERM);
}

}  // namespace
}  // namespace kernelmill
