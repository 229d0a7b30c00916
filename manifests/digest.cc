#include "manifests/digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <vector>

namespace kernelmill {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Digest::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(64);
  for (std::uint8_t byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

Result<Digest> Digest::FromHex(std::string_view hex) {
  Digest digest;
  if (hex.size() != 64) {
    return Status(ErrorCode::kCorrupt, "a digest has 64 hexadecimal digits, not " +
                                           std::to_string(hex.size()));
  }
  for (std::size_t i = 0; i < 32; ++i) {
    const int high = HexValue(hex[2 * i]), low = HexValue(hex[2 * i + 1]);
    if (high < 0 || low < 0) {
      return Status(ErrorCode::kCorrupt, "'" + std::string(hex) + "' is not a SHA-256 digest");
    }
    digest.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

std::uint64_t Digest::Prefix64() const {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::Update(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  return *this;
}

Sha256& Sha256::Field(std::string_view bytes) {
  char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(bytes.size() >> (56 - 8 * i));
  return Update({length, 8}).Update(bytes);
}

Digest Sha256::Finish() {
  Digest digest;
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), digest.bytes.data(), &size);
  return digest;
}

Digest DigestOf(std::string_view bytes) { return Sha256().Update(bytes).Finish(); }

Result<Digest> DigestOfFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::FromErrno("cannot open", path);
  Sha256 hash;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Status status = Status::FromErrno("cannot read", path);
      close(fd);
      return status;
    }
    if (n == 0) break;
    hash.Update({buffer.data(), static_cast<std::size_t>(n)});
  }
  close(fd);
  return hash.Finish();
}

}  // namespace kernelmill
