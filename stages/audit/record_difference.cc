#include "stages/audit/record_difference.h"

namespace kernelmill {

std::string DifferenceBetween(const Record& found, const std::string& derived_bytes) {
  const Result<Record> derived = Record::Decode(derived_bytes);
  if (!derived.ok()) return derived.status().message();
  std::string parts;
  const auto add = [&](bool differs, const char* part) {
    if (differs) parts += (parts.empty() ? "" : ", ") + std::string(part);
  };
  add(found.payload != derived->payload, "payload");
  add(found.attributes != derived->attributes, "attributes");
  add(found.origins != derived->origins, "origins");
  add(found.licences != derived->licences, "licences");
  add(found.lineage != derived->lineage, "lineage");
  return "differs from what its sources make: " + parts;
}

}  // namespace kernelmill
