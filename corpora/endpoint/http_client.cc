#include "corpora/endpoint/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <utility>

namespace kernelmill {
namespace {

struct EasyCleanup {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiCleanup {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListCleanup {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListCleanup>;

struct Transfer {
  HttpPost post;
  HeaderList headers;
  char problem[CURL_ERROR_SIZE] = "";
  std::unique_ptr<CURL, EasyCleanup> handle;  // Last, because it refers to the others.
};

std::size_t OnBytes(char* bytes, std::size_t, std::size_t size, void* transfer) {
  const bool more = static_cast<Transfer*>(transfer)->post.read({bytes, size});
  return more ? size : CURL_WRITEFUNC_ERROR;
}

Status OutOfMemory() { return Status(ErrorCode::kWorker, "libcurl has no memory left"); }

// Null when there is no memory.
HeaderList ListOf(const std::vector<std::string>& headers) {
  HeaderList list;
  for (const std::string& header : headers) {
    curl_slist* const longer = curl_slist_append(list.get(), header.c_str());
    if (longer == nullptr) return nullptr;
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

HttpEnd EndOf(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpEnd::kWhole;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return HttpEnd::kUnreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpEnd::kUntrusted;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpEnd::kSilent;
    case CURLE_WRITE_ERROR:
      return HttpEnd::kStopped;
    default:
      return HttpEnd::kDropped;
  }
}

std::string HeaderOf(CURL* handle, const char* name) {
  curl_header* header = nullptr;
  constexpr int kLastRequest = -1;
  if (curl_easy_header(handle, name, 0, CURLH_HEADER, kLastRequest, &header) != CURLHE_OK) {
    return "";
  }
  return header->value;
}

std::optional<std::chrono::milliseconds> RetryAfter(CURL* handle) {
  const std::string exact = HeaderOf(handle, "retry-after-ms");
  std::int64_t milliseconds = 0;
  const char* const end = exact.data() + exact.size();
  if (std::from_chars(exact.data(), end, milliseconds).ec == std::errc() && milliseconds >= 0) {
    return std::chrono::milliseconds(milliseconds);
  }
  curl_off_t seconds = 0;  // Also of a date.
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  constexpr curl_off_t kMostSeconds = 365 * 24 * 3600;
  if (seconds <= 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kMostSeconds));
}

HttpReply ReplyOf(const Transfer& transfer, CURLcode code) {
  CURL* const handle = transfer.handle.get();
  HttpReply reply{.id = transfer.post.id, .end = EndOf(code)};
  if (code != CURLE_OK) {
    reply.problem = transfer.problem[0] != '\0' ? transfer.problem : curl_easy_strerror(code);
    return reply;
  }
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  reply.request_id = HeaderOf(handle, "x-request-id");
  reply.location = HeaderOf(handle, "location");
  reply.retry_after = RetryAfter(handle);
  return reply;
}

}  // namespace

struct HttpClient::State {
  ~State() {
    for (const auto& [handle, transfer] : transfers) curl_multi_remove_handle(multi.get(), handle);
  }

  long silence_seconds = 0;
  std::unique_ptr<CURLM, MultiCleanup> multi;
  std::map<CURL*, std::unique_ptr<Transfer>> transfers;
};

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpClient> HttpClient::Create(std::chrono::seconds silence) {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  auto state = std::make_unique<State>();
  if (begun == CURLE_OK) state->multi.reset(curl_multi_init());
  if (state->multi == nullptr) return OutOfMemory();
  state->silence_seconds = static_cast<long>(silence.count());
  return HttpClient(std::move(state));
}

Status HttpClient::Start(HttpPost post) {
  auto transfer = std::make_unique<Transfer>();
  transfer->post = std::move(post);
  transfer->handle.reset(curl_easy_init());
  std::vector<std::string> headers = transfer->post.headers;
  headers.insert(headers.end(), {"Content-Type: application/json", "Expect:"});
  transfer->headers = ListOf(headers);
  CURL* const handle = transfer->handle.get();
  if (handle == nullptr || transfer->headers == nullptr) return OutOfMemory();
  const std::string& body = transfer->post.body;
  const auto set = [&](CURLoption option, auto value) {
    return curl_easy_setopt(handle, option, value) == CURLE_OK;
  };
  bool fits =
      set(CURLOPT_URL, transfer->post.url.c_str()) && set(CURLOPT_PROTOCOLS_STR, "http,https") &&
      set(CURLOPT_HTTPHEADER, transfer->headers.get()) &&
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size())) &&
      set(CURLOPT_POSTFIELDS, body.c_str()) && set(CURLOPT_USERAGENT, "kernelmill") &&
      set(CURLOPT_WRITEFUNCTION, OnBytes) && set(CURLOPT_WRITEDATA, transfer.get()) &&
      set(CURLOPT_ERRORBUFFER, transfer->problem) && set(CURLOPT_NOSIGNAL, 1L) &&
      set(CURLOPT_CONNECTTIMEOUT, std::min(state_->silence_seconds, 30L)) &&
      set(CURLOPT_LOW_SPEED_LIMIT, 1L) && set(CURLOPT_LOW_SPEED_TIME, state_->silence_seconds) &&
      set(CURLOPT_TCP_KEEPALIVE, 1L) &&
      // One connection for each request: of HTTP/2's, many would end together.
      set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (const char* const authorities = std::getenv("SSL_CERT_FILE"); authorities != nullptr) {
    fits = fits && set(CURLOPT_CAINFO, authorities);
  }
  if (!fits) return Status(ErrorCode::kEnvironment, "libcurl refuses an option of a request");
  if (curl_multi_add_handle(state_->multi.get(), handle) != CURLM_OK) return OutOfMemory();
  state_->transfers.emplace(handle, std::move(transfer));
  return Status::Ok();
}

Result<std::vector<HttpReply>> HttpClient::Wait(std::chrono::milliseconds patience,
                                                int descriptor) {
  CURLM* const multi = state_->multi.get();
  curl_waitfd waited = {.fd = descriptor, .events = CURL_WAIT_POLLIN, .revents = 0};
  int running = 0;
  CURLMcode code = curl_multi_perform(multi, &running);
  // When transfers have ended, there is something to return at once.
  if (code == CURLM_OK && static_cast<std::size_t>(running) == state_->transfers.size()) {
    code = curl_multi_poll(multi, &waited, descriptor < 0 ? 0 : 1,
                           static_cast<int>(patience.count()), nullptr);
    if (code == CURLM_OK) code = curl_multi_perform(multi, &running);
  }
  if (code != CURLM_OK) {
    return Status(ErrorCode::kWorker,
                  "libcurl cannot go on: " + std::string(curl_multi_strerror(code)));
  }
  std::vector<HttpReply> ended;
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto found = state_->transfers.find(message->easy_handle);
    ended.push_back(ReplyOf(*found->second, message->data.result));
    curl_multi_remove_handle(multi, found->first);
    state_->transfers.erase(found);
  }
  return ended;
}

}  // namespace kernelmill
