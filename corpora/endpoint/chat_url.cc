#include "corpora/endpoint/chat_url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr char kChatPath[] = "/chat/completions";

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using ParsedUrl = std::unique_ptr<CURLU, UrlCleanup>;

// A part of the address; "" when it has none.
std::string PartOf(const ParsedUrl& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

bool IsThisMachine(const std::string& host) {
  const bool digits = std::all_of(host.begin(), host.end(),
                                  [](char letter) { return IsDigit(letter) || letter == '.'; });
  return host == "localhost" || host == "[::1]" || (digits && host.starts_with("127."));
}

}  // namespace

Result<ChatUrl> ChatUrl::Of(const std::string& endpoint) {
  const auto refuse = [&](const std::string& what) {
    return Status(ErrorCode::kUsage,
                  "the endpoint " + what + "; write it as https://HOST/v1 or http://HOST:PORT/v1");
  };
  if (!endpoint.starts_with("http://") && !endpoint.starts_with("https://")) {
    return refuse("must begin with http:// or https://");
  }
  const ParsedUrl parsed(curl_url());
  if (parsed == nullptr) return Status(ErrorCode::kWorker, "libcurl has no memory left");
  if (const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, endpoint.c_str(), 0);
      code != CURLUE_OK) {
    return refuse("is no URL (" + std::string(curl_url_strerror(code)) + ")");
  }
  if (!PartOf(parsed, CURLUPART_USER).empty() || !PartOf(parsed, CURLUPART_PASSWORD).empty()) {
    return refuse("must not hold a user or password");
  }
  if (!PartOf(parsed, CURLUPART_FRAGMENT).empty()) return refuse("must not hold a '#'");
  std::string path = PartOf(parsed, CURLUPART_PATH);
  while (path.ends_with('/')) path.pop_back();
  if (path.empty()) path = "/v1";
  if (!path.ends_with(kChatPath)) path += kChatPath;
  curl_url_set(parsed.get(), CURLUPART_PATH, path.c_str(), 0);
  return ChatUrl{
      .url = PartOf(parsed, CURLUPART_URL),
      .is_open = endpoint.starts_with("http://") && !IsThisMachine(PartOf(parsed, CURLUPART_HOST))};
}

}  // namespace kernelmill
