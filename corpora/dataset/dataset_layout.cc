#include "corpora/dataset/dataset_layout.h"

#include <algorithm>

namespace kernelmill {
namespace {

std::string RecordPath(std::size_t number, std::string_view extension) {
  constexpr std::size_t kDigits = 5;
  const std::string digits = std::to_string(number);
  const std::string zeros(kDigits - std::min(kDigits, digits.size()), '0');
  return std::string(kShardFolder) + "/records-" + zeros + digits + std::string(extension);
}

Digest FromRaw(std::string_view bytes) {
  Digest digest;
  std::copy_n(bytes.begin(), digest.bytes.size(), digest.bytes.begin());
  return digest;
}

}  // namespace

std::string RecordShardPath(std::size_t number) { return RecordPath(number, ".mdb"); }
std::string RecordDigestsPath(std::size_t number) { return RecordPath(number, ".digests"); }
std::string LicenceTextPath(std::string_view blob) {
  return std::string(kLicenceFolder) + "/" + std::string(blob) + ".txt";
}

std::size_t RecordShardCount(const DatasetManifest& manifest) {
  const auto is_listed = [&](const std::string& path) {
    return std::any_of(manifest.files.begin(), manifest.files.end(),
                       [&](const FileEntry& file) { return file.path == path; });
  };
  std::size_t count = 0;
  while (is_listed(RecordShardPath(count)) || is_listed(RecordDigestsPath(count))) ++count;
  return count;
}

std::string DigestEntry::Encode() const {
  return std::string(content_id.AsKey()) + std::string(record_digest.AsKey());
}

DigestEntry DigestEntry::Decode(std::string_view bytes) {
  return {FromRaw(bytes.substr(0, kDigestEntryBytes / 2)),
          FromRaw(bytes.substr(kDigestEntryBytes / 2, kDigestEntryBytes / 2))};
}

}  // namespace kernelmill
