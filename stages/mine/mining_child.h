// A child process that works on untrusted bytes, so that bytes which break a parser end a child and
// not the run.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "manifests/json.h"
#include "stages/fetch/source.h"
#include "stages/mine/mining_service.h"

namespace kernelmill {

// The main function of the child: confines itself (confinement.h) to the folder that its parent
// names, then serves requests on standard input, a socket, until it closes.
int RunMiningChild();

// One child, or none: not thread-safe, one object a lane. A child reads one repository; for the
// next one it is replaced, so that a repository which takes it over learns and changes nothing of
// another.
class MiningChild {
 public:
  // `program` is run with the one argument "mine-child". An empty one serves in this process.
  explicit MiningChild(std::string program = "/proc/self/exe");
  ~MiningChild();
  MiningChild(const MiningChild&) = delete;
  MiningChild& operator=(const MiningChild&) = delete;

  // A child that dies is replaced and asked once more; when the second dies too, the reply is the
  // rejection `parser_crashed`. A Status is a fault of ours: no child can be started, or kSandbox;
  // or kInterrupted, at once, when the run is asked to stop.
  Result<MiningReply> Ask(const Json& request);

 private:
  Status Start(const std::string& folder);
  Status Spawn();
  void Stop();

  const std::string program_;
  MiningService service_;  // For the empty program.
  pid_t child_ = 0;
  int socket_ = -1;     // Both ways; the standard input of the child.
  std::string folder_;  // That the child may read.
};

// Reads commits in `child`, which must outlive the reader.
CommitReader ReadCommitsIn(MiningChild& child);

}  // namespace kernelmill
