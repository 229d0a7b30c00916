// A reject: an input, or a row of one, that a step has refused, with its bytes and one reason. The
// engine stores encoded rejects between steps (stages/engine/partition_writer.h); the recipes read
// them to publish the quarantine (corpora/quarantine.h) and to list them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/origin.h"
#include "manifests/status.h"

namespace kernelmill {

struct Reject {
  std::string step;    // Step::Name().
  std::string reason;  // A name from manifests/reason.h.
  std::string detail;  // One line for the user.
  // The SHA-256, in hex, of the key of the input in the step's plan or of the rejected row.
  std::string key;
  std::vector<Origin> origins;  // Where the input came from, as far as that is known.
  // The rejected bytes; the body of the input if the step names none. Credentials and personal data
  // in the text of a repository are masked (stages/publishable/redaction.h).
  std::string original;

  // Encodes the reject as a value of a shard between steps. Text fields that are not UTF-8 (for
  // example a path that was rejected for that) are decoded with "\xHH" in place of the bytes above
  // 0x7f.
  std::string Encode() const;
  static Result<Reject> Decode(std::string_view bytes);

  // The same as JSON, with the digest of `original` in place of the bytes.
  std::string EncodeHeader(const Digest& digest) const;
  static Result<Reject> DecodeHeader(std::string_view header, Digest* original);

  friend bool operator==(const Reject&, const Reject&) = default;
};

// The error for bytes that do not have the digest of the reject's header.
Status DamagedOriginal(const Digest& original);

}  // namespace kernelmill
