// The token that clients of `serve` name. It is shown and logged nowhere.
#pragma once

#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class AccessToken {
 public:
  // The variable that is read without a file.
  static constexpr char kVariable[] = "KERNELMILL_SERVE_TOKEN";

  // The token in the file, or for an empty path in the variable; none if that is not set. kUsage
  // for a token that is too short, or that no header can hold.
  static Result<AccessToken> Read(const std::string& file);

  bool is_set() const { return !token_.empty(); }
  // Whether the value of a header "Authorization" names the token. The time that it takes does not
  // depend on how much of the token is right.
  bool Matches(std::string_view authorization) const;

 private:
  std::string token_;
};

}  // namespace kernelmill
