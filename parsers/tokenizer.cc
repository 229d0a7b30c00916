#include "parsers/tokenizer.h"

#include <algorithm>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

// The default pattern of the pre-tokenizer ByteLevel.
constexpr char kByteLevelPattern[] =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Status Unsupported(const std::string& what) {
  return Status(ErrorCode::kConfig, what + ": that cannot be counted");
}

bool IsTrue(const Json& json, const char* key, bool otherwise) {
  const Json* member = json.Find(key);
  return member != nullptr && member->is_bool() ? member->as_bool() : otherwise;
}

// The members of a "Sequence", or the value itself; none for null.
Json::Array PartsOf(const Json* json, const char* members) {
  if (json == nullptr || json->is_null()) return {};
  if (json->TextAt("type") != "Sequence") return {*json};
  const Json* parts = json->Find(members);
  return parts != nullptr && parts->is_array() ? parts->as_array() : Json::Array{*json};
}

// The pattern of a Split: {"Regex": "…"} or {"String": "…"}.
Result<std::string> PatternOf(const Json& split) {
  const Json* behavior = split.Find("behavior");
  if (behavior == nullptr || *behavior != Json("Isolated") || IsTrue(split, "invert", false)) {
    return Unsupported("pre_tokenizer Split does not isolate what it finds");
  }
  const Json* pattern = split.Find("pattern");
  const Json* regex = pattern == nullptr ? nullptr : pattern->Find("Regex");
  if (regex == nullptr || !regex->is_string()) {
    return Unsupported("pre_tokenizer Split has no Regex");
  }
  // The files are written for Oniguruma, which agrees with PCRE2 except for a few constructs.
  for (const char* other : {"&&", "\\h"}) {
    if (regex->as_string().find(other) != std::string::npos) {
      return Unsupported(std::string("pre_tokenizer Split with ") + other + " in its Regex");
    }
  }
  return regex->as_string();
}

}  // namespace

Result<Tokenizer> Tokenizer::Load(const std::string& path) {
  KM_ASSIGN(const std::string bytes, ReadFile(path));
  Result<Tokenizer> tokenizer = Parse(bytes);
  if (!tokenizer.ok()) return tokenizer.status().Within(path);
  return tokenizer;
}

Result<Tokenizer> Tokenizer::Parse(std::string_view text) {
  const Result<Json> json = Json::Parse(text);
  if (!json.ok()) return Status(ErrorCode::kConfig, json.status().message());
  const Json* model = json->Find("model");
  if (model == nullptr) return Unsupported("it has no model, so it is no tokenizer.json");
  Tokenizer tokenizer;
  tokenizer.name_ = "sha256:" + DigestOf(text).Hex();
  KM_RETURN_IF_ERROR(tokenizer.ReadAddedTokens(*json));
  for (const Json& part : PartsOf(json->Find("normalizer"), "normalizers")) {
    if (part.TextAt("type") != "NFC") return Unsupported("normalizer " + part.Dump());
  }
  KM_RETURN_IF_ERROR(tokenizer.ReadPreTokenizer(*json));
  KM_ASSIGN(tokenizer.pairs_, BytePairs::FromJson(*model));
  return tokenizer;
}

Status Tokenizer::ReadAddedTokens(const Json& json) {
  const Json* added = json.Find("added_tokens");
  if (added == nullptr || !added->is_array()) return Status::Ok();
  for (const Json& token : added->as_array()) {
    const Json* content = token.Find("content");
    if (content == nullptr || !content->is_string() || content->as_string().empty()) {
      return Unsupported("added_tokens: one has no content");
    }
    for (const char* key : {"single_word", "lstrip", "rstrip"}) {
      if (IsTrue(token, key, false)) {
        return Unsupported("added_tokens: " + content->Dump() + " has " + key);
      }
    }
    added_.push_back(content->as_string());
  }
  // Of two tokens that begin at the same position the longer one is matched.
  std::sort(added_.begin(), added_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return Status::Ok();
}

Status Tokenizer::ReadPreTokenizer(const Json& json) {
  bool bytes = false;
  const Json::Array parts = PartsOf(json.Find("pre_tokenizer"), "pretokenizers");
  for (const Json& part : parts) {
    const std::string type = part.TextAt("type");
    std::string regex;
    if (bytes) return Unsupported("pre_tokenizer " + type + " after ByteLevel");
    if (type == "Split") {
      KM_ASSIGN(regex, PatternOf(part));
    } else if (type == "Digits") {
      regex = IsTrue(part, "individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)";
    } else if (type == "ByteLevel") {
      bytes = true;
      prefix_space_ = IsTrue(part, "add_prefix_space", true);
      if (prefix_space_ && parts.size() > 1) {
        return Unsupported("pre_tokenizer ByteLevel with add_prefix_space after another one");
      }
      if (IsTrue(part, "use_regex", true)) regex = kByteLevelPattern;
    } else {
      return Unsupported("pre_tokenizer " + part.Dump().substr(0, 200));
    }
    if (regex.empty()) continue;
    KM_ASSIGN(SplitPattern pattern, SplitPattern::Compile(regex));
    patterns_.push_back(std::move(pattern));
  }
  return bytes ? Status::Ok() : Unsupported("pre_tokenizer is not ByteLevel");
}

Result<std::int64_t> Tokenizer::Count(std::string_view text) const {
  std::int64_t count = 0;
  std::size_t done = 0;
  const auto ordinary = [&](std::size_t end) -> Status {
    if (done == end) return Status::Ok();
    KM_ASSIGN(const std::int64_t more, CountOrdinary(text.substr(done, end - done)));
    count += more;
    return Status::Ok();
  };
  std::string starts;
  for (const std::string& token : added_) {
    if (starts.find(token[0]) == std::string::npos) starts += token[0];
  }
  for (std::size_t i = 0; (i = text.find_first_of(starts, i)) != std::string_view::npos;) {
    const auto token = std::find_if(added_.begin(), added_.end(), [&](const std::string& added) {
      return text.substr(i).starts_with(added);
    });
    if (token == added_.end()) {
      ++i;
      continue;
    }
    KM_RETURN_IF_ERROR(ordinary(i));
    ++count;
    done = i += token->size();
  }
  KM_RETURN_IF_ERROR(ordinary(text.size()));
  return count;
}

Result<std::int64_t> Tokenizer::CountOrdinary(std::string_view text) const {
  std::string prefixed;
  if (prefix_space_ && !text.starts_with(' ')) {
    prefixed = " " + std::string(text);
    text = prefixed;
  }
  std::vector<std::string_view> pieces = {text};
  for (const SplitPattern& pattern : patterns_) {
    std::vector<std::string_view> smaller;
    for (std::string_view piece : pieces) KM_RETURN_IF_ERROR(pattern.Split(piece, &smaller));
    pieces = std::move(smaller);
  }
  std::int64_t count = 0;
  for (std::string_view piece : pieces) count += pairs_.Count(piece);
  return count;
}

}  // namespace kernelmill
