#include "stages/serve/http_server.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace kernelmill {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using Error = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kAgain{1'000};  // After which an operation that must end is ended again.
constexpr Milliseconds kLingering{
    3'000};  // For reading what a client still sends after its response.
constexpr Milliseconds kAcceptAgain{100};  // After accepting failed, as without free descriptors.
constexpr std::size_t kReadAtOnce = 16 << 10;
constexpr int kTooManyStatus = 503, kTimeoutStatus = 408;

Result<net::ip::address> AddressOf(const std::string& text) {
  Error error;
  const net::ip::address address = net::ip::make_address(text, error);
  if (!error) return address;
  return Status(ErrorCode::kUsage, "'" + text + "' is no numeric address, such as 127.0.0.1");
}

// The status for a request that could not be read; 0 if the client has gone.
int StatusOf(const Error& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  return error.category() == http::make_error_code(http::error::bad_method).category() ? 400 : 0;
}

class Session;

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(const HttpLimits& with_limits, HttpHandler* with_handler)
      : limits(with_limits), handler(with_handler), acceptor(net::make_strand(io)), pause(io) {}

  void Accept();
  void OnAccept(const Error& error, tcp::socket socket);
  void Remove(Session* session);
  void RunThread();

  const HttpLimits limits;
  HttpHandler* const handler;
  net::io_context io;
  tcp::acceptor acceptor;
  net::steady_timer pause;
  std::uint16_t port = 0;
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::set<Session*> sessions;
  bool stopping = false;
  bool accepting = false;  // Whether an accept is pending, or will be after a pause.
};

namespace {

// One connection. All members are used on the strand of its socket.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<HttpServer::State> server, tcp::socket socket)
      : server_(std::move(server)), socket_(std::move(socket)), timer_(socket_.get_executor()) {}
  ~Session() { server_->Remove(this); }

  // Takes requests. `is_refused`: the connection is beyond the limit.
  void Run(bool is_refused) {
    net::post(socket_.get_executor(), [self = shared_from_this(), is_refused] {
      if (!is_refused) return self->Await();
      self->Respond(
          self->server_->handler->Refuse(kTooManyStatus, "there are too many connections"), true);
    });
  }

  // Ends the connection, now or after the response.
  void Stop() {
    net::post(socket_.get_executor(), [self = shared_from_this()] {
      self->stopping_ = true;
      if (self->phase_ == Phase::kIdle) self->Close();
    });
  }

 private:
  // What the connection is waiting for.
  enum class Phase { kIdle, kReading, kAnswer, kWriting, kLingering, kClosed };

  // Begins a phase that may take so long. What does not end in time is cancelled, again and again,
  // because a cancellation between two steps of an operation has no effect.
  void Enter(Phase phase, std::optional<Milliseconds> most) {
    phase_ = phase;
    is_late_ = false;
    ++turn_;
    timer_.cancel();
    if (most) ArmTimer(*most);
  }

  void ArmTimer(Milliseconds most) {
    timer_.expires_after(most);
    timer_.async_wait([self = shared_from_this(), turn = turn_](const Error&) {
      if (turn != self->turn_ || self->phase_ == Phase::kClosed) return;
      self->is_late_ = true;
      Error ignored;
      self->socket_.cancel(ignored);
      self->ArmTimer(kAgain);
    });
  }

  // Waits for the first bytes of a request.
  void Await() {
    if (stopping_) return Close();
    if (buffer_.size() > 0) return ReadHeader();
    Enter(Phase::kIdle, server_->limits.idle);
    socket_.async_read_some(buffer_.prepare(kReadAtOnce),
                            [self = shared_from_this()](const Error& error, std::size_t bytes) {
                              if (error) return self->Close();
                              self->buffer_.commit(bytes);
                              self->ReadHeader();
                            });
  }

