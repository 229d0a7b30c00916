#include "corpora/objects/object_address.h"

#include <algorithm>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::string_view kScheme = "s3://";
// S3 allows 1024 bytes. The rest is for the names of files below a prefix.
constexpr std::size_t kMostNameBytes = 700;

bool IsPlain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

bool IsBucketName(std::string_view name) {
  constexpr std::size_t kLeast = 3, kMost = 63;
  return name.size() >= kLeast && name.size() <= kMost && IsPlain(name.front()) &&
         IsPlain(name.back()) && name.find("..") == name.npos &&
         std::all_of(name.begin(), name.end(),
                     [](char letter) { return IsPlain(letter) || letter == '-' || letter == '.'; });
}

}  // namespace

bool IsObjectAddress(std::string_view text) { return text.starts_with(kScheme); }

bool IsSafeObjectName(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return std::all_of(path.begin(), path.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code >= 0x20 && code != 0x7f;
  });
}

Result<ObjectAddress> ObjectAddress::Parse(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return Status(ErrorCode::kUsage, "'" + PrintableLine(text) + "': " + why +
                                         "; an address in an object store is s3://BUCKET/NAME");
  };
  if (!IsObjectAddress(text)) return wrong("it does not begin with s3://");
  std::string_view rest = text.substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  ObjectAddress address;
  address.bucket = rest.substr(0, slash);
  if (!IsBucketName(address.bucket)) {
    return wrong("a bucket's name has 3 to 63 small letters, digits, '-' and '.'");
  }
  if (slash == rest.size()) return wrong("there is no name after the bucket");
  address.name = rest.substr(slash + 1);
  if (!IsSafeObjectName(address.name)) {
    return wrong("a part of the name is empty, '.' or '..', or has a control character");
  }
  if (address.name.size() > kMostNameBytes) return wrong("the name is too long");
  return address;
}

std::string ObjectAddress::Text() const { return std::string(kScheme) + bucket + "/" + name; }

ObjectAddress ObjectAddress::Below(std::string_view part) const {
  return {bucket, name + "/" + std::string(part)};
}

std::string ObjectUrlPart(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  constexpr std::string_view kOthers = "-._~/";
  std::string part;
  for (const char letter : text) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    if (IsPlain(letter) || is_capital || kOthers.find(letter) != kOthers.npos) {
      part += letter;
      continue;
    }
    const auto code = static_cast<unsigned char>(letter);
    part += {'%', kDigits[code >> 4], kDigits[code & 15]};
  }
  return part;
}

}  // namespace kernelmill
