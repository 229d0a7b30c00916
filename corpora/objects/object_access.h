// Which object store is used and who uses it: the variables of the environment that other S3
// clients read too. They are read here only, go into the signatures and headers of requests only,
// and no message, record or manifest has them.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct ObjectAccess {
  std::string key_id;    // AWS_ACCESS_KEY_ID
  std::string secret;    // AWS_SECRET_ACCESS_KEY
  std::string token;     // AWS_SESSION_TOKEN; empty for keys that last.
  std::string region;    // AWS_REGION, or AWS_DEFAULT_REGION; us-east-1 with an endpoint.
  std::string endpoint;  // AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL; empty for AWS itself.

  // kUsage, with the names of all variables that are missing or hold what cannot be right.
  static Result<ObjectAccess> FromEnvironment();

  // The URL that names of objects of the bucket are added to, without a slash at its end.
  std::string UrlOf(const std::string& bucket) const;
};

}  // namespace kernelmill
