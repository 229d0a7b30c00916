#include "parsers/licence_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

// A file header is within the first lines, a licence text within the first pages.
constexpr std::size_t kHeaderBytes = 4096;
constexpr std::size_t kLicenceBytes = 64 << 10;

// In lower case, without comment characters, and with every run of white space as one space.
std::string Normalize(std::string_view text) {
  std::string normal;
  for (char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) || c == '#' || c == '*' ||
                       c == '/' || c == '"' || c == '\'';
    if (!blank) {
      normal.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    } else if (!normal.empty() && normal.back() != ' ') {
      normal.push_back(' ');
    }
  }
  return normal;
}

bool Has(std::string_view text, std::string_view phrase) {
  return text.find(phrase) != std::string_view::npos;
}

// The expression after "SPDX-License-Identifier:", up to the end of the line.
std::optional<std::string> SpdxLine(std::string_view text) {
  static constexpr std::string_view kTag = "SPDX-License-Identifier:";
  const std::size_t at = text.find(kTag);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  std::string expression(text.substr(at + kTag.size(), end - at - kTag.size()));
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-.+() ").find(c) != std::string_view::npos;
  };
  expression.erase(std::find_if_not(expression.begin(), expression.end(), allowed),
                   expression.end());
  const std::size_t first = expression.find_first_not_of(' ');
  if (first == std::string::npos) return std::nullopt;
  return expression.substr(first, expression.find_last_not_of(" -") - first + 1);
}

// The licence whose text (not only its name) occurs in the normalized text.
std::optional<std::string> FromWords(std::string_view text) {
  if (Has(text, "permission is hereby granted, free of charge, to any person obtaining a copy")) {
    return "MIT";
  }
  if (Has(text, "redistribution and use in source and binary forms")) {
    if (Has(text, "all advertising materials mentioning")) return "BSD-4-Clause";
    if (Has(text, "neither the name") || Has(text, "names of its contributors may be used")) {
      return "BSD-3-Clause";
    }
    return "BSD-2-Clause";
  }
  if (Has(text, "permission to use, copy, modify, and or distribute this software for any") ||
      Has(text, "permission to use, copy, modify, and distribute this software for any")) {
    return "ISC";
  }
  if (Has(text, "this is free and unencumbered software released into the public domain")) {
    return "Unlicense";
  }
  if (Has(text, "boost software license - version 1.0")) return "BSL-1.0";
  if (Has(text, "gnu affero general public license")) return "AGPL-3.0-only";
  if (Has(text, "gnu lesser general public license")) {
    return Has(text, "version 2.1") ? "LGPL-2.1-only" : "LGPL-3.0-only";
  }
  if (Has(text, "gnu general public license")) {
    return Has(text, "version 3") ? "GPL-3.0-only" : "GPL-2.0-only";
  }
  if (Has(text, "mozilla public license") && Has(text, "2.0")) return "MPL-2.0";
  if (Has(text, "noncommercial") || Has(text, "non-commercial")) {
    return "LicenseRef-NonCommercial";
  }
  if (Has(text, "apache license") && (Has(text, "version 2.0") || Has(text, "2.0"))) {
    return "Apache-2.0";
  }
  return std::nullopt;
}

struct Named {
  std::string_view name;  // As in metadata, normalized.
  std::string_view spdx;
};

// Names that people write into a package's metadata. "BSD" alone is ambiguous.
constexpr std::array<Named, 24> kNames = {{
    {"mit", "MIT"},
    {"mit license", "MIT"},
    {"the mit license", "MIT"},
    {"expat", "MIT"},
    {"apache-2.0", "Apache-2.0"},
    {"apache 2.0", "Apache-2.0"},
    {"apache2", "Apache-2.0"},
    {"apache license 2.0", "Apache-2.0"},
    {"apache license, version 2.0", "Apache-2.0"},
    {"apache software license", "Apache-2.0"},
    {"apache license version 2.0", "Apache-2.0"},
    {"bsd-2-clause", "BSD-2-Clause"},
    {"bsd 2-clause license", "BSD-2-Clause"},
    {"bsd 2-clause", "BSD-2-Clause"},
    {"bsd-3-clause", "BSD-3-Clause"},
    {"bsd 3-clause license", "BSD-3-Clause"},
    {"bsd 3-clause", "BSD-3-Clause"},
    {"isc", "ISC"},
    {"isc license (iscl)", "ISC"},
    {"mpl-2.0", "MPL-2.0"},
    {"mozilla public license 2.0 (mpl 2.0)", "MPL-2.0"},
    {"the unlicense (unlicense)", "Unlicense"},
    {"gnu general public license v3 (gplv3)", "GPL-3.0-only"},
    {"gpl-3.0", "GPL-3.0-only"},
}};

