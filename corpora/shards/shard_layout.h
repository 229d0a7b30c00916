// The reserved keys and the metadata of a shard file (corpora/shards/shard.h). Its writer and
// reader use them, and the salvage of records from a damaged shard (shard_salvage.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

inline constexpr std::string_view kMetaKey = "__meta__";
inline constexpr std::string_view kDictionaryKey = "__dictionary__";

inline bool IsReservedKey(std::string_view key) { return key.starts_with("__"); }

struct ShardMeta {
  std::string schema;
  std::int64_t count = 0;  // The number of records, without the reserved keys.
  bool has_dictionary = false;

  std::string Encode() const;
  static Result<ShardMeta> Decode(std::string_view bytes);
};

}  // namespace kernelmill
