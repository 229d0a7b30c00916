#include "stages/ask/chat_reply.h"

#include <utility>

#include "manifests/is_one_of.h"
#include "manifests/printable.h"
#include "parsers/samples/chat_completion.h"
#include "parsers/samples/sample_format.h"

namespace kernelmill {
namespace {

constexpr std::size_t kPieceBytes = 240;
// ParseChatCompletion() asks for the name of a request.
constexpr char kAnyName[] = "request";
// Statuses below 500 after which the same request can succeed: a time-out, a conflict, too early,
// too many requests.
constexpr int kPassing[] = {408, 409, 425, 429};
constexpr int kTooMany = 429;
constexpr int kNoAccess[] = {401, 403};
// What servers say of a choice that they gave up.
constexpr std::string_view kGivenUp[] = {"abort", "error"};

std::string_view CodeOf(HttpEnd end) {
  switch (end) {
    case HttpEnd::kUnreachable:
      return "unreachable";
    case HttpEnd::kUntrusted:
      return "untrusted";
    case HttpEnd::kSilent:
      return "silent";
    case HttpEnd::kStopped:
      return "bad_reply";
    default:
      return "dropped";
  }
}

JudgedReply Failed(AskOutcome outcome, std::string_view code, std::string message, int status = 0) {
  return {.outcome = outcome,
          .failure = {.code = std::string(code), .message = std::move(message), .status = status}};
}

}  // namespace

bool ChatReply::Read(std::string_view bytes) {
  size_ += bytes.size();
  if (size_ > kMostSampleBytes) return false;
  if (form_ == Form::kUnknown) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != bytes.npos) form_ = bytes[first] == '{' ? Form::kDocument : Form::kStream;
  }
  if (form_ == Form::kDocument || text_.size() < kPieceBytes) text_.append(bytes);
  if (form_ == Form::kStream) stream_.Feed(bytes);
  return true;
}

std::string ChatReply::Piece() const {
  return text_.empty() ? "an empty body" : "'" + PrintableLine(text_, kPieceBytes) + "'";
}

JudgedReply ChatReply::Judge(const HttpReply& reply, std::int64_t asked) {
  const std::string answered = "the server answered with status " + std::to_string(reply.status);
  if (reply.end != HttpEnd::kWhole) {
    const bool untrusted = reply.end == HttpEnd::kUntrusted;
    return Failed(untrusted ? AskOutcome::kNoAccess : AskOutcome::kTryAgain, CodeOf(reply.end),
                  reply.end == HttpEnd::kStopped ? "the reply is too long" : reply.problem);
  }
  if (reply.status / 100 == 2) return JudgeBody(reply, asked);
  const Result<Json> said = Json::Parse(text_);
  const std::string location = reply.Header("location");
  const std::string message =
      answered + ": " +
      (location.empty() ? said.ok() ? PrintableLine(ErrorText(*said)) : Piece()
                        : "it leads to " + PrintableLine(location) +
                              ", which is not followed; name that endpoint");
  constexpr int kServerErrors = 500;
  if (reply.status >= kServerErrors || IsOneOf(reply.status, kPassing)) {
    return Failed(AskOutcome::kTryAgain, reply.status == kTooMany ? "rate_limit" : "server_error",
                  message, reply.status);
  }
  return Failed(IsOneOf(reply.status, kNoAccess) ? AskOutcome::kNoAccess : AskOutcome::kRefused,
                AskFailure::kRefused, message, reply.status);
}

JudgedReply ChatReply::JudgeBody(const HttpReply& reply, std::int64_t asked) {
  const auto bad = [&](std::string_view code, const std::string& problem) {
    return Failed(AskOutcome::kTryAgain, code, problem + ": the reply begins with " + Piece(),
                  reply.status);
  };
  JudgedReply judged{.outcome = AskOutcome::kAnswered};
  if (form_ == Form::kDocument) {
    Result<Json> document = Json::Parse(text_);
    if (!document.ok()) return bad("bad_reply", document.status().message());
    judged.body = std::move(document).value();
  } else {
    ChatStream::Outcome streamed = stream_.Finish();
    if (!streamed.problem.empty()) {
      return bad(streamed.cut ? "dropped" : "bad_reply", streamed.problem);
    }
    judged.body = std::move(streamed.body);
  }
  const Json* const error = judged.body.Find("error");
  if (error != nullptr && !error->is_null()) {
    return Failed(AskOutcome::kTryAgain, "server_error",
                  "the server answered with an error: " + PrintableLine(ErrorText(*error)),
                  reply.status);
  }
  const Json* const choices = judged.body.Find("choices");
  if (choices == nullptr || !choices->is_array() || choices->as_array().empty()) {
    return bad("bad_reply", "the reply has no choices");
  }
  std::string problem = "the choices hold no answer";
  Json::Array usable;
  for (const Json& choice : choices->as_array()) {
    const Json alone = Json::Object{{"choices", Json::Array{choice}}};
    const ParsedSamples parsed = ParseChatCompletion(alone, kAnyName, "");
    if (parsed.samples.empty()) problem = parsed.problems.front().detail;
    if (parsed.samples.empty() || IsOneOf(parsed.samples[0].finish_reason, kGivenUp)) {
      ++judged.unusable;
    } else if (static_cast<std::int64_t>(usable.size()) < asked) {
      Json numbered = choice;
      numbered["index"] = static_cast<std::int64_t>(usable.size());
      usable.push_back(std::move(numbered));
    }
  }
  if (usable.empty()) return bad("bad_reply", problem);
  judged.body["choices"] = std::move(usable);
  ParsedSamples parsed = ParseChatCompletion(judged.body, kAnyName, "");
  if (!parsed.problems.empty()) return bad("bad_reply", parsed.problems.front().detail);
  judged.samples = std::move(parsed.samples);
  return judged;
}

}  // namespace kernelmill
