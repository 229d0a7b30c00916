// Operations on untrusted input: anybody may have written the Git objects, sources and texts that
// they read, so they run in a confined child process (untrusted_child.h). Each step
// defines the operations that it needs, and the phase "fetch" defines one;
// stages/recipes/untrusted_operations.h lists them all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/untrusted/open_repository.h"

namespace kernelmill {

// The result of one operation.
struct UntrustedReply {
  // The reason of a reply that says nothing about the input, because the machine did not let the
  // child read it. It never leaves UntrustedChild.
  static constexpr std::string_view kNotRead = "not_read";

  std::string reason;  // A name from manifests/reason.h; "" when the operation succeeded.
  std::string detail;
  bool rejected = false;  // With a reason: the input is rejected; otherwise it is dropped.
  std::string body;       // The result; with a rejection, the original bytes.

  static UntrustedReply Keep(std::string body) { return {"", "", false, std::move(body)}; }
  static UntrustedReply Drop(std::string reason) { return {std::move(reason), "", false, ""}; }
  static UntrustedReply Reject(std::string reason, std::string detail, std::string original) {
    return {std::move(reason), std::move(detail), true, std::move(original)};
  }

  // The reply without its body. Head and body travel as two frames from the child to its parent.
  std::string EncodeHead() const;
  static Result<UntrustedReply> Decode(std::string_view head, std::string body);
};

struct UntrustedOperation {
  std::string_view name;  // The request's "op".
  // `request` comes from our own process and is well formed; only what it refers to is untrusted.
  UntrustedReply (*handle)(const Json& request, OpenRepository& repository);
};

// Runs `operation`. Removes the request's "git_dir" from the reply's detail: details enter
// datasets, which name no folder of this machine.
UntrustedReply RunOperation(const UntrustedOperation& operation, const Json& request,
                            OpenRepository& repository);

// Parses a request and runs the operation that it names. Rejects as `parser_crashed` a request that
// is malformed or names none of `operations`.
UntrustedReply HandleRequest(std::span<const UntrustedOperation> operations,
                             std::string_view request, OpenRepository& repository);

// The reason for a Git object that could not be read: missing_object or corrupt_object;
// UntrustedReply::kNotRead if the machine is to blame.
std::string ReasonOf(const Status& unreadable);
// The same for a repository that could not be opened: bad_repository or UntrustedReply::kNotRead.
std::string ReasonNotOpened(const Status& unreadable);

}  // namespace kernelmill
