// A confined child process of this program that works on untrusted input: input that crashes a
// parser, or takes it over, ends the child and not the run. Five steps own one per lane
// (untrusted_lane.h), and ResolveSources() and the dry run own one too; all Ask() it. main runs the
// child itself with RunUntrustedChild().
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/untrusted/untrusted_operation.h"

namespace kernelmill {

// The hidden command of this program that runs the child.
inline constexpr char kUntrustedChildCommand[] = "untrusted-child";

// The main function of the child: confines itself (confinement.h) to the folder that its parent
// names, then answers requests on standard input, a socket, until it closes. Returns the exit code.
int RunUntrustedChild(std::span<const UntrustedOperation> operations);

// Owns at most one child process, which the first request starts. Not thread-safe: each lane has
// its own. A child reads one repository; for the next one it is replaced, so that a repository
// which takes over its child can neither read nor change anything of another.
class UntrustedChild {
 public:
  // `program` is started with the argument kUntrustedChildCommand. An empty one runs operations in
  // this process, for tests.
  explicit UntrustedChild(std::string program = "/proc/self/exe");
  ~UntrustedChild();  // Kills the child.
  UntrustedChild(const UntrustedChild&) = delete;
  UntrustedChild& operator=(const UntrustedChild&) = delete;

  // Runs `operation` on `request`, whose "git_dir" is the only folder that the child can read;
  // without it the child reads no file. Waits for the reply. A child that the input crashes is
  // replaced and asked again; when the second crashes too, the reply is the rejection
  // `parser_crashed`. A request may use 60 s of processor time and the child 4 GiB of addresses.
  // Errors: kWorker when no child can be started, or when children end again and again for other
  // reasons; kSandbox when a child cannot confine itself, kInterrupted when the run is asked to
  // stop.
  Result<UntrustedReply> Ask(const UntrustedOperation& operation, Json::Object request);

 private:
  Status Start(const std::string& folder);
  Status Spawn();
  void Stop();
  // Waits for the end of a child that has closed its socket. False if another program or a shortage
  // ended it, and not what it worked on or a limit of ours.
  bool AwaitEnd();

  const std::string program_;
  OpenRepository repository_;  // Used if `program_` is empty.
  pid_t child_ = 0;            // 0 when there is none.
  int socket_ = -1;            // The child's standard input, used in both directions.
  std::string folder_;         // The folder that the child can read.
};

}  // namespace kernelmill