  void ReadHeader() {
    parser_.emplace();
    parser_->header_limit(server_->limits.header_bytes);
    parser_->body_limit(server_->limits.body_bytes);
    Enter(Phase::kReading, server_->limits.reading);
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = shared_from_this()](const Error& error, std::size_t) {
                              if (error) return self->OnUnreadable(error);
                              self->ReadBody();
                            });
  }

  void ReadBody() {
    if (parser_->is_done()) return Handle();
    Enter(Phase::kReading, server_->limits.reading);
    const auto read = [self = shared_from_this()] {
      http::async_read(self->socket_, self->buffer_, *self->parser_,
                       [self](const Error& error, std::size_t) {
                         if (error) return self->OnUnreadable(error);
                         self->Handle();
                       });
    };
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    net::async_write(socket_, net::buffer(kContinue),
                     [self = shared_from_this(), read](const Error& error, std::size_t) {
                       if (error) return self->Close();
                       read();
                     });
  }

  void OnUnreadable(const Error& error) {
    const int status = is_late_ ? kTimeoutStatus : StatusOf(error);
    if (status == 0) return Close();
    std::string why = error.message();
    if (is_late_) {
      why = "the request did not arrive in time";
    } else if (error == http::error::body_limit) {
      why = "the body has more than " + std::to_string(server_->limits.body_bytes) + " bytes";
    } else if (error == http::error::header_limit) {
      why = "the header has more than " + std::to_string(server_->limits.header_bytes) + " bytes";
    }
    Respond(server_->handler->Refuse(status, why), true);
  }

  void Handle() {
    auto& message = parser_->get();
    const auto field = [&](http::field name) { return std::string(message[name]); };
    keeps_alive_ = message.keep_alive();
    is_head_ = message.method() == http::verb::head;
    HttpRequest request{.method = std::string(message.method_string()),
                        .target = std::string(message.target()),
                        .host = field(http::field::host),
                        .authorization = field(http::field::authorization),
                        .content_type = field(http::field::content_type),
                        .body = std::move(message.body())};
    parser_.reset();
    Enter(Phase::kAnswer, std::nullopt);
    cancel_ = server_->handler->Handle(
        std::move(request), [self = shared_from_this(), turn = turn_](HttpResponse response) {
          net::post(self->socket_.get_executor(),
                    [self, turn, response = std::move(response)]() mutable {
                      if (self->turn_ != turn) return;
                      self->cancel_ = nullptr;
                      Error ignored;
                      self->socket_.cancel(ignored);  // WatchClient().
                      self->Respond(std::move(response), false);
                    });
        });
    WatchClient();
  }

  // Notices when the client closes the connection while it waits for its response.
  void WatchClient() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this(),
                                                turn = turn_](const Error& error) {
      if (error || turn != self->turn_) return;
      char byte = 0;
      const ssize_t got = recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (got > 0) return;  // The next request, which is read after this response.
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return self->WatchClient();
      self->Close();
    });
  }

  void Respond(HttpResponse response, bool closes) {
    closes = closes || response.closes || !keeps_alive_ || stopping_;
    const auto message = std::make_shared<http::response<http::string_body>>();
    message->result(static_cast<unsigned>(response.status));
    message->version(11);
    message->keep_alive(!closes);
    message->set(http::field::content_type, response.content_type);
    message->set(http::field::cache_control, "no-store");
    if (response.retry_after) {
      message->set(http::field::retry_after, std::to_string(*response.retry_after));
    }
    if (!response.allow.empty()) message->set(http::field::allow, response.allow);
    if (response.status == 401) message->set(http::field::www_authenticate, "Bearer");
    message->content_length(response.body.size());
    if (!is_head_) message->body() = std::move(response.body);
    Enter(Phase::kWriting, server_->limits.writing);
    http::async_write(
        socket_, *message,
        [self = shared_from_this(), message, closes](const Error& error, std::size_t) {
          if (error) return self->Close();
          if (closes) return self->Linger();
          self->Await();
        });
  }

  // Reads what the client still sends: closing before would destroy the response on its way.
  void Linger() {
    Error ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    Enter(Phase::kLingering, kLingering);
    Discard();
  }

  void Discard() {
    socket_.async_read_some(buffer_.prepare(kReadAtOnce),
                            [self = shared_from_this()](const Error& error, std::size_t) {
                              if (error || self->is_late_) return self->Close();
                              self->Discard();
                            });
  }

  void Close() {
    Enter(Phase::kClosed, std::nullopt);
    if (cancel_) std::exchange(cancel_, nullptr)();
    Error ignored;
    socket_.close(ignored);
  }

  const std::shared_ptr<HttpServer::State> server_;
  tcp::socket socket_;
  net::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::function<void()> cancel_;  // Withdraws the request that is being answered.
  Phase phase_ = Phase::kIdle;
  std::uint64_t turn_ = 0;  // Counts phases; what belongs to an earlier one has no effect.
  bool is_late_ = false;    // The phase takes longer than it may.
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool stopping_ = false;
};

}  // namespace

