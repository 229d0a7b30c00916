// The key of an endpoint. It comes from an environment variable only, goes into the header of
// requests only, and is taken out of whatever is written or shown, because servers repeat keys in
// errors.
#pragma once

#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

class ApiKey {
 public:
  // The variable that is read unless the user names another.
  static constexpr char kVariable[] = "KERNELMILL_API_KEY";

  // No key if the variable is not set. kUsage if it holds what cannot be a key.
  static Result<ApiKey> FromVariable(const std::string& variable);

  bool is_set() const { return !key_.empty(); }
  std::string Header() const { return "Authorization: Bearer " + key_; }
  // `text` with "[key]" in place of each occurrence of the key.
  std::string Without(std::string_view text) const;
  // The same for all texts in the answer of a model, unless the key is so short that the model may
  // have written it: such as "EMPTY", for servers that ask for any key.
  Json WithoutInAnswer(const Json& answer) const;

 private:
  std::string key_;
};

}  // namespace kernelmill
