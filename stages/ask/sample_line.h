// The lines that `sample` writes: the form of OpenAI's batch output
// (parsers/samples/batch_samples.h), which `rft` and `verify` read, with two things more. "request"
// is the body that was sent, without the number of choices. The error of a line without an answer
// is
// {"code", "message", "samples", "status"}: what went wrong (AskFailure), how many samples were
// asked for, and the server's status or 0.
//
// The custom_id names the first attempt. Choice i of several is the attempt i after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "parsers/samples/custom_id.h"
#include "stages/ask/ask_tally.h"

namespace kernelmill {

// Whether a line that is cut after `text` can be one of these.
bool CanBeginLine(std::string_view text);

// Why a request has no answer.
struct AskFailure {
  // kRefused, "rate_limit", "server_error", "unreachable", "untrusted", "dropped", "silent" or
  // "bad_reply".
  std::string code;
  std::string message;
  int status = 0;

  // The server found fault with the request: it would be refused again.
  static constexpr std::string_view kRefused = "refused";
};

// `name` has its attempt, `request` is the body that was sent.
std::string AnswerLine(const CustomId& name, Json::Object request, Json body,
                       const std::string& request_id);
std::string FailureLine(const CustomId& name, Json::Object request, const AskFailure& failure,
                        std::int64_t samples);

// What a line says.
struct SampleLineFacts {
  CustomId name;           // Without an attempt.
  std::int64_t first = 0;  // The first attempt.
  std::int64_t samples = 0;
  std::string request;      // As AskedPrompt::body.
  bool is_refusal = false;  // A failure with the code kRefused.
  AskTally tally;           // What the line adds to it.

  // kCorrupt for a line that `sample` did not write.
  static Result<SampleLineFacts> Of(std::string_view line);
};

}  // namespace kernelmill
