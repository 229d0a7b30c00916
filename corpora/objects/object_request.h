// One request to an object store that speaks S3, and what its reply says. Objects are written once:
// a request creates an object only if there is none of this name (If-None-Match: *), so the first
// writer wins, as with files (manifests/commit_file.h). stages/engine/object_store.h sends requests
// and repeats those that fail in passing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/endpoint/http_client.h"
#include "corpora/objects/object_access.h"
#include "corpora/objects/object_address.h"
#include "manifests/digest.h"

namespace kernelmill {

// S3's limit for an object that is sent in one request: 5 GiB.
inline constexpr std::int64_t kMostObjectBytes = std::int64_t{5} << 30;

struct ObjectRequest {
  enum class Kind {
    kRead,    // The bytes of the object.
    kLook,    // What the store tells of it: its size, and its SHA-256 if it knows it.
    kCreate,  // Makes it, unless there is one.
    kList,    // A page of the names below `address` (object_listing.h).
  };

  Kind kind = Kind::kRead;
  ObjectAddress address;
  // Of kCreate: the bytes, or the file that holds them, and their SHA-256, which the store
  // compares.
  std::string bytes, file;
  Digest sha256;
  std::string page;  // Of kList: where the page before ended; empty for the first one.
};

// The transfer of the request, without `id` and `read`.
HttpTransfer TransferOf(const ObjectAccess& access, const ObjectRequest& request);

enum class ObjectOutcome {
  kDone,
  kAbsent,    // There is no object of this name.
  kExists,    // kCreate has found one.
  kTryAgain,  // The same request can succeed later.
  kRefused,   // It cannot: `refusal` says why, and what to do.
};

struct ObjectAnswer {
  ObjectOutcome outcome = ObjectOutcome::kTryAgain;
  std::string problem;  // Of kTryAgain: a clause.
  Status refusal;
};

// `beginning`: the first bytes of the reply's body, which are XML if the store has an error to
// tell.
ObjectAnswer JudgeReply(const ObjectRequest& request, const HttpReply& reply,
                        std::string_view beginning);

// The SHA-256 that the reply to kLook tells. The store has computed or compared it when the object
// was made.
std::optional<Digest> ToldDigest(const HttpReply& reply);

// The text of the first element of this name in an XML document; "" without one.
std::string_view ElementText(std::string_view xml, std::string_view name);

}  // namespace kernelmill
