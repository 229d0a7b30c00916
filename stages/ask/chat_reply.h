// The reply to a request for chat completions, as it comes in: a JSON document, a stream of events
// whether it was asked for or not, or something else. Judge() decides what it is worth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/endpoint/http_client.h"
#include "parsers/samples/chat_stream.h"
#include "parsers/samples/model_sample.h"
#include "stages/ask/sample_line.h"

namespace kernelmill {

enum class AskOutcome {
  kAnswered,  // At least one choice is an answer.
  kTryAgain,  // The same request can succeed later.
  kRefused,   // The server finds fault with this request.
  kNoAccess,  // The server does not let this user in, or cannot be trusted: all requests end so.
};

struct JudgedReply {
  AskOutcome outcome = AskOutcome::kTryAgain;
  AskFailure failure;  // Unless it is answered.
  // If it is answered: the completion with the choices that are answers, numbered from 0, at most
  // as many as were asked for.
  Json body;
  std::vector<ModelSample> samples;  // One for each of them.
  std::int64_t unusable = 0;         // Choices that are no answers.
};

class ChatReply {
 public:
  // The next bytes of the body. False if it is too long to be read.
  bool Read(std::string_view bytes);
  // `reply` tells how the transfer has ended, `asked` is the number of choices that were asked for.
  JudgedReply Judge(const HttpReply& reply, std::int64_t asked);

 private:
  JudgedReply JudgeBody(const HttpReply& reply, std::int64_t asked);
  // The beginning of the body, for messages.
  std::string Piece() const;

  // Known from the first character that is no white space.
  enum class Form { kUnknown, kDocument, kStream };

  Form form_ = Form::kUnknown;
  std::string text_;  // Of a document; of a stream only the beginning.
  ChatStream stream_;
  std::size_t size_ = 0;
};

}  // namespace kernelmill
