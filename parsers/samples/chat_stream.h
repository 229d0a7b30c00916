// Puts a streamed chat completion together: the chunks of OpenAI's API, vLLM, SGLang and others
// become the body that the server would have sent without streaming (chat_completion.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "parsers/samples/event_stream.h"

namespace kernelmill {

class ChatStream {
 public:
  // The next bytes of the reply, cut anywhere.
  void Feed(std::string_view bytes);

  struct Outcome {
    Json body;  // Null if there is a problem.
    std::string problem;
    // The stream ended too early: a choice has begun and has no finish_reason.
    bool cut = false;
  };
  // At the end of the reply. The mark [DONE] is not asked for: servers exist that do not send it.
  Outcome Finish();

 private:
  struct Choice {
    std::map<std::string, std::string> texts;  // Parts of the message that chunks add to.
    Json::Object message, others;
  };

  void TakeEvent(std::string_view data);
  void TakeChoice(const Json& chunk);
  void Fail(std::string problem);

  EventStream events_;
  Json::Object body_;                       // What chunks say beside their choices.
  std::map<std::int64_t, Choice> choices_;  // By index.
  std::string problem_;
};

}  // namespace kernelmill
