#include "manifests/git_id.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace kernelmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string GitBlobId(std::string_view bytes) {
  const std::string head = "blob " + std::to_string(bytes.size()) + '\0';
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  std::array<std::uint8_t, 20> id{};
  EVP_DigestInit_ex(context, EVP_sha1(), nullptr);
  EVP_DigestUpdate(context, head.data(), head.size());
  EVP_DigestUpdate(context, bytes.data(), bytes.size());
  EVP_DigestFinal_ex(context, id.data(), nullptr);
  EVP_MD_CTX_free(context);
  std::string hex;
  for (std::uint8_t byte : id) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

bool IsGitId(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace kernelmill
