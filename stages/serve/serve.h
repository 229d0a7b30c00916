// The service of the command `serve`: judges candidates for clients over HTTP, as the reward of a
// reinforcement learning run. It gives the verdicts that `verify` gives, and shares its store.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "manifests/status.h"
#include "stages/serve/access_token.h"
#include "stages/serve/http_server.h"
#include "stages/verify/judge/cpu_judge.h"

namespace kernelmill {

struct ServeOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string tasks;     // A dataset; empty if requests have references only.
  JudgingChoice choice;  // RequestRules::choice.
  AccessToken token;     // An address that other machines can reach demands one.
  HttpLimits http;
  int lanes = 1;                    // Candidates judged at once, each with 1.5 GB.
  std::size_t most_waiting = 256;   // Candidates that wait for a lane.
  std::size_t most_requests = 256;  // In one body.
  std::chrono::seconds deadline{600}, most_deadline{3600};
};

// Serves until the first signal (stages/engine/interrupt.h); then begins nothing new, answers what
// is being judged, and returns. `on_ready` gets the URL once the service accepts connections.
// Errors before that: kUsage for an address without a token, kBusy for a port that is taken, and
// those of PrepareJudging().
Status Serve(const ServeOptions& options,
             const std::function<Status(const std::string& url)>& on_ready);

}  // namespace kernelmill
