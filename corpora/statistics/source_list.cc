#include "corpora/statistics/source_list.h"

#include <algorithm>

namespace kernelmill {

void SourceList::Add(const Record& record) {
  std::set<std::string> stated, used;
  for (const LicenceEvidence& evidence : record.licences) {
    stated.insert(evidence.spdx);
    used.insert(evidence.chosen.empty() ? evidence.spdx : evidence.chosen);
  }
  licences_.insert(used.begin(), used.end());
  // What is made of a sample has the licences of the task and of the sample, each of which stands
  // for its part. The task's own record says which are those of its source.
  const bool is_sampled = std::any_of(record.origins.begin(), record.origins.end(),
                                      [](const Origin& origin) { return origin.sampled(); });
  for (const Origin& origin : record.origins) {
    ListedSource& source =
        sources_.try_emplace(origin.Source(), ListedSource{origin, {}, {}}).first->second;
    if (is_sampled) continue;
    source.stated.insert(stated.begin(), stated.end());
    source.used.insert(used.begin(), used.end());
  }
}

}  // namespace kernelmill