std::string FromName(std::string_view name) {
  std::string normal = Normalize(name);
  while (!normal.empty() && normal.back() == ' ') normal.pop_back();
  const std::size_t first = normal.find_first_not_of(' ');
  normal.erase(0, std::min(first, normal.size()));
  for (const Named& known : kNames) {
    if (known.name == normal) return std::string(known.spdx);
  }
  // Some packages put the complete licence text there.
  return FromWords(normal).value_or(std::string(kNoAssertion));
}

std::optional<std::string> FromCoreMetadata(std::string_view text) {
  std::optional<std::string> named, classified;
  for (std::string_view line : LinesOf(text)) {
    if (line.empty() || line == "\r") break;  // The description follows the empty line.
    const auto field = [&](std::string_view name) -> std::optional<std::string_view> {
      if (!line.starts_with(name)) return std::nullopt;
      return line.substr(name.size());
    };
    if (const auto value = field("License-Expression: ")) {
      return std::string(value->substr(0, value->find('\r')));
    }
    if (const auto value = field("License: ")) named = FromName(*value);
    if (const auto value = field("Classifier: License :: OSI Approved :: ")) {
      classified = FromName(*value);
    }
  }
  if (named && *named != kNoAssertion) return named;
  return classified ? classified : named;
}

// Reads `license = "MIT"`, `license = {text = "MIT"}` or `license = MIT`. A reference to a file
// states no licence.
std::optional<std::string> FromAssignment(std::string_view text) {
  for (std::string_view line : LinesOf(text)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || !line.substr(first).starts_with("license")) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view key = line.substr(first, equals - first);
    while (!key.empty() && key.back() == ' ') key.remove_suffix(1);
    if (key != "license") continue;
    std::string_view value = line.substr(equals + 1);
    if (Has(value, "file")) continue;
    if (const std::size_t text_at = value.find("text"); text_at != std::string_view::npos) {
      value = value.substr(std::min(value.find('=', text_at) + 1, value.size()));
    }
    std::string cleaned;
    for (char c : value) {
      if (std::string_view("\"'{}\r").find(c) == std::string_view::npos) cleaned.push_back(c);
    }
    return FromName(cleaned);
  }
  return std::nullopt;
}

}  // namespace

std::string RecognizeLicence(std::string_view text) {
  text = text.substr(0, kLicenceBytes);
  if (const auto spdx = SpdxLine(text)) return *spdx;
  return FromWords(Normalize(text)).value_or(std::string(kNoAssertion));
}

std::optional<std::string> RecognizeHeader(std::string_view source) {
  const std::string_view head = source.substr(0, kHeaderBytes);
  if (const auto spdx = SpdxLine(head)) return spdx;
  const std::string text = Normalize(head);
  if (Has(text, "proprietary rights") || Has(text, "strictly prohibited")) {
    return "LicenseRef-Proprietary";
  }
  if (Has(text, "licensed under the apache license")) return "Apache-2.0";
  if (Has(text, "licensed under the mit license")) return "MIT";
  // A header that only mentions a licence makes no statement about the file.
  const bool speaks = Has(text, "permission is hereby granted") ||
                      Has(text, "redistribution and use in source") ||
                      Has(text, "under the terms of the gnu") ||
                      Has(text, "subject to the terms of the mozilla");
  return speaks ? FromWords(text) : std::nullopt;
}

std::optional<std::string> RecognizeMetadata(std::string_view file_name, std::string_view text) {
  const bool core = file_name == "METADATA" || file_name == "PKG-INFO";
  return core ? FromCoreMetadata(text) : FromAssignment(text);
}

}  // namespace kernelmill
