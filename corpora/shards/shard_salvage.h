// Reads what is left of a damaged shard. The audit calls it to tell which records of a shard are
// lost.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Scans the pages of the file and visits every record that it finds, with std::nullopt for a
// damaged value. A key can occur several times and in any order, because pages that LMDB no longer
// uses hold older copies of records. Fails only when the file cannot be read.
Status SalvageShard(const std::string& path,
                    const std::function<void(std::string_view key,
                                             const std::optional<std::string>& value)>& visit);

}  // namespace kernelmill
