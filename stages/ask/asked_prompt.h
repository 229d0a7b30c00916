// A prompt to be answered, and how a line of requests becomes one: lines of `export --format
// prompts` in the forms openai and vllm, {"custom_id", "url", "body"}, and sglang-chat, {"rid",
// "messages"}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "parsers/samples/custom_id.h"

namespace kernelmill {

// Parts of a body that change the form of a reply, and not what the model is asked.
inline constexpr std::string_view kFormKeys[] = {"n", "stream", "stream_options"};

// What the user asks for in place of what the lines say.
struct AskChanges {
  std::string model;  // Empty: as the line says. So are the others without a value.
  std::optional<std::int64_t> samples, max_tokens, seed;
  std::optional<double> temperature, top_p;
};

struct AskedPrompt {
  CustomId name;                // Without an attempt.
  std::int64_t first = 0;       // The first attempt that is asked for.
  std::int64_t samples = 1;     // How many attempts.
  std::string place;            // "prompts.jsonl:3".
  std::int64_t tokens = 0;      // Of the messages, estimated.
  std::int64_t max_tokens = 0;  // Of each answer; 0: no limit is known.
  // What is asked, as canonical JSON: the body of the request without the number of choices, and
  // whether they are streamed. Its seed, if it has one, is that of attempt 0.
  std::string body;

  // kCorrupt, with the place, for a line that is no request for a chat completion of texts.
  static Result<AskedPrompt> Of(const Json& line, const std::string& place,
                                const AskChanges& changes);

  // What a request for the attempts from `attempt` on is. Attempts that are asked for by themselves
  // must differ, so that each has a seed of its own.
  Json::Object BodyFrom(std::int64_t attempt) const;
};

// `body` with another seed, if it has one: the next attempts' seeds follow each other.
void MoveSeed(std::int64_t attempts, Json::Object* body);

}  // namespace kernelmill
