#include "stages/queue/redis_connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <algorithm>
#include <utility>

namespace kernelmill {
namespace {

// Longer than any command waits on the server (work_queue.cc).
constexpr timeval kConnectTime = {.tv_sec = 5}, kReplyTime = {.tv_sec = 15};

struct ReplyFreer {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

RedisReply ReplyOf(const redisReply& from) {
  using Kind = RedisReply::Kind;
  RedisReply reply;
  switch (from.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      reply.kind = Kind::kText;
      reply.text.assign(from.str, static_cast<std::size_t>(from.len));
      break;
    case REDIS_REPLY_ERROR:
      reply.kind = Kind::kError;
      reply.text.assign(from.str, static_cast<std::size_t>(from.len));
      break;
    case REDIS_REPLY_INTEGER:
      reply.kind = Kind::kNumber;
      reply.number = from.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Kind::kList;
      for (std::size_t i = 0; i < from.elements; ++i) {
        reply.items.push_back(ReplyOf(*from.element[i]));
      }
      break;
    default:
      break;
  }
  return reply;
}

bool IsOneOf(const RedisReply& reply, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return reply.IsError(word); });
}

// What an error says of the server or the client as a whole.
Status StatusOf(const RedisReply& reply, const std::string& server) {
  if (IsOneOf(reply, {"LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "OOM",
                      "MISCONF", "NOREPLICAS"})) {
    return Status(ErrorCode::kUnreachable, server + " cannot work now: " + reply.text);
  }
  if (IsOneOf(reply, {"NOAUTH", "WRONGPASS", "NOPERM"})) {
    return Status(ErrorCode::kUsage, server + " refuses this client: " + reply.text +
                                         " The password is read from the variable " +
                                         RedisAddress::kPasswordVariable);
  }
  return Status::Ok();
}

}  // namespace

bool RedisReply::IsError(std::string_view word) const {
  return kind == Kind::kError && text.starts_with(word) &&
         (text.size() == word.size() || text[word.size()] == ' ');
}

const RedisReply& RedisReply::At(std::size_t position) const {
  static const RedisReply nothing;
  return position < items.size() ? items[position] : nothing;
}

void RedisConnection::Closer::operator()(void* context) const {
  redisFree(static_cast<redisContext*>(context));
}

Result<RedisConnection> RedisConnection::Open(const RedisAddress& address) {
  redisContext* const context =
      redisConnectWithTimeout(address.host.c_str(), address.port, kConnectTime);
  RedisConnection connection("the Redis server " + address.Text(), context);
  if (context == nullptr || context->err != 0) {
    return Status(ErrorCode::kUnreachable,
                  connection.server_ + " does not answer: " +
                      (context == nullptr ? "no memory" : std::string(context->errstr)));
  }
  if (redisSetTimeout(context, kReplyTime) != REDIS_OK) {
    return Status(ErrorCode::kUnreachable, connection.server_ + ": " + context->errstr);
  }
  (void)redisEnableKeepAlive(context);
  std::vector<RedisCommand> commands;
  if (!address.password.empty()) commands.push_back({"AUTH", address.password});
  commands.push_back({"SELECT", std::to_string(address.database)});
  KM_ASSIGN(const std::vector<RedisReply> replies, connection.Ask(commands));
  for (const RedisReply& reply : replies) {
    if (reply.kind != RedisReply::Kind::kError) continue;
    return Status(ErrorCode::kUsage, connection.server_ + ": " + reply.text);
  }
  return connection;
}

Result<std::vector<RedisReply>> RedisConnection::Ask(const std::vector<RedisCommand>& commands) {
  auto* const context = static_cast<redisContext*>(context_.get());
  for (const RedisCommand& command : commands) {
    std::vector<const char*> words;
    std::vector<std::size_t> sizes;
    for (const std::string& word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    // A failure is seen when the replies are read.
    (void)redisAppendCommandArgv(context, static_cast<int>(words.size()), words.data(),
                                 sizes.data());
  }
  std::vector<RedisReply> replies;
  Status refused;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    void* raw = nullptr;
    if (redisGetReply(context, &raw) != REDIS_OK) {
      if (context->err == REDIS_ERR_PROTOCOL) {
        return Status(ErrorCode::kUsage, server_ +
                                             " does not speak Redis' protocol: is it another " +
                                             "server? " + context->errstr);
      }
      return Status(ErrorCode::kUnreachable,
                    server_ + " does not answer any more: " + context->errstr);
    }
    const std::unique_ptr<void, ReplyFreer> reply(raw);
    replies.push_back(ReplyOf(*static_cast<const redisReply*>(raw)));
    if (refused.ok()) refused = StatusOf(replies.back(), server_);
  }
  if (!refused.ok()) return refused;
  return replies;
}

}  // namespace kernelmill
