#include "manifests/json_fields.h"

#include <algorithm>

namespace kernelmill {

JsonFields::JsonFields(const Json& json, std::string_view what) : json_(json), what_(what) {
  if (!json.is_object()) {
    Fail(Status(ErrorCode::kCorrupt, "an object is expected, not " + std::string(json.TypeName())));
  }
}

void JsonFields::Fail(Status status) {
  if (status_.ok()) status_ = status.Within(what_);
}

bool JsonFields::Has(std::string_view key) const { return json_.Find(key) != nullptr; }

const Json* JsonFields::Take(std::string_view key, std::string_view type) {
  asked_.push_back(key);
  const Json* value = json_.Find(key);
  if (value == nullptr) {
    Fail(Status(ErrorCode::kCorrupt, "the field '" + std::string(key) + "' is missing"));
    return nullptr;
  }
  const bool fits =
      type.empty() || value->TypeName() == type || (type == "number" && value->is_int());
  if (!fits) {
    Fail(Status(ErrorCode::kCorrupt, "the field '" + std::string(key) + "' must be of type " +
                                         std::string(type) + ", not " +
                                         std::string(value->TypeName())));
    return nullptr;
  }
  return value;
}

void JsonFields::Read(std::string_view key, bool* out) {
  if (const Json* value = Take(key, "bool")) *out = value->as_bool();
}
void JsonFields::Read(std::string_view key, std::int64_t* out) {
  if (const Json* value = Take(key, "integer")) *out = value->as_int();
}
void JsonFields::Read(std::string_view key, int* out) {
  std::int64_t wide = 0;
  Read(key, &wide);
  if (wide < INT32_MIN || wide > INT32_MAX) {
    return Fail(
        Status(ErrorCode::kCorrupt, "the field '" + std::string(key) + "' is out of range"));
  }
  *out = static_cast<int>(wide);
}
void JsonFields::Read(std::string_view key, double* out) {
  if (const Json* value = Take(key, "number")) *out = value->as_double();
}
void JsonFields::Read(std::string_view key, std::string* out) {
  if (const Json* value = Take(key, "string")) *out = value->as_string();
}
void JsonFields::Read(std::string_view key, Digest* out) {
  const Json* value = Take(key, "string");
  if (value == nullptr) return;
  Result<Digest> digest = Digest::FromHex(value->as_string());
  if (!digest.ok()) return Fail(digest.status().Within(key));
  *out = *digest;
}
void JsonFields::Read(std::string_view key, std::vector<std::string>* out) {
  ReadArray(key, out, [](const Json& item) -> Result<std::string> {
    if (!item.is_string()) return Status(ErrorCode::kCorrupt, "its items must be strings");
    return item.as_string();
  });
}
void JsonFields::Read(std::string_view key, std::vector<std::int64_t>* out) {
  ReadArray(key, out, [](const Json& item) -> Result<std::int64_t> {
    if (!item.is_int()) return Status(ErrorCode::kCorrupt, "its items must be integers");
    return item.as_int();
  });
}
void JsonFields::Read(std::string_view key, Json* out) {
  if (const Json* value = Take(key, "")) *out = *value;
}

void JsonFields::Version(int supported) {
  int version = 0;
  Read("v", &version);
  if (status_.ok() && (version < 1 || version > supported)) {
    Fail(Status(ErrorCode::kCorrupt,
                "version " + std::to_string(version) +
                    " was written by another kernelmill; this one reads up to " +
                    std::to_string(supported)));
  }
}

Status JsonFields::Finish() {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : json_.as_object()) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
      return Status(ErrorCode::kCorrupt, what_ + ": unknown field '" + key +
                                             "': written by a newer kernelmill, or edited by hand");
    }
  }
  return Status::Ok();
}

Json ToJson(const std::vector<std::string>& items) {
  return Json(Json::Array(items.begin(), items.end()));
}
Json ToJson(const std::vector<std::int64_t>& items) {
  return Json(Json::Array(items.begin(), items.end()));
}

}  // namespace kernelmill
