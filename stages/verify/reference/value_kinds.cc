#include "stages/verify/reference/value_kinds.h"

namespace kernelmill {

const std::vector<std::string>& UsualKinds() {
  static const std::vector<std::string> kValues = {
      "changed", "changed_rows", "centred", "large", "tiny",   "zeros",   "constant_rows",
      "ties",    "negative",     "huge",    "sorted", "one_hot", "outlier"};
  return kValues;
}

bool HasFirstSeed(std::string_view kind) {
  return kind == "constant_rows" || FollowsFirst(kind);
}
bool FollowsFirst(std::string_view kind) { return kind == "changed" || kind == "changed_rows"; }

const std::vector<std::string>& SpecialKinds() {
  static const std::vector<std::string> kValues = {
      "lowest", "highest",  "minute", "faint",    "tail",   "clustered",
      "across", "bounds",   "signed", "repeated", "widest", "segments",
      "holes",  "shuffled", "runs",   "flags",    "meeting"};
  return kValues;
}

const std::vector<std::string>& FarKinds() {
  static const std::vector<std::string> kValues = {"lowest", "highest"};
  return kValues;
}

std::vector<std::string> CrowdedKinds(bool with_checked, bool results_count) {
  std::vector<std::string> values;
  if (with_checked) values = {"repeated", "flags"};
  if (results_count) values.push_back("zeros");
  if (results_count && with_checked) values.push_back("highest");
  return values;
}

const std::vector<std::string>& RareKinds() {
  static const std::vector<std::string> kValues = {
      "infinite", "nan", "subnormal", "extreme", "shifted", "ignored", "spike", "thresholds"};
  return kValues;
}

}  // namespace kernelmill
