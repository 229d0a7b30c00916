#include "stages/ask/api_key.h"

#include <algorithm>
#include <cstdlib>

namespace kernelmill {

Result<ApiKey> ApiKey::FromVariable(const std::string& variable) {
  ApiKey key;
  const char* const value = std::getenv(variable.c_str());
  if (value == nullptr) return key;
  key.key_ = value;
  const auto fits = [](char c) { return c > ' ' && c <= '~'; };
  if (!std::all_of(key.key_.begin(), key.key_.end(), fits)) {
    return Status(ErrorCode::kUsage,
                  "the variable " + variable +
                      " holds no key: a key has no spaces, line breaks or letters "
                      "beyond ASCII");
  }
  return key;
}

std::string ApiKey::Without(std::string_view text) const {
  std::string clean(text);
  if (key_.empty()) return clean;
  constexpr std::string_view kMark = "[key]";
  for (std::size_t at = 0; (at = clean.find(key_, at)) != clean.npos; at += kMark.size()) {
    clean.replace(at, key_.size(), kMark);
  }
  return clean;
}

Json ApiKey::WithoutInAnswer(const Json& answer) const {
  constexpr std::size_t kShortest = 12;
  if (key_.size() < kShortest) return answer;
  if (answer.is_string()) return Without(answer.as_string());
  Json clean = answer;
  if (clean.is_array()) {
    for (Json& item : clean.as_array()) item = WithoutInAnswer(item);
  } else if (clean.is_object()) {
    for (auto& [key, value] : clean.as_object()) value = WithoutInAnswer(value);
  }
  return clean;
}

}  // namespace kernelmill
