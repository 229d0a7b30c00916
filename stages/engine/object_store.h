// An object store that speaks S3, as the environment names it (corpora/objects/object_access.h).
// Requests that fail in passing are sent again, after waits that double and not before the server's
// Retry-After: no connection, a broken transfer, 5xx, 429, 409. One that fails too often is
// kUnreachable, so that the command ends with exit code 75 and succeeds later.
//
// Objects are created and never replaced or removed. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/endpoint/http_client.h"
#include "corpora/objects/object_access.h"
#include "corpora/objects/object_address.h"
#include "corpora/objects/object_listing.h"
#include "corpora/objects/object_request.h"
#include "manifests/digest.h"
#include "manifests/status.h"

namespace kernelmill {

struct ObjectPatience {
  int tries = 8;  // Of one request: about half a minute of waits.
  std::chrono::milliseconds first_wait{250};
  // A transfer in which no byte moves for so long is a failed one.
  std::chrono::seconds silence{60};
};

// Takes the bytes of an object, for callers that do not want all of them in memory.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // The bytes come from the beginning now, also after a transfer that has failed.
  virtual Status Begin() = 0;
  // An error ends the transfer and is that of Read().
  virtual Status Take(std::string_view bytes) = 0;
};

class ObjectStore {
 public:
  // Sends nothing yet. kUsage if the environment names no store.
  static Result<std::unique_ptr<const ObjectStore>> Open(const ObjectPatience& patience = {});

  // Makes an object of these bytes, or of a file whose SHA-256 is `sha256`. False if there is one
  // of this name, whatever it holds. When a connection ends before the reply, it may be this
  // object.
  Result<bool> Create(const ObjectAddress& address, std::string bytes) const;
  Result<bool> CreateOfFile(const ObjectAddress& address, const std::string& file,
                            const Digest& sha256) const;

  // False if there is none.
  Result<bool> Read(const ObjectAddress& address, ObjectSink* sink) const;
  // The bytes, in memory. kCorrupt if there are more than `most`.
  Result<std::optional<std::string>> Read(const ObjectAddress& address, std::size_t most) const;

  // What the store tells of an object without its bytes; nothing if there is none.
  struct Facts {
    std::int64_t size = -1;        // -1 if it does not tell.
    std::optional<Digest> sha256;  // Which the store has compared with the bytes itself.
  };
  Result<std::optional<Facts>> Look(const ObjectAddress& address) const;

  // The objects below `address`, by their names below it, sorted.
  Result<std::vector<ListedObject>> List(const ObjectAddress& address) const;

 private:
  struct Reply {
    ObjectOutcome outcome = ObjectOutcome::kDone;
    HttpReply reply;
  };
  ObjectStore(ObjectAccess access, const ObjectPatience& patience)
      : access_(std::move(access)), patience_(patience) {}

  Result<Reply> Perform(const ObjectRequest& request, ObjectSink* sink) const;
  Result<HttpReply> SendOnce(const ObjectRequest& request, ObjectSink* sink,
                             std::string* beginning) const;
  Result<HttpClient> TakeClient() const;

  const ObjectAccess access_;
  const ObjectPatience patience_;
  mutable std::mutex mutex_;
  mutable std::vector<HttpClient> idle_;  // With their open connections.
};

}  // namespace kernelmill
