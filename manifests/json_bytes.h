// Any bytes as JSON, which holds UTF-8 only: {"text": bytes}, or {"hex": digits} for others.
#pragma once

#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

Json::Object JsonOfBytes(std::string_view bytes);
// kCorrupt if the JSON is neither.
Result<std::string> BytesOfJson(const Json& json);

}  // namespace kernelmill
