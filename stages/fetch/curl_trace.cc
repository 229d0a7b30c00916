#include "stages/fetch/curl_trace.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <string>

namespace kernelmill {
namespace {

// Lines begin with the time, "15:24:45.310997 http.c:684 ".
constexpr std::string_view kTime = "00:00:00.000000";
constexpr std::string_view kHeader = "<= Recv header: ";

bool BeginsWithTime(std::string_view line) {
  if (line.size() <= kTime.size()) return false;
  for (std::size_t i = 0; i < kTime.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(line[i])) != 0;
    if (kTime[i] == '0' ? !digit : line[i] != kTime[i]) return false;
  }
  return true;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::optional<std::chrono::seconds> Wait(const std::string& value) {
  std::int64_t seconds = 0;
  const char* const end = value.data() + value.size();
  if (const auto [at, error] = std::from_chars(value.data(), end, seconds);
      error == std::errc() && at == end && seconds >= 0) {
    return std::chrono::seconds(seconds);
  }
  std::tm date = {};
  if (strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) return std::nullopt;
  return std::max(std::chrono::seconds(timegm(&date) - std::time(nullptr)),
                  std::chrono::seconds(0));
}

}  // namespace

bool CurlTrace::Take(std::string_view line) {
  if (!BeginsWithTime(line)) return false;
  const auto header = line.find(kHeader);
  if (header != std::string_view::npos) TakeHeader(line.substr(header + kHeader.size()));
  return true;
}

void CurlTrace::TakeHeader(std::string_view header) {
  while (!header.empty() && (header.back() == '\r' || header.back() == ' ')) {
    header.remove_suffix(1);
  }
  if (header.starts_with("HTTP/")) {
    const auto space = std::min(header.find(' '), header.size() - 1);
    status_ = 0;
    std::from_chars(header.data() + space + 1, header.data() + header.size(), status_);
    retry_after_.reset();
    return;
  }
  const auto colon = header.find(':');
  if (colon == std::string_view::npos || LowerCase(header.substr(0, colon)) != "retry-after") {
    return;
  }
  const auto value = header.find_first_not_of(' ', colon + 1);
  if (value != std::string_view::npos) retry_after_ = Wait(std::string(header.substr(value)));
}

}  // namespace kernelmill
