// Ed25519 keys in PEM files of the user: a private key signs the provenance of a dataset, and its
// public key checks the signature (dsse_envelope.h). Equal bytes have equal signatures.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

struct evp_pkey_st;

namespace kernelmill {

class SigningKey {
 public:
  // The key in the PEM file at `path`. kUsage, with the file and what to do, when it holds no key,
  // a key of another algorithm, an encrypted key, or the other half of a pair.
  static Result<SigningKey> ReadPrivate(const std::string& path);
  static Result<SigningKey> ReadPublic(const std::string& path);

  // SHA-256 of the public key as a DER SubjectPublicKeyInfo, in hex; both halves of a pair have
  // one.
  std::string Id() const;
  // The 64 bytes of the signature. Only for a private key.
  Result<std::string> Sign(std::string_view bytes) const;
  bool Verifies(std::string_view bytes, std::string_view signature) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  explicit SigningKey(evp_pkey_st* key) : key_(key) {}
  // Reads either half: `secret` says which.
  static Result<SigningKey> Read(const std::string& path, bool secret);

  std::unique_ptr<evp_pkey_st, Free> key_;
};

}  // namespace kernelmill
