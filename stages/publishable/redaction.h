// Replaces personal data in source text: e-mail and IP addresses become ones that are reserved for
// examples. Only comments and string literals change, because `q@k.view` is a matrix product. Code
// fences in them become tildes, since records show source text between fences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

struct Redacted {
  std::string text;
  std::int64_t count = 0;  // Replacements.
};

// Redacts Python. Reserved host names (RFC 2606) and private or reserved addresses stay.
Redacted Redact(const std::string& text);
// Redacts all of `text`, in any language: for text that is read and not run.
Redacted RedactPlain(std::string_view text);
// A rejected source as quarantine keeps it, without credentials and addresses: quarantine is
// published too.
std::string QuarantinedText(std::string_view text);

}  // namespace kernelmill
