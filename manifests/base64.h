// Base64 with the standard alphabet and padding (RFC 4648), for signatures and checksums.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

std::string EncodeBase64(std::string_view bytes);
// Nothing unless `text` is exactly what EncodeBase64() makes of some bytes.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kernelmill
