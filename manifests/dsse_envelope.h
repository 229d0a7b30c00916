// A signed payload in an envelope of DSSE (Dead Simple Signing Envelope, version 1.0.2): JSON with
// the payload and its signatures in base64. Signatures cover the payload's type too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/signing_key.h"

namespace kernelmill {

struct DsseEnvelope {
  struct Signature {
    std::string key_id;  // SigningKey::Id(), if kernelmill has signed; may be empty.
    std::string bytes;
  };

  std::string payload_type;
  std::string payload;
  std::vector<Signature> signatures;

  // What signatures are of: the pre-authentication encoding of type and payload.
  std::string SignedBytes() const;
  // Adds a signature.
  Status Sign(const SigningKey& key);
  // Whether one of the signatures is of `key`, whatever its key_id says.
  bool IsSignedBy(const SigningKey& key) const;

  std::string Encode() const;
  // kCorrupt, with what is wrong, unless `text` is an envelope with a signature. Members that the
  // standard does not name are allowed, as it says.
  static Result<DsseEnvelope> Decode(std::string_view text);
};

}  // namespace kernelmill
