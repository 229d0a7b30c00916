// A small object store for tests, on a free port of this machine and in this process. It can fail
// in every way that a store and the network before it fail: for the next requests, in order.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kernelmill {

// What a request meets in place of its reply.
struct ServerFault {
  int status = 0;  // A reply with this status and code.
  std::string code;
  std::string header;       // Of this reply, with "\r\n" at its end.
  bool cut_before = false;  // The connection ends before anything is done,
  bool cut_after = false;   // … when all is done, without a reply,
  bool cut_within = false;  // … or within the body of the reply.
};

class LyingObjectServer {
 public:
  LyingObjectServer() {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(socket_, 64) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::abort();
    }
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    setenv("AWS_ENDPOINT_URL", url_.c_str(), 1);
    setenv("AWS_ACCESS_KEY_ID", "key", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    accepting_ = std::thread([this] { Accept(); });
  }
  ~LyingObjectServer() {
    Close();
    unsetenv("AWS_ENDPOINT_URL");
  }
  // From now on there is no server.
  void Close() {
    if (!accepting_.joinable()) return;
    shutdown(socket_, SHUT_RDWR);
    accepting_.join();
    for (std::thread& one : serving_) one.join();
    close(socket_);
  }

  void Fail(const ServerFault& fault, int times = 1) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < times; ++i) faults_.push_back(fault);
  }
  std::map<std::string, std::string> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  void Set(const std::string& path, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    objects_[path] = bytes;
  }
  int requests() const { return requests_; }

 private:
  void Accept() {
    for (int peer; (peer = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      serving_.emplace_back([this, peer] {
        Serve(peer);
        close(peer);
      });
    }
  }

  void Serve(int peer) {
    std::string text;
    char buffer[4096];
    std::size_t head = text.npos, length = 0;
    while (head == text.npos || text.size() < head + 4 + length) {
      const ssize_t size = read(peer, buffer, sizeof buffer);
      if (size <= 0) return;
      text.append(buffer, static_cast<std::size_t>(size));
      if (head != text.npos) continue;
      head = text.find("\r\n\r\n");
      const std::size_t at = text.find("Content-Length: ");
      if (head == text.npos) continue;
      if (at < head) length = std::strtoull(text.c_str() + at + 16, nullptr, 10);
      // The client waits for this before it sends the body.
      if (text.find("Expect: 100-continue\r\n") < head) Send(peer, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    ++requests_;
    const std::string method = text.substr(0, text.find(' '));
    const std::size_t begin = method.size() + 1;
    const std::string path = text.substr(begin, text.find(' ', begin) - begin);
    ServerFault fault;
    std::string reply;
    {
      const std::lock_guard lock(mutex_);
      if (!faults_.empty()) {
        fault = faults_.front();
        faults_.pop_front();
      }
      if (fault.cut_before) return;
      reply = fault.status > 0 ? Reply(fault.status, fault.code, fault.header)
                               : Answer(method, path, text.substr(head + 4, length));
    }
    if (fault.cut_after) return;
    if (fault.cut_within) reply.resize(reply.size() - 1);
    if (method == "HEAD") reply.resize(reply.find("\r\n\r\n") + 4);
    Send(peer, reply);
  }
  static void Send(int peer, const std::string& text) {
    (void)!write(peer, text.data(), text.size());
  }

  static std::string Reply(int status, const std::string& code, const std::string& header = "") {
    return Whole(status, "<Error><Code>" + code + "</Code></Error>", header);
  }
  static std::string Whole(int status, const std::string& body, const std::string& header = "") {
    return "HTTP/1.1 " + std::to_string(status) + " x\r\nConnection: close\r\n" + header +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  // Every PUT has If-None-Match.
  std::string Answer(const std::string& method, const std::string& path, const std::string& body) {
    const auto found = objects_.find(path);
    if (method == "PUT") {
      if (found != objects_.end()) return Reply(412, "PreconditionFailed");
      objects_[path] = body;
      return Whole(200, "");
    }
    return found == objects_.end() ? Reply(404, "NoSuchKey") : Whole(200, found->second);
  }

  int socket_ = -1;
  std::string url_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;  // By path: "/bucket/name".
  std::deque<ServerFault> faults_;
  std::atomic<int> requests_ = 0;
  std::thread accepting_;
  std::vector<std::thread> serving_;  // Used by accepting_ until it has ended.
};

}  // namespace kernelmill
