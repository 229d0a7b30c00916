// The files of a published dataset's folder, and the format of its .digests files. The modules that
// write, read, export and audit a dataset take all paths from here.
//
//   manifest.json                   manifests/dataset_manifest.h
//   shards/records-00000.mdb        the records in content_id order, keys IndexKey(0), IndexKey(1),
//                                   …
//   shards/records-00000.digests    64 bytes for each of these records: content_id, record_digest.
//                                   Readers find a record by it, and `audit` names a damaged
//                                   record.
//   LICENSES/<Git id>.txt           the text of a licence of the records, byte for byte
//   NOTICE                          sources, licences, and what they say of copyright
//   data/<split>…                   one or more files for each format of stages/pack/export.h
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
inline constexpr std::string_view kLicenceFolder = "LICENSES";
inline constexpr std::string_view kNoticeName = "NOTICE";
// The size of one entry of a .digests file.
inline constexpr std::size_t kDigestEntryBytes = 64;

// The paths in the dataset's folder: "shards/records-00007.mdb", "shards/records-00007.digests".
std::string RecordShardPath(std::size_t number);
std::string RecordDigestsPath(std::size_t number);
// "LICENSES/<blob>.txt"; `blob` is a Git id.
std::string LicenceTextPath(std::string_view blob);

// The number of record shards that the manifest lists, numbered from 0 without a gap.
std::size_t RecordShardCount(const DatasetManifest& manifest);

struct DigestEntry {
  Digest content_id;
  Digest record_digest;

  std::string Encode() const;
  // `bytes` must have kDigestEntryBytes bytes.
  static DigestEntry Decode(std::string_view bytes);
  friend bool operator==(const DigestEntry&, const DigestEntry&) = default;
};

}  // namespace kernelmill
