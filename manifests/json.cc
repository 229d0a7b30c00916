#include "manifests/json.h"

#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <cmath>

namespace kernelmill {
namespace {

// Builds a Json value from the events of RapidJSON's reader, with an explicit stack.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  bool Null() { return Add(Json()); }
  bool Bool(bool value) { return Add(Json(value)); }
  // RapidJSON 1.1 checks the form of a number, but for exponents of many digits it reads past the
  // end of a table, and it converts some denormal numbers to NaN.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view number(text, size);
    const char* const last = text + size;
    if (number.find_first_of(".eE") == std::string_view::npos) {
      std::int64_t value = 0;
      if (std::from_chars(text, last, value).ec == std::errc()) return Add(Json(value));
      return Fail("an integer outside int64");
    }
    double value = 0;
    if (std::from_chars(text, last, value).ec == std::errc()) return Add(Json(value));
    return Fail("a number that no double holds");
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return CheckEscapes({text, size}) && Add(Json(std::string(text, size)));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!CheckEscapes({text, size})) return false;
    keys_.emplace_back(text, size);
    return true;
  }
  bool StartObject() { return Open(Json(Json::Object())); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return Open(Json(Json::Array())); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  Json Take() { return std::move(root_); }
  const std::string& error() const { return error_; }

 private:
  // RapidJSON converts the escape of an unpaired surrogate into bytes that are not UTF-8; they
  // begin with 0xED.
  bool CheckEscapes(std::string_view text) {
    if (text.find('\xed') == std::string_view::npos || IsUtf8(text)) return true;
    return Fail("half a surrogate pair");
  }
  bool Fail(std::string why) {
    error_ = std::move(why);
    return false;
  }
  bool Open(Json container) {
    if (open_.size() >= static_cast<std::size_t>(Json::kMaxDepth)) {
      return Fail("more than " + std::to_string(Json::kMaxDepth) + " levels of nesting");
    }
    open_.push_back(std::move(container));
    return true;
  }
  bool Close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return Add(std::move(done));
  }
  bool Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Json& parent = open_.back();
    if (parent.is_array()) {
      parent.as_array().push_back(std::move(value));
      return true;
    }
    std::string key = std::move(keys_.back());
    keys_.pop_back();
    if (!parent.as_object().emplace(key, std::move(value)).second) {
      return Fail("the key '" + key + "' twice in one object");
    }
    return true;
  }

  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;
  std::string error_;
};

// The recursion is bounded: Parse accepts kMaxDepth levels, and kernelmill's records have fewer.
template <typename Writer>
void Write(const Json& json, Writer& writer) {
  if (json.is_null()) {
    writer.Null();
  } else if (json.is_bool()) {
    writer.Bool(json.as_bool());
  } else if (json.is_int()) {
    writer.Int64(json.as_int());
  } else if (json.is_double()) {
    // RapidJSON would write nothing at all.
    std::isfinite(json.as_double()) ? writer.Double(json.as_double()) : writer.Null();
  } else if (json.is_string()) {
    writer.String(json.as_string().data(),
                  static_cast<rapidjson::SizeType>(json.as_string().size()));
  } else if (json.is_array()) {
    writer.StartArray();
    for (const Json& item : json.as_array()) Write(item, writer);
    writer.EndArray();
  } else {
    writer.StartObject();
    for (const auto& [key, member] : json.as_object()) {
      writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
      Write(member, writer);
    }
    writer.EndObject();
  }
}

}  // namespace

Result<Json> Json::Parse(std::string_view text) {
  // RapidJSON would take a NUL byte as the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return Status(ErrorCode::kCorrupt,
                  "not valid JSON at byte " + std::to_string(at) + ": a NUL byte");
  }
  Builder builder;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag;
  const auto result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    std::string why =
        builder.error().empty() ? rapidjson::GetParseError_En(result.Code()) : builder.error();
    return Status(ErrorCode::kCorrupt,
                  "not valid JSON at byte " + std::to_string(result.Offset()) + ": " + why);
  }
  return builder.Take();
}

std::string Json::Dump() const {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  Write(*this, writer);
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string Json::Pretty() const {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  Write(*this, writer);
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

double Json::as_double() const {
  return is_int() ? static_cast<double>(as_int()) : std::get<double>(value_);
}

const Json* Json::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const auto it = as_object().find(key);
  return it == as_object().end() ? nullptr : &it->second;
}

std::string Json::TextAt(std::string_view key) const {
  const Json* member = Find(key);
  return member != nullptr && member->is_string() ? member->as_string() : "";
}

std::int64_t Json::IntegerAt(std::string_view key) const {
  const Json* member = Find(key);
  return member != nullptr && member->is_int() ? member->as_int() : 0;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  return as_object()[std::string(key)];
}

std::string_view Json::TypeName() const {
  static constexpr std::string_view kNames[] = {"null",   "bool",  "integer", "number",
                                                "string", "array", "object"};
  return kNames[value_.index()];
}

bool IsUtf8(std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* end = p + bytes.size();
  while (p < end) {
    if (*p < 0x80) {
      ++p;
      continue;
    }
    const int extra = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
    if (*p < 0xC2 || *p > 0xF4 || end - p <= extra) return false;
    std::uint32_t code = *p & (0x3F >> extra);
    for (int i = 1; i <= extra; ++i) {
      if ((p[i] & 0xC0) != 0x80) return false;
      code = code << 6 | (p[i] & 0x3F);
    }
    static constexpr std::uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[extra] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      return false;
    }
    p += extra + 1;
  }
  return true;
}

}  // namespace kernelmill
