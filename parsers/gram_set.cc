#include "parsers/gram_set.h"

#include <algorithm>
#include <utility>

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

void GramSet::AddToken(std::string_view token, bool tells) {
  last_[tokens_++ % last_.size()] = HashOf(token);
  if (tells) telling_ = tokens_;
  if (tokens_ >= last_.size()) AddGram();
}

void GramSet::AddGram() {
  if (telling_ == 0 || telling_ + last_.size() <= tokens_) return;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    hash = MixedBits(hash + kSplitMixStep + last_[(tokens_ + i) % last_.size()]);
  }
  grams_.push_back(hash);
}

void GramSet::EndRun() {
  if (tokens_ > 0 && tokens_ < last_.size()) AddGram();
  last_ = {};
  tokens_ = telling_ = 0;
}

std::vector<std::uint64_t> GramSet::Take() {
  EndRun();
  std::sort(grams_.begin(), grams_.end());
  grams_.erase(std::unique(grams_.begin(), grams_.end()), grams_.end());
  return std::exchange(grams_, {});
}

}  // namespace kernelmill
