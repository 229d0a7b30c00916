// The address that an OpenAI-compatible endpoint takes chat requests at, from what a user writes.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct ChatUrl {
  std::string url;       // "https://host/v1/chat/completions".
  bool is_open = false;  // Without encryption, to another machine.

  // `endpoint` is a base such as "http://host:8000" (then with /v1) or "https://host/v1", or the
  // whole address, with a query if the server needs one. kUsage, with what to write, for anything
  // else; a user or password in it is refused, because addresses are shown.
  static Result<ChatUrl> Of(const std::string& endpoint);
};

}  // namespace kernelmill
