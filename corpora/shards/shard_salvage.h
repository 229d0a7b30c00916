// Reading what is left of a damaged shard.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Visits every record that can still be found in the file, by scanning its pages; nothing in place
// of a value that is damaged. A key can come several times, and in any order: pages that LMDB no
// longer uses hold older copies of the same records. Fails only when the file cannot be read.
Status SalvageShard(const std::string& path,
                    const std::function<void(std::string_view key,
                                             const std::optional<std::string>& value)>& visit);

}  // namespace kernelmill
