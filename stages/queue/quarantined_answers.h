// The answers of a run that the workers gave up, because every try to build or judge them ended
// without a verdict. There is a file for each, with the bytes of its message and the last reason:
// RUN/.run/quarantine/PLACE.json. Who leads the run counts them as "infra" and names them; the same
// command tries them again.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/queue/answer_key.h"

namespace kernelmill {

Json JsonOfFields(const MessageFields& fields);

struct QuarantinedAnswer {
  std::string pool;  // PoolName().
  std::int64_t tries = 0;
  std::string reason;
  MessageFields message;

  Json ToJson() const;
  static Result<QuarantinedAnswer> FromJson(const Json& json);
};

// `output` is the folder of the run, and `place` that of an AnswerKey.
std::string QuarantineFileOf(const std::string& output, const std::string& place);
Status KeepQuarantined(const std::string& output, const std::string& place,
                       const QuarantinedAnswer& answer);
Result<QuarantinedAnswer> ReadQuarantined(const std::string& output, const std::string& place);
// The places of the answers in quarantine.
std::set<std::string> QuarantinedPlaces(const std::string& output);
Status ForgetQuarantined(const std::string& output);

}  // namespace kernelmill
