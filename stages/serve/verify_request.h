// The body of POST /v1/verify: what a client wants judged, and how. A body is one request, or
// {"requests": […]} with several. tools/cli/json_outputs.md describes the keys.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/run/listed_task.h"

namespace kernelmill {

struct VerifyRequest {
  JudgingChoice choice;
  std::string reference;            // Python in the KernelBench convention.
  std::optional<std::string> code;  // Nothing if the message holds none.
  std::chrono::milliseconds deadline{};

  // Equal for requests that have the same verdict.
  std::string Identity() const;
};

// What requests are read with.
struct RequestRules {
  // The seed, the secret and other parts that no request can choose.
  JudgingChoice choice;
  std::chrono::milliseconds deadline{};       // Of requests that name none.
  std::chrono::milliseconds most_deadline{};  // The longest that a request may name.
  std::size_t most_requests = 1;              // In one body.
  // Finds the task that a request names; may be empty: then requests must have a reference.
  std::function<Result<ListedTask>(const std::string& task)> find_task;
};

struct BodyProblem {
  int status = 400;     // The status of the HTTP reply.
  std::string key;      // The key at fault: "requests[3].policy"; empty if it is the body.
  std::string message;  // One line.
};

struct ParsedBody {
  bool several = false;  // Whether the body is a list of requests.
  std::vector<VerifyRequest> requests;
  std::optional<BodyProblem> problem;  // Of the first request that is wrong; then none is valid.
};

ParsedBody ParseVerifyBody(std::string_view body, const RequestRules& rules);

}  // namespace kernelmill
