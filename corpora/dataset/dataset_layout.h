// Where things lie in a dataset's folder.
//
//   manifest.json                   manifests/dataset_manifest.h
//   shards/records-00000.mdb        the records in content_id order, keys IndexKey(0), IndexKey(1),
//   shards/records-00000.digests    for each of its records 64 bytes: content_id, record_digest; a
//                                   record is found by it, and an auditor names what damage hit
//   data/<split>…                   one file or several in each format of stages/pack/export.h
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/dataset_manifest.h"
#include "manifests/digest.h"

namespace kernelmill {

inline constexpr std::string_view kRecordSchema = "kernelmill.record.v1";
inline constexpr std::string_view kShardFolder = "shards";
inline constexpr std::string_view kDataFolder = "data";
// Of the entries in a .digests file.
inline constexpr std::size_t kDigestEntryBytes = 64;

// "shards/records-00007.mdb" and "shards/records-00007.digests".
std::string RecordShardPath(std::size_t number);
std::string RecordDigestsPath(std::size_t number);

// How many shards of records the manifest lists; their numbers begin at 0.
std::size_t RecordShardCount(const DatasetManifest& manifest);

struct DigestEntry {
  Digest content_id;
  Digest record_digest;

  std::string Encode() const;
  // `bytes` has kDigestEntryBytes.
  static DigestEntry Decode(std::string_view bytes);
  friend bool operator==(const DigestEntry&, const DigestEntry&) = default;
};

}  // namespace kernelmill
