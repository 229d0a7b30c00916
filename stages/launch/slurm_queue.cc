#include "stages/launch/slurm_queue.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "stages/engine/spawn.h"

namespace kernelmill {
namespace {

struct CommandEnd {
  std::string output;
  std::string errors;
  bool ok = false;
};

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    if (ends_[0] >= 0) close(ends_[0]);
    CloseWriting();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void CloseWriting() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::vector<std::string> Environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

// Runs a command of Slurm, with `input` as its standard input. An interrupt does not end it: it is
// short, and a job that was submitted must become known.
Result<CommandEnd> RunCommand(const std::vector<std::string>& command, const std::string& input) {
  Pipe output, errors, given;
  if (output.reading() < 0 || errors.reading() < 0 || given.reading() < 0) {
    return Status::FromErrno("cannot make a pipe", "for " + command[0]);
  }
  const Result<pid_t> child = SpawnApart(
      command, {.input = given.reading(), .output = output.writing(), .errors = errors.writing()},
      Environment());
  if (!child.ok()) {
    return Status(ErrorCode::kEnvironment,
                  command[0] +
                      " cannot be started: run this on a machine from which jobs are "
                      "submitted to Slurm (" +
                      child.status().message() + ")");
  }
  output.CloseWriting();
  errors.CloseWriting();
  fcntl(given.writing(), F_SETFL, O_NONBLOCK);
  CommandEnd end;
  std::string_view left = input;
  if (left.empty()) given.CloseWriting();
  pollfd entries[] = {
      {output.reading(), POLLIN, 0}, {errors.reading(), POLLIN, 0}, {given.writing(), POLLOUT, 0}};
  std::string* const texts[] = {&end.output, &end.errors};
  while (entries[0].fd >= 0 || entries[1].fd >= 0) {
    if (poll(entries, 3, -1) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i) {
      if (entries[i].fd < 0 || entries[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(entries[i].fd, buffer, sizeof buffer);
      if (count > 0) texts[i]->append(buffer, static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) entries[i].fd = -1;
    }
    if (entries[2].fd < 0 || entries[2].revents == 0) continue;
    const ssize_t count = write(entries[2].fd, left.data(), left.size());
    if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
    if (left.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) {
      given.CloseWriting();
      entries[2].fd = -1;
    }
  }
  const int status = WaitForEnd(*child);
  end.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return end;
}

Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const std::string& input = "") {
  KM_ASSIGN(CommandEnd end, RunCommand(command, input));
  if (end.ok) return std::move(end.output);
  while (!end.errors.empty() && end.errors.back() == '\n') end.errors.pop_back();
  return Status(ErrorCode::kUnreachable, "Slurm: " + command[0] + " failed: " + end.errors);
}

}  // namespace

Result<std::int64_t> MaxArraySize() {
  KM_ASSIGN(const std::string text, OutputOf({"scontrol", "show", "config"}));
  const std::size_t at = text.find("MaxArraySize");
  const std::size_t equals = text.find('=', std::min(at, text.size()));
  const std::int64_t size = equals == std::string::npos ? 0 : std::atoll(text.c_str() + equals + 1);
  if (size > 1) return size;
  return Status(ErrorCode::kUnreachable, "Slurm: this cluster allows no array jobs (MaxArraySize)");
}

Result<std::string> SubmitJob(const std::string& script) {
  KM_ASSIGN(std::string text, OutputOf({"sbatch", "--parsable"}, script));
  // "JOB" or "JOB;CLUSTER".
  text.resize(std::min(text.find_first_not_of("0123456789"), text.size()));
  if (!text.empty()) return text;
  return Status(ErrorCode::kUnreachable, "Slurm: sbatch printed no number of a job");
}

Result<std::int64_t> CountTasks(const std::string& job_name) {
  KM_ASSIGN(const std::string text, OutputOf({"squeue", "--noheader", "--array", "--me",
                                              "--name=" + job_name, "--format=%i"}));
  return static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n'));
}

Status CancelJobs(const std::string& job_name) {
  return OutputOf({"scancel", "--me", "--name=" + job_name}).status();
}

}  // namespace kernelmill
