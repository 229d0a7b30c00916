#include "parsers/samples/sample_fields.h"

namespace kernelmill {
namespace {

std::string Quoted(const std::string& name) { return '"' + name + '"'; }

}  // namespace

const Json* SampleFields::Typed(std::string_view key, bool (Json::*fits)() const,
                                std::string_view type) {
  const Json* const value = object_.Find(key);
  if (value == nullptr || value->is_null()) return nullptr;
  if ((value->*fits)()) return value;
  Fail(Quoted(Name(key)) + " must be " + std::string(type) + ", it is of type " +
       std::string(value->TypeName()));
  return nullptr;
}

void SampleFields::Missing(std::string_view key) { Fail("there is no " + Quoted(Name(key))); }

std::string SampleFields::Text(std::string_view key) {
  const Json* const value = Typed(key, &Json::is_string, "a string");
  return value == nullptr ? "" : value->as_string();
}

std::optional<std::int64_t> SampleFields::Count(std::string_view key) {
  const Json* const value = Typed(key, &Json::is_int, "an integer");
  if (value == nullptr) return std::nullopt;
  if (value->as_int() > kMostCount) {
    Fail(Quoted(Name(key)) + " is too large: " + value->Dump());
    return std::nullopt;
  }
  if (value->as_int() >= 0) return value->as_int();
  Fail(Quoted(Name(key)) + " must not be negative, it is " + value->Dump());
  return std::nullopt;
}

std::optional<double> SampleFields::Number(std::string_view key) {
  const Json* const value = object_.Find(key);
  if (value != nullptr && value->is_int()) return value->as_double();
  const Json* const number = Typed(key, &Json::is_double, "a number");
  return number == nullptr ? std::nullopt : std::optional(number->as_double());
}

const Json* SampleFields::Object(std::string_view key) {
  return Typed(key, &Json::is_object, "an object");
}

const Json* SampleFields::Array(std::string_view key) {
  return Typed(key, &Json::is_array, "an array");
}

std::string SampleFields::RequiredText(std::string_view key) {
  std::string text = Text(key);
  if (text.empty()) Missing(key);
  return text;
}

const Json* SampleFields::RequiredObject(std::string_view key) {
  const Json* const object = Object(key);
  if (object == nullptr) Missing(key);
  return object;
}

const Json* SampleFields::RequiredArray(std::string_view key) {
  const Json* const array = Array(key);
  if (array == nullptr || array->as_array().empty()) Missing(key);
  return array;
}

}  // namespace kernelmill
