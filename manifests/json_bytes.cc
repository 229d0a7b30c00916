#include "manifests/json_bytes.h"

namespace kernelmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

Json::Object JsonOfBytes(std::string_view bytes) {
  if (IsUtf8(bytes)) return {{"text", bytes}};
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return {{"hex", std::move(hex)}};
}

Result<std::string> BytesOfJson(const Json& json) {
  if (const Json* text = json.Find("text"); text != nullptr && text->is_string()) {
    return text->as_string();
  }
  const Json* const hex = json.Find("hex");
  std::string bytes;
  if (hex == nullptr || !hex->is_string() || hex->as_string().size() % 2 != 0) {
    return Status(ErrorCode::kCorrupt, "bytes are neither \"text\" nor \"hex\"");
  }
  const std::string& digits = hex->as_string();
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::size_t high = kDigits.find(digits[i]), low = kDigits.find(digits[i + 1]);
    if (high == kDigits.npos || low == kDigits.npos) {
      return Status(ErrorCode::kCorrupt, "\"hex\" has a character that is no digit");
    }
    bytes += static_cast<char>(high * kDigits.size() + low);
  }
  return bytes;
}

}  // namespace kernelmill
