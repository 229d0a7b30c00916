// The file beside a dataset that says what purges have removed from it and from those that it was
// made of: "<folder>.removal.json". A purge writes it as its certificate, with all that went. What
// is appended to the dataset, or merged with it, passes the list on, so that no source comes back
// by an oversight. The dataset itself must not name what went.
#pragma once

#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

std::string CertificatePath(const std::string& folder);

// The URLs of sources that purges have removed, sorted; none without the file.
Result<std::vector<std::string>> RemovedFrom(const std::string& dataset);

// A certificate that says what earlier purges have removed; a purge adds what it does.
Json Certificate(const std::vector<std::string>& earlier);

// Writes the list for a dataset that is made from others, before it is made; no file without URLs.
// kExists where a purge has left its certificate.
Status PassOnRemovals(const std::string& folder, const std::vector<std::string>& urls);

}  // namespace kernelmill
