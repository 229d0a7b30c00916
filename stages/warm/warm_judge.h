// A judge that stays. Judging one answer takes a second or two, and starting the workers of its
// judge several more. `verify --warm MINUTES` therefore asks a process that keeps them, and starts
// it when there is none; it ends by itself after so many minutes without a request.
//
// The process serves one user, and one program with one executor in one checkout: others have other
// names (WarmName()). It judges one answer after the other, with the verdict store that all share,
// and takes about 1.5 GB. Its files are in .cache/warm: the socket, its state, and a log of its
// messages, which it locks while it lives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/warm/warm_request.h"

namespace kernelmill {

// The verdict of the judge that stays. kWorker if it ends while it judges, or cannot be started.
// The verdict "infra" is a Status, as in JudgePool::JudgeOrFail().
Result<Verdict> JudgeWarm(const WarmRequest& request);

// Is the judge that stays, until nobody has asked it for as long as the last request wanted, or
// until the first signal. Returns at once if another process is it. `name`: WarmName() of the
// process that has started it.
Status StayWarm(const std::string& name);

struct WarmState {
  std::int64_t pid = 0;
  std::int64_t since = 0;   // Seconds since 1970.
  std::int64_t judged = 0;  // How many answers.
  std::int64_t ends = 0;    // When it ends unless it is asked; 0 while it judges, or if unknown.

  Json ToJson() const;
  static Result<WarmState> FromJson(const Json& json);
};

// The judges that stay, of this checkout, by their start. Of a judge of another program only the
// process may be known.
std::vector<WarmState> WarmJudges();
std::string Text(const std::vector<WarmState>& judges);
// Ends them; what one is judging ends without a verdict. Returns how many have ended.
Result<std::size_t> EndWarmJudges();

}  // namespace kernelmill
