// Finds text that no record may contain: markers that end a chat message, characters that display
// misleadingly, and credentials. The mining steps and "supply" reject texts with RefuseText()
// before they hand them on; quarantine masks credentials. A Span is a range of bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Whether the text contains a marker of a chat template, such as <|im_end|>, [/INST] or </think>.
bool HasChatMarker(std::string_view text);

struct Span {
  std::size_t first = 0, last = 0;  // In bytes; last is one past the end.
};
// Finds credentials in documented formats, private keys in PEM, and signed tokens. The spans are in
// order and do not overlap. Passwords without a known format are not found.
std::vector<Span> FindSecrets(std::string_view text);

// The reason why the text is refused, a name from manifests/reason.h; "" when it is not.
std::string_view RefuseText(std::string_view text);

// The text with every secret replaced by asterisks, for quarantine.
std::string MaskSecrets(std::string_view text);

}  // namespace kernelmill
