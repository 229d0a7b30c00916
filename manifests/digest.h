// SHA-256, the hash by which kernelmill identifies content, records, files and plans: a Digest is
// one hash, Sha256 computes it in pieces, and DigestOf() and DigestOfFile() compute it at once.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

struct evp_md_ctx_st;

namespace kernelmill {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lower-case hexadecimal digits.
  std::string Hex() const;
  static Result<Digest> FromHex(std::string_view hex);
  // The 32 raw bytes, for example as the key of a store. They sort as Hex() does.
  std::string_view AsKey() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // The first eight bytes as a big-endian number: a uniformly distributed 64-bit hash.
  std::uint64_t Prefix64() const;

  friend auto operator<=>(const Digest&, const Digest&) = default;
};

// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& Update(std::string_view bytes);
  // Appends the length as 8 big-endian bytes and then the bytes, so that the same bytes split into
  // other fields have another hash.
  Sha256& Field(std::string_view bytes);
  Digest Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Digest DigestOf(std::string_view bytes);
// Streams the file, so that memory use does not depend on its size.
Result<Digest> DigestOfFile(const std::string& path);

}  // namespace kernelmill