void HttpServer::State::Remove(Session* session) {
  const std::lock_guard lock(mutex);
  sessions.erase(session);
  if (accepting || stopping) return;
  accepting = true;
  net::post(acceptor.get_executor(), [self = shared_from_this()] { self->Accept(); });
}

void HttpServer::State::Accept() {
  acceptor.async_accept(net::make_strand(io),
                        [self = shared_from_this()](const Error& error, tcp::socket socket) {
                          self->OnAccept(error, std::move(socket));
                        });
}

void HttpServer::State::OnAccept(const Error& error, tcp::socket socket) {
  std::shared_ptr<Session> session;
  bool is_refused = false, accepts_more = false;
  {
    const std::lock_guard lock(mutex);
    if (stopping) return;
    if (!error) {
      session = std::make_shared<Session>(shared_from_this(), std::move(socket));
      is_refused = sessions.size() >= limits.connections;
      sessions.insert(session.get());
      accepts_more = accepting = sessions.size() < 2 * limits.connections;
    }
  }
  if (error) {
    pause.expires_after(kAcceptAgain);
    pause.async_wait([self = shared_from_this()](const Error&) { self->Accept(); });
    return;
  }
  session->Run(is_refused);
  if (accepts_more) Accept();
}

void HttpServer::State::RunThread() {
  for (;;) {
    try {
      io.run();
      return;
    } catch (const std::exception&) {
      // There was no memory for a request: its connection has ended with its handler.
    }
  }
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() { Stop(Milliseconds(0)); }

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const std::string& address,
                                                       std::uint16_t port, const HttpLimits& limits,
                                                       HttpHandler* handler) {
  KM_ASSIGN(const net::ip::address ip, AddressOf(address));
  const auto state = std::make_shared<State>(limits, handler);
  const tcp::endpoint endpoint(ip, port);
  Error error;
  state->acceptor.open(endpoint.protocol(), error);
  if (!error) state->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) state->acceptor.bind(endpoint, error);
  if (!error) state->acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error) {
    const bool is_taken = error == net::error::address_in_use;
    return Status(is_taken ? ErrorCode::kBusy : ErrorCode::kUsage,
                  "cannot listen on " + address + " port " + std::to_string(port) + ": " +
                      error.message() + "; name another --address or --port");
  }
  state->port = state->acceptor.local_endpoint().port();
  return std::unique_ptr<HttpServer>(new HttpServer(state));
}

void HttpServer::Start(int threads) {
  state_->accepting = true;
  net::post(state_->acceptor.get_executor(), [state = state_] { state->Accept(); });
  for (int i = 0; i < threads; ++i) {
    state_->threads.emplace_back([state = state_] { state->RunThread(); });
  }
}

void HttpServer::Stop(Milliseconds patience) {
  if (state_->threads.empty()) return;
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    for (Session* session : state_->sessions) {
      if (auto shared = session->weak_from_this().lock()) sessions.push_back(std::move(shared));
    }
  }
  net::post(state_->acceptor.get_executor(), [state = state_] {
    Error ignored;
    state->acceptor.close(ignored);
    state->pause.cancel();
  });
  for (const auto& session : sessions) session->Stop();
  sessions.clear();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (connections() > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(Milliseconds(10));
  }
  state_->io.stop();
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
}

std::uint16_t HttpServer::port() const { return state_->port; }

std::size_t HttpServer::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->sessions.size();
}

Result<bool> IsLoopback(const std::string& address) {
  KM_ASSIGN(const net::ip::address ip, AddressOf(address));
  return ip.is_loopback();
}

}  // namespace kernelmill
