#include "parsers/program_grams.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "manifests/split_mix.h"

namespace kernelmill {
namespace {

// FNV-1a: tokens are a few bytes long.
std::uint64_t HashOf(std::string_view token) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : token) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return MixedBits(hash);
}

}  // namespace

std::vector<std::uint64_t> ProgramGrams(ProgramLanguage language, std::string_view text) {
  std::vector<std::uint64_t> grams;
  std::array<std::uint64_t, kGramTokens> last{};
  std::size_t tokens = 0;
  const auto gram = [&] {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      hash = MixedBits(hash + kSplitMixStep + last[(tokens + i) % last.size()]);
    }
    return hash;
  };
  ForEachProgramToken(language, text, [&](const ProgramToken& token) {
    last[tokens++ % last.size()] = HashOf(token.text);
    if (tokens >= last.size()) grams.push_back(gram());
  });
  if (tokens > 0 && tokens < last.size()) grams.push_back(gram());
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

}  // namespace kernelmill
