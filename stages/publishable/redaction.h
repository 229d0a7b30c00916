// Replaces personal data in texts that a dataset will hold: e-mail and IP addresses become ones
// that are reserved for examples. Reserved host names (RFC 2606) and private or reserved addresses
// stay. Steps that cut texts out of repositories or take them from users call it before they hand
// them on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

struct Redacted {
  std::string text;
  std::int64_t count = 0;  // Replacements.
};

// For Python that is run: only comments and string literals change, because `q@k.view` is a matrix
// product and no address. Code fences in them become tildes, since records show source text between
// fences.
Redacted RedactPython(const std::string& text);
// Redacts all of `text`, in any language: CUDA sources, expressions, texts that are read and not
// run.
Redacted RedactWholeText(std::string_view text);
// A rejected source as quarantine keeps it: credentials are masked
// (MaskSecrets(), forbidden_text.h), then all of the text is redacted.
std::string QuarantinedText(std::string_view text);

}  // namespace kernelmill
