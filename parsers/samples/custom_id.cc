#include "parsers/samples/custom_id.h"

#include <algorithm>
#include <charconv>

#include "manifests/ascii.h"
#include "parsers/samples/kernelbench_sample.h"
#include "parsers/samples/sample_fields.h"

namespace kernelmill {
namespace {

std::optional<std::int64_t> NumberOf(std::string_view digits) {
  std::int64_t number = 0;
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && number <= kMostCount ? std::optional(number) : std::nullopt;
}

// The part of `text` after its last colon; empty if there is no colon behind a first character.
std::string_view LastPart(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon == text.npos || colon == 0 ? std::string_view() : text.substr(colon + 1);
}

}  // namespace

bool IsRetryName(std::string_view text) {
  return text.size() == kRetryDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string CustomId::Text() const {
  std::string text = task;
  if (backend != nullptr) text += ':' + std::string(backend->name);
  if (attempt) text += ':' + std::to_string(*attempt);
  if (turn > 1) text += ":t" + std::to_string(turn);
  if (!retry.empty()) text += ":r" + retry;
  return text;
}

CustomId CustomId::Parse(std::string_view text) {
  CustomId id;
  if (const std::optional<KernelBenchSampleName> name = KernelBenchSampleName::Parse(text)) {
    id.task = name->Task();
    id.attempt = name->sample;
    return id;
  }
  const auto remove = [&](std::string_view part) { text.remove_suffix(part.size() + 1); };
  if (const std::string_view part = LastPart(text);
      part.starts_with('r') && IsRetryName(part.substr(1))) {
    id.retry = std::string(part.substr(1));
    remove(part);
  }
  if (const std::string_view part = LastPart(text); part.starts_with('t')) {
    if (const auto turn = NumberOf(part.substr(1)); turn && *turn > 0) {
      id.turn = *turn;
      remove(part);
    }
  }
  if (const std::string_view part = LastPart(text); const auto attempt = NumberOf(part)) {
    id.attempt = attempt;
    remove(part);
  }
  if (const std::string_view part = LastPart(text);
      const KernelBackend* const backend = FindKernelBackend(part)) {
    id.backend = backend;
    remove(part);
  }
  id.task = std::string(text);
  return id;
}

}  // namespace kernelmill
