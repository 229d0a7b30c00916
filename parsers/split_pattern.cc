#define PCRE2_CODE_UNIT_WIDTH 8
#include "parsers/split_pattern.h"

#include <pcre2.h>

namespace kernelmill {
namespace {

std::string MessageOf(int error) {
  PCRE2_UCHAR buffer[256];
  pcre2_get_error_message(error, buffer, sizeof(buffer));
  return reinterpret_cast<const char*>(buffer);
}

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

void SplitPattern::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

Result<SplitPattern> SplitPattern::Compile(const std::string& regex) {
  int error = 0;
  PCRE2_SIZE at = 0;
  SplitPattern pattern;
  pattern.regex_ = regex;
  pattern.code_.reset(
      pcre2_compile(Units(regex), regex.size(), PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr));
  if (pattern.code_ == nullptr) {
    return Status(ErrorCode::kConfig, "the pattern '" + regex + "' is wrong at byte " +
                                          std::to_string(at) + ": " + MessageOf(error));
  }
  // If executable memory is not allowed, matching falls back to the slower interpreter.
  pcre2_jit_compile(pattern.code_.get(), PCRE2_JIT_COMPLETE);
  return pattern;
}

Status SplitPattern::Split(std::string_view text, std::vector<std::string_view>* pieces) const {
  struct FreeMatch {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
  std::uint32_t options = 0;  // The first call checks that the text is UTF-8.
  std::size_t done = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin < end) pieces->push_back(text.substr(begin, end - begin));
  };
  for (std::size_t from = 0; from < text.size();) {
    const auto run = [&](std::uint32_t more) {
      return pcre2_match(code_.get(), Units(text), text.size(), from, options | more, match.get(),
                         nullptr);
    };
    int found = run(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = run(PCRE2_NO_JIT);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) {
      return Status(ErrorCode::kConfig, "the pattern '" + regex_ + "' fails: " + MessageOf(found));
    }
    options = PCRE2_NO_UTF_CHECK;
    add(done, bounds[0]);
    add(bounds[0], bounds[1]);
    done = bounds[1];
    // An empty match is not a piece: continue after the next character.
    from = bounds[1];
    if (bounds[0] == bounds[1]) {
      ++from;
      while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
    }
  }
  add(done, text.size());
  return Status::Ok();
}

}  // namespace kernelmill
