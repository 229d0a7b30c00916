// JSON values, in which records, manifests, configurations and messages of the torch worker are
// held: parsing, access and canonical output. Only json.cc uses RapidJSON.
//
// Dump() is canonical, so that it can be hashed: UTF-8, object keys in byte order, no white space,
// integers in decimal, doubles in their shortest form that reads back to the same bits. One that is
// not finite is written as null: JSON has no number for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  // Refuses text that is not UTF-8 or has duplicate keys, trailing bytes, a NaN, an integer outside
  // int64, or more than kMaxDepth levels. The limit on depth lets readers of the value recurse.
  static constexpr int kMaxDepth = 256;
  static Result<Json> Parse(std::string_view text);

  std::string Dump() const;
  // Two-space indentation and a final newline, for files that people read.
  std::string Pretty() const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_double() const { return std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Each requires the matching is_…(). For untrusted text check it first, or use JsonFields.
  bool as_bool() const { return std::get<bool>(value_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(value_); }
  // The value of an integer or a double.
  double as_double() const;
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const Array& as_array() const { return std::get<Array>(value_); }
  Array& as_array() { return std::get<Array>(value_); }
  const Object& as_object() const { return std::get<Object>(value_); }
  Object& as_object() { return std::get<Object>(value_); }

  // The member, or nullptr when this is not an object or has no such key.
  const Json* Find(std::string_view key) const;
  // The member, or "" (0) when there is no member of that type.
  std::string TextAt(std::string_view key) const;
  std::int64_t IntegerAt(std::string_view key) const;
  // Makes this an object if it is null, and adds the key if it is missing.
  Json& operator[](std::string_view key);

  // "null", "bool", "integer", "number", "string", "array" or "object", for messages.
  std::string_view TypeName() const;

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

// True when the bytes are well-formed UTF-8 (no overlong forms, no surrogates).
bool IsUtf8(std::string_view bytes);

}  // namespace kernelmill
