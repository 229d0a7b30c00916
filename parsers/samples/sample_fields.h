// Reads fields of a JSON object that a server or a user wrote. JsonFields (manifests/json_fields.h)
// reads our own objects, where a missing or an unknown field is an error; here a field may be
// missing or null, and servers add fields as they like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/json.h"

namespace kernelmill {

// The largest count that is believed: sums of counts stay in range.
inline constexpr std::int64_t kMostCount = 1'000'000'000'000;

// `object` must be a JSON object and outlive this.
class SampleFields {
 public:
  // `place` is put before the names of fields in problems: "response.body.".
  explicit SampleFields(const Json& object, std::string place = "")
      : object_(object), place_(std::move(place)) {}

  // The value, or "", nothing or null if the field is missing or null. A field of another type is a
  // problem.
  std::string Text(std::string_view key);
  // Neither negative nor above kMostCount.
  std::optional<std::int64_t> Count(std::string_view key);
  std::optional<double> Number(std::string_view key);
  const Json* Object(std::string_view key);
  const Json* Array(std::string_view key);

  // The same, where a missing field is a problem too.
  std::string RequiredText(std::string_view key);  // And an empty text.
  const Json* RequiredObject(std::string_view key);
  const Json* RequiredArray(std::string_view key);  // And an empty array.

  // "choices[0].message." + key, for messages.
  std::string Name(std::string_view key) const { return place_ + std::string(key); }
  // The first problem, a clause such as "\"id\" must be a string, it is a number"; or "".
  const std::string& problem() const { return problem_; }
  void Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

 private:
  // The field unless it is missing or null; the problem that it must be `type` if `fits` is false.
  const Json* Typed(std::string_view key, bool (Json::*fits)() const, std::string_view type);
  void Missing(std::string_view key);

  const Json& object_;
  std::string place_;
  std::string problem_;
};

}  // namespace kernelmill
