#include "corpora/endpoint/http_client.h"

#include <curl/curl.h>

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace kernelmill {
namespace {

// How long a signed request waits before it sends its body to a server that does not answer the
// header `Expect:`. Those that do refuse an existing object before they have read the other one.
constexpr long kExpectMilliseconds = 200;

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

struct FileCleanup {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct Flight {
  HttpTransfer transfer;
  std::unique_ptr<std::FILE, FileCleanup> file;  // HttpTransfer::body_file.
  curl_off_t body_bytes = 0;
  curl_off_t sent = 0;  // Of them.
  HeaderList headers;
  char problem[CURL_ERROR_SIZE] = "";
  std::unique_ptr<CURL, EasyCleanup> handle;  // Last, because it refers to the others.
};

std::size_t OnBytes(char* bytes, std::size_t, std::size_t size, void* pointer) {
  const Flight& flight = *static_cast<Flight*>(pointer);
  long status = 0;
  curl_easy_getinfo(flight.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  const bool more = flight.transfer.read(static_cast<int>(status), {bytes, size});
  return more ? size : CURL_WRITEFUNC_ERROR;
}

// Gives the next bytes of a body that is put.
std::size_t OnSpace(char* buffer, std::size_t, std::size_t size, void* pointer) {
  Flight& flight = *static_cast<Flight*>(pointer);
  const auto left = static_cast<std::size_t>(flight.body_bytes - flight.sent);
  std::size_t given = std::min(size, left);
  if (flight.file) {
    given = std::fread(buffer, 1, given, flight.file.get());
    // The file has become shorter.
    if (given == 0 && left > 0) return CURL_READFUNC_ABORT;
  } else {
    std::memcpy(buffer, flight.transfer.body.data() + flight.sent, given);
  }
  flight.sent += static_cast<curl_off_t>(given);
  return given;
}

// Begins the body again, when a connection that was kept open has ended in between.
int OnSeek(void* pointer, curl_off_t offset, int origin) {
  Flight& flight = *static_cast<Flight*>(pointer);
  if (origin != SEEK_SET || offset < 0 || offset > flight.body_bytes) return CURL_SEEKFUNC_FAIL;
  if (flight.file && fseeko(flight.file.get(), offset, SEEK_SET) != 0) return CURL_SEEKFUNC_FAIL;
  flight.sent = offset;
  return CURL_SEEKFUNC_OK;
}

// Opens the body that is put, and finds its size.
Status OpenBody(Flight* flight) {
  const std::string& path = flight->transfer.body_file;
  flight->body_bytes = static_cast<curl_off_t>(flight->transfer.body.size());
  if (path.empty()) return Status::Ok();
  flight->file.reset(std::fopen(path.c_str(), "rbe"));
  struct stat status;
  if (!flight->file || fstat(fileno(flight->file.get()), &status) != 0) {
    return Status::FromErrno("cannot open", path);
  }
  flight->body_bytes = status.st_size;
  return Status::Ok();
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

std::optional<std::chrono::milliseconds> RetryAfter(CURL* handle, const HttpReply& reply) {
  const std::string exact = reply.Header("retry-after-ms");
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

HttpReply ReplyOf(const Flight& flight, CURLcode code) {
  CURL* const handle = flight.handle.get();
  HttpReply reply{.id = flight.transfer.id, .end = EndOf(code)};
  if (code != CURLE_OK) {
    reply.problem = flight.problem[0] != '\0' ? flight.problem : curl_easy_strerror(code);
    return reply;
  }
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  constexpr int kLastRequest = -1;
  curl_header* header = nullptr;
  while ((header = curl_easy_nextheader(handle, CURLH_HEADER, kLastRequest, header)) != nullptr) {
    std::string name = header->name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    reply.headers.emplace(std::move(name), header->value);
  }
  reply.retry_after = RetryAfter(handle, reply);
  return reply;
}

// Sets an option of the handle, and returns whether libcurl has taken it.
auto OptionsOf(CURL* handle) {
  return [handle](CURLoption option, auto value) {
    return curl_easy_setopt(handle, option, value) == CURLE_OK;
  };
}

// Says what the transfer's method and body are.
bool SetMethod(Flight* flight) {
  CURL* const handle = flight->handle.get();
  const auto set = OptionsOf(handle);
  switch (flight->transfer.method) {
    case HttpMethod::kPost:
      return set(CURLOPT_POSTFIELDSIZE_LARGE, flight->body_bytes) &&
             set(CURLOPT_POSTFIELDS, flight->transfer.body.c_str());
    case HttpMethod::kPut:
      return set(CURLOPT_UPLOAD, 1L) && set(CURLOPT_INFILESIZE_LARGE, flight->body_bytes) &&
             set(CURLOPT_READFUNCTION, OnSpace) && set(CURLOPT_READDATA, flight) &&
             set(CURLOPT_SEEKFUNCTION, OnSeek) && set(CURLOPT_SEEKDATA, flight);
    case HttpMethod::kGet:
      return set(CURLOPT_HTTPGET, 1L);
    case HttpMethod::kHead:
      return set(CURLOPT_NOBODY, 1L);
  }
  return false;
}

bool SetSignature(CURL* handle, const HttpSignature& signature) {
  const auto set = OptionsOf(handle);
  const std::string scope = "aws:amz:" + signature.region + ":" + signature.service;
  // What is signed must be the path that is sent.
  return set(CURLOPT_AWS_SIGV4, scope.c_str()) && set(CURLOPT_PATH_AS_IS, 1L) &&
         set(CURLOPT_EXPECT_100_TIMEOUT_MS, kExpectMilliseconds) &&
         set(CURLOPT_USERNAME, signature.key_id.c_str()) &&
         set(CURLOPT_PASSWORD, signature.secret.c_str());
}

}  // namespace

struct HttpClient::State {
  ~State() {
    for (const auto& [handle, flight] : flights) curl_multi_remove_handle(multi.get(), handle);
  }

  long silence_seconds = 0;
  std::unique_ptr<CURLM, MultiCleanup> multi;
  std::map<CURL*, std::unique_ptr<Flight>> flights;
};

std::string HttpReply::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

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

Status HttpClient::Start(HttpTransfer transfer) {
  auto flight = std::make_unique<Flight>();
  flight->transfer = std::move(transfer);
  KM_RETURN_IF_ERROR(OpenBody(flight.get()));
  flight->handle.reset(curl_easy_init());
  std::vector<std::string> headers = flight->transfer.headers;
  if (flight->transfer.method == HttpMethod::kPost) {
    headers.emplace_back("Content-Type: application/json");
  }
  // Without it, libcurl asks before it sends a long body. A signature would cover the header that
  // is left out here, and no server would accept it.
  if (!flight->transfer.signature) headers.emplace_back("Expect:");
  flight->headers = ListOf(headers);
  CURL* const handle = flight->handle.get();
  if (handle == nullptr || flight->headers == nullptr) return OutOfMemory();
  const auto set = OptionsOf(handle);
  bool fits =
      set(CURLOPT_URL, flight->transfer.url.c_str()) && set(CURLOPT_PROTOCOLS_STR, "http,https") &&
      set(CURLOPT_HTTPHEADER, flight->headers.get()) && SetMethod(flight.get()) &&
      set(CURLOPT_USERAGENT, "kernelmill") && set(CURLOPT_WRITEFUNCTION, OnBytes) &&
      set(CURLOPT_WRITEDATA, flight.get()) && set(CURLOPT_ERRORBUFFER, flight->problem) &&
      set(CURLOPT_NOSIGNAL, 1L) &&
      set(CURLOPT_CONNECTTIMEOUT, std::min(state_->silence_seconds, 30L)) &&
      set(CURLOPT_LOW_SPEED_LIMIT, 1L) && set(CURLOPT_LOW_SPEED_TIME, state_->silence_seconds) &&
      set(CURLOPT_TCP_KEEPALIVE, 1L) &&
      // One connection for each request: of HTTP/2's, many would end together.
      set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (const auto& signature = flight->transfer.signature) {
    fits = fits && SetSignature(handle, *signature);
  }
  if (const char* const authorities = std::getenv("SSL_CERT_FILE"); authorities != nullptr) {
    fits = fits && set(CURLOPT_CAINFO, authorities);
  }
  if (!fits) return Status(ErrorCode::kEnvironment, "libcurl refuses an option of a request");
  if (curl_multi_add_handle(state_->multi.get(), handle) != CURLM_OK) return OutOfMemory();
  state_->flights.emplace(handle, std::move(flight));
  return Status::Ok();
}

Result<std::vector<HttpReply>> HttpClient::Wait(std::chrono::milliseconds patience,
                                                int descriptor) {
  CURLM* const multi = state_->multi.get();
  curl_waitfd waited = {.fd = descriptor, .events = CURL_WAIT_POLLIN, .revents = 0};
  int running = 0;
  CURLMcode code = curl_multi_perform(multi, &running);
  // When transfers have ended, there is something to return at once.
  if (code == CURLM_OK && static_cast<std::size_t>(running) == state_->flights.size()) {
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
    const auto found = state_->flights.find(message->easy_handle);
    ended.push_back(ReplyOf(*found->second, message->data.result));
    curl_multi_remove_handle(multi, found->first);
    state_->flights.erase(found);
  }
  return ended;
}

}  // namespace kernelmill
