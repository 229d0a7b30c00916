// The files of a dataset that say under which licences its content may be used: LICENSES/ with the
// texts of the licences, and NOTICE (stages/publishable/attribution.h).
#pragma once

#include <map>
#include <string>

#include "stages/engine/step_context.h"
#include "stages/publishable/attribution.h"

namespace kernelmill {

// Writes both into the folder `output`, and removes texts that an unpublished run left there. Texts
// are read from the repositories and datasets that records come from. kNotFound names a text that
// none of them has.
Status WriteLicenceFiles(const Attribution& attribution, const ResolvedSources& sources,
                         const std::string& output);
// Writes them with these texts, by Git id.
Status WriteLicenceFiles(const Attribution& attribution,
                         const std::map<std::string, std::string>& texts,
                         const std::string& output);

// The text of a licence that the dataset in `folder` publishes. kNotFound when it has none with
// this Git id, kCorrupt when its bytes have another one.
Result<std::string> PublishedLicenceText(const std::string& folder, const std::string& blob);

}  // namespace kernelmill
