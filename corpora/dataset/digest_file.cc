#include "corpora/dataset/digest_file.h"

namespace kernelmill {

Result<DigestFile> DigestFile::Open(const std::string& path) {
  DigestFile digests;
  digests.path_ = path;
  digests.file_.open(path, std::ios::binary | std::ios::ate);
  if (!digests.file_) return Status::FromErrno("cannot open", path);
  const auto size = static_cast<std::uint64_t>(digests.file_.tellg());
  if (size % kDigestEntryBytes != 0) {
    return Status(ErrorCode::kCorrupt, path + " ends within an entry");
  }
  digests.count_ = size / kDigestEntryBytes;
  return digests;
}

Result<DigestEntry> DigestFile::At(std::uint64_t index) {
  std::string bytes(kDigestEntryBytes, '\0');
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(index * kDigestEntryBytes));
  if (!file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return Status(ErrorCode::kIo, "cannot read entry " + std::to_string(index) + " of " + path_);
  }
  return DigestEntry::Decode(bytes);
}

Result<std::uint64_t> DigestFile::LowerBound(const Digest& id) {
  std::uint64_t first = 0, last = count_;
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    KM_ASSIGN(const DigestEntry entry, At(middle));
    if (entry.content_id < id) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace kernelmill
