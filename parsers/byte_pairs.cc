#include "parsers/byte_pairs.h"

#include <array>
#include <optional>
#include <queue>
#include <vector>

namespace kernelmill {
namespace {

// A vocabulary represents each byte by a printable character: printable Latin-1 bytes by
// themselves, the others by the next character from U+0100 on.
std::array<int, 512> ByteOfCharacter() {
  std::array<int, 512> bytes;
  bytes.fill(-1);
  std::size_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
    bytes[printable ? static_cast<std::size_t>(byte) : next++] = byte;
  }
  return bytes;
}

// The bytes that a vocabulary's spelling represents; std::nullopt when it contains other
// characters.
std::optional<std::string> BytesOf(std::string_view spelling) {
  static const std::array<int, 512> kBytes = ByteOfCharacter();
  std::string bytes;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    auto character = static_cast<std::size_t>(static_cast<unsigned char>(spelling[i]));
    if (character >= 0x80) {
      // All characters of this alphabet outside of ASCII have two bytes in UTF-8.
      if (character < 0xc0 || character >= 0xe0 || i + 1 == spelling.size()) return {};
      character = (character & 0x1f) << 6 | (static_cast<unsigned char>(spelling[++i]) & 0x3f);
    }
    if (character >= kBytes.size() || kBytes[character] < 0) return {};
    bytes += static_cast<char>(kBytes[character]);
  }
  return bytes;
}

std::uint64_t KeyOf(int left, int right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

// Merges are written as "a b" or as ["a", "b"].
std::optional<std::pair<std::string, std::string>> PairOf(const Json& merge) {
  if (merge.is_string()) {
    const std::string& text = merge.as_string();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos) return {};
    return std::pair(text.substr(0, space), text.substr(space + 1));
  }
  if (!merge.is_array() || merge.as_array().size() != 2) return {};
  const Json::Array& pair = merge.as_array();
  if (!pair[0].is_string() || !pair[1].is_string()) return {};
  return std::pair(pair[0].as_string(), pair[1].as_string());
}

// Whether the member exists and is not null, false, 0 or "".
bool IsSet(const Json& model, const char* key) {
  const Json* member = model.Find(key);
  if (member == nullptr || member->is_null()) return false;
  if (member->is_bool()) return member->as_bool();
  if (member->is_string()) return !member->as_string().empty();
  return !(member->is_int() || member->is_double()) || member->as_double() != 0;
}

Status Unsupported(const std::string& what) {
  return Status(ErrorCode::kConfig, "model: " + what + "; only byte-level BPE can be counted");
}

}  // namespace

Result<BytePairs> BytePairs::FromJson(const Json& model) {
  const Json* type = model.Find("type");
  // Files of old versions lack the type.
  if (type != nullptr && *type != Json("BPE")) return Unsupported("its type is " + type->Dump());
  for (const char* key :
       {"continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "dropout"}) {
    if (IsSet(model, key)) return Unsupported(std::string("it has a ") + key);
  }
  const Json* vocabulary = model.Find("vocab");
  const Json* merges = model.Find("merges");
  if (vocabulary == nullptr || !vocabulary->is_object() || merges == nullptr ||
      !merges->is_array()) {
    return Unsupported("it has no vocab and merges");
  }
  BytePairs pairs;
  pairs.whole_first_ = IsSet(model, "ignore_merges");
  for (const auto& [spelling, id] : vocabulary->as_object()) {
    if (!id.is_int() || id.as_int() < 0 || id.as_int() > INT32_MAX) {
      return Unsupported("the number of a token in vocab is " + id.Dump());
    }
    // A spelling with other characters is a special token, not text.
    if (auto bytes = BytesOf(spelling)) {
      pairs.tokens_.emplace(*std::move(bytes), static_cast<int>(id.as_int()));
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    const auto token = pairs.tokens_.find(std::string(1, static_cast<char>(byte)));
    if (token == pairs.tokens_.end()) {
      return Unsupported("vocab has no token for byte " + std::to_string(byte));
    }
    pairs.byte_tokens_[byte] = token->second;
  }
  int rank = 0;
  for (const Json& merge : merges->as_array()) {
    const auto pair = PairOf(merge);
    const auto left = pair ? BytesOf(pair->first) : std::nullopt;
    const auto right = pair ? BytesOf(pair->second) : std::nullopt;
    if (!left || !right || !pairs.tokens_.contains(*left) || !pairs.tokens_.contains(*right) ||
        !pairs.tokens_.contains(*left + *right)) {
      return Unsupported("merge " + std::to_string(rank) + " joins what is not in vocab");
    }
    pairs.merges_.insert_or_assign(KeyOf(pairs.tokens_[*left], pairs.tokens_[*right]),
                                   Merge{rank, pairs.tokens_[*left + *right]});
    ++rank;
  }
  return pairs;
}

const BytePairs::Merge* BytePairs::Find(int left, int right) const {
  const auto merge = merges_.find(KeyOf(left, right));
  return merge == merges_.end() ? nullptr : &merge->second;
}

std::int64_t BytePairs::Count(std::string_view piece) const {
  if (piece.size() < 2) return static_cast<std::int64_t>(piece.size());
  if (whole_first_ && tokens_.contains(std::string(piece))) return 1;
  return Merged(piece);
}

std::int64_t BytePairs::Merged(std::string_view piece) const {
  constexpr int kGone = -1;
  struct Symbol {
    int token, before, after;  // Indices of the adjacent tokens; kGone at the ends.
  };
  struct Candidate {
    int rank, left, token;
    // Orders a max-heap: the lowest rank is on top, the leftmost of equal ones first.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  const int length = static_cast<int>(piece.size());
  std::vector<Symbol> symbols;
  for (int i = 0; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(piece[static_cast<std::size_t>(i)]);
    symbols.push_back({byte_tokens_[byte], i - 1, i + 1 < length ? i + 1 : kGone});
  }
  const auto at = [&](int i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
  std::priority_queue<Candidate> candidates;
  const auto consider = [&](int left) {
    if (left == kGone || at(left).after == kGone) return;
    if (const Merge* merge = Find(at(left).token, at(at(left).after).token)) {
      candidates.push({merge->rank, left, merge->token});
    }
  };
  for (int i = 0; i < length; ++i) consider(i);
  std::int64_t count = length;
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Symbol& left = at(best.left);
    if (left.token == kGone || left.after == kGone) continue;
    // The candidate is stale if one of its tokens has merged since.
    const Merge* merge = Find(left.token, at(left.after).token);
    if (merge == nullptr || merge->token != best.token) continue;
    Symbol& right = at(left.after);
    right.token = kGone;
    left.token = best.token;
    left.after = right.after;
    if (left.after != kGone) at(left.after).before = best.left;
    --count;
    consider(left.before);
    consider(best.left);
  }
  return count;
}

}  // namespace kernelmill
