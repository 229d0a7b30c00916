// Reads files that hold one JSON object.
#pragma once

#include <string>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// The errors of ReadFile(), and kCorrupt or the error of Json::Parse(), with the path, for other
// text than an object.
Result<Json> ReadJsonObject(const std::string& path);

}  // namespace kernelmill
