// What no record may hold, wherever it comes from: text that would end a chat message, characters
// that show something else than they are, and keys to somebody's account.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Chat templates of language models end messages with these: <|im_end|>, [/INST], </think>, ….
bool HasChatMarker(std::string_view text);

struct Span {
  std::size_t first = 0, last = 0;  // In bytes; last is one past the end.
};
// Credentials in the formats that their issuers document, private keys in PEM and signed tokens.
// In order, without overlap. Passwords of no known form are not found.
std::vector<Span> FindSecrets(std::string_view text);

// Why the text is refused (a name of manifests/reason.h), or "" when it is not.
std::string_view RefuseText(std::string_view text);

// The text with every secret replaced by asterisks: what quarantine may keep of it.
std::string MaskSecrets(std::string_view text);

}  // namespace kernelmill
