#include "stages/serve/access_token.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/digest.h"

namespace kernelmill {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::string_view kScheme = "bearer ";  // In any case of letters.

}  // namespace

Result<AccessToken> AccessToken::Read(const std::string& file) {
  AccessToken token;
  const std::string source = file.empty() ? "the variable " + std::string(kVariable) : file;
  if (file.empty()) {
    const char* const value = std::getenv(kVariable);
    if (value == nullptr) return token;
    token.token_ = value;
  } else {
    KM_ASSIGN(token.token_, ReadFile(file));
    while (token.token_.ends_with('\n') || token.token_.ends_with('\r')) token.token_.pop_back();
  }
  const auto fits = [](char c) { return c > ' ' && c <= '~'; };
  if (token.token_.size() < kShortest ||
      !std::all_of(token.token_.begin(), token.token_.end(), fits)) {
    return Status(ErrorCode::kUsage,
                  source + " holds no token: it must have " + std::to_string(kShortest) +
                      " characters or more, and no spaces, line breaks or letters beyond ASCII");
  }
  return token;
}

bool AccessToken::Matches(std::string_view authorization) const {
  const auto is_letter = [](char letter, char given) {
    return std::tolower(static_cast<unsigned char>(given)) == letter;
  };
  if (authorization.size() < kScheme.size() ||
      !std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), is_letter)) {
    return false;
  }
  // Digests have one length, and do not tell by their first bytes how much of a guess is right.
  const Digest named = DigestOf(authorization.substr(kScheme.size())), right = DigestOf(token_);
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.bytes.size(); ++i)
    difference |= named.bytes[i] ^ right.bytes[i];
  return difference == 0;
}

}  // namespace kernelmill
