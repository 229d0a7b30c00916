// The work on bytes that nobody vouches for: reading Git objects and parsing sources. It is the
// same code whether it runs in a child process (mining_child.h) or, in tests, in this one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpora/git/git_repository.h"
#include "manifests/digest.h"
#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/mine/arguments.h"

namespace kernelmill {

// A request is one JSON object with an "op"; see the functions below for the fields.
struct MiningReply {
  std::string reason;  // Of manifests/reason.h; "" when all is well.
  std::string detail;
  bool rejected = false;  // With a reason: rejected, else dropped.
  std::string body;       // What was asked for; of a rejection the original bytes.

  // Head and body as the two frames that travel between parent and child.
  std::string EncodeHead() const;
  static Result<MiningReply> Decode(std::string_view head, std::string body);
};

class MiningService {
 public:
  MiningReply Handle(std::string_view request);

  // Finds the commit that a revision names. Body: its 40 hexadecimal digits.
  static Json CommitRequest(const std::string& git_dir, const std::string& revision);
  // Lists the files of a commit that are worth reading. Body: {"entries": [{"path", "blob",
  // "size"}], "counters": {reason: count}}; every entry of the tree is in exactly one of the two.
  // Native sources are worth it where some are for a device.
  static Json WalkRequest(const std::string& git_dir, const std::string& commit,
                          std::int64_t most_entries, std::int64_t largest_file, bool kernels);
  // Reads and parses one blob. Body: a SourceFile, NativeFile or LicenceFile as JSON; with
  // `kernels`
  // {"module": SourceFile, "native": NativeFile} of a Python file that holds CUDA in its strings.
  static Json ReadRequest(const std::string& git_dir, const std::string& blob,
                          const std::string& path, bool kernels);
  // GuessArguments() on a slice, after it is redacted; rejects what RefuseText() does. Body: an
  // ArgumentGuess as JSON.
  static Json ArgumentsRequest(const std::string& code,
                               const std::vector<const PythonCall*>& calls);
  static Result<ArgumentGuess> DecodeGuess(std::string_view body);
  // Redacts a Python text; rejects what RefuseText() does. Body: the text.
  static Json TextRequest(const std::string& code);
  // Rows that explain a kernel. Body: an array of TrainingRecords, empty when there is nothing that
  // its syntax tree proves.
  static Json ExplainRequest(const Digest& id, const Json& kernel, std::int64_t seed);

 private:
  MiningReply Dispatch(const Json& request);
  MiningReply Commit(const Json& request);
  MiningReply Walk(const Json& request);
  MiningReply Read(const Json& request);
  MiningReply Arguments(const Json& request);
  MiningReply Text(const Json& request);
  MiningReply Explain(const Json& request);
  Result<GitRepository*> Repository(const std::string& git_dir);

  std::string git_dir_;
  std::optional<GitRepository> repository_;
};

}  // namespace kernelmill
