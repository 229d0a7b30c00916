// Personal data in source text: e-mail addresses and addresses of machines, replaced by ones that
// are reserved for examples. Only comments and string literals are touched, because `q@k.view` is
// a matrix product. Code fences there become tildes: a record shows the text between fences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

struct Redacted {
  std::string text;
  std::int64_t count = 0;  // Replacements.
};

// `text` is Python. Reserved names (RFC 2606) and private or reserved numbers stay as they are.
Redacted Redact(const std::string& text);
// The same over all of `text`, be it Python or not: for what is kept to be read, not to be run.
Redacted RedactPlain(std::string_view text);
// What quarantine, which is published too, keeps of a rejected source: neither keys nor addresses.
std::string QuarantinedText(std::string_view text);

}  // namespace kernelmill
