// Strict reading of one JSON object into a struct, for every FromJson() function. The caller reads
// every field by name and type. A missing field, a field of another type and a field that was not
// read (a newer version wrote it, or somebody edited the file) are errors. Finish() returns the
// first one.
//
//   JsonFields fields(json, "task");
//   fields.Read("code", &task.code);
//   KM_RETURN_IF_ERROR(fields.Finish());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

class JsonFields {
 public:
  // `what` names the object in messages, e.g. "task" or a file name. `json` and the keys that are
  // read must outlive this object.
  JsonFields(const Json& json, std::string_view what);

  void Read(std::string_view key, bool* out);
  void Read(std::string_view key, std::int64_t* out);
  void Read(std::string_view key, int* out);
  void Read(std::string_view key, double* out);
  void Read(std::string_view key, std::string* out);
  void Read(std::string_view key, Digest* out);
  void Read(std::string_view key, std::vector<std::string>* out);
  void Read(std::string_view key, std::vector<std::int64_t>* out);
  // A JSON value of any type.
  void Read(std::string_view key, Json* out);
  // An array; `decode`, Result<T>(const Json&), reads each item.
  template <typename T, typename Decode>
  void ReadArray(std::string_view key, std::vector<T>* out, Decode decode) {
    const Json* array = Take(key, "array");
    if (array == nullptr) return;
    out->reserve(array->as_array().size());
    for (const Json& item : array->as_array()) {
      Result<T> decoded = decode(item);
      if (!decoded.ok()) return Fail(decoded.status().Within(key));
      out->push_back(std::move(decoded).value());
    }
  }
  // One value; `decode`, Result<T>(const Json&), reads it.
  template <typename T, typename Decode>
  void ReadValue(std::string_view key, T* out, Decode decode) {
    const Json* value = Take(key, "");
    if (value == nullptr) return;
    Result<T> decoded = decode(*value);
    if (!decoded.ok()) return Fail(decoded.status().Within(key));
    *out = std::move(decoded).value();
  }
  // Whether the object has the key. This does not count as reading it.
  bool Has(std::string_view key) const;
  // Checks that integer field "v" is between 1 and `supported`.
  void Version(int supported);

  Status Finish();

 private:
  const Json* Take(std::string_view key, std::string_view type);
  void Fail(Status status);

  const Json& json_;
  std::string what_;
  std::vector<std::string_view> asked_;
  Status status_;
};

Json ToJson(const std::vector<std::string>& items);
Json ToJson(const std::vector<std::int64_t>& items);

}  // namespace kernelmill
