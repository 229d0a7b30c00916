// Words and numbers of scores for readers, for the text and the page of a report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/scores/scores.h"

namespace kernelmill {

inline constexpr std::string_view kNotMeasured = "n/a";

// "41.2 %", and kNotMeasured without a rate.
std::string RateText(const std::optional<Rate>& rate);
// "33.1 – 49.8 %", and "" without a rate.
std::string IntervalText(const std::optional<Rate>& rate);
// "12 illegal, 3 crashed", the most frequent first.
std::string StatusList(const std::map<std::string, std::int64_t>& statuses);

// The scores of a group with their names, in the order of a report: "correct", "legal", "Pass@8" …
std::vector<std::pair<std::string, std::optional<Rate>>> NamedRates(const ScoreGroup& group);

// The groups of the levels and of the families, each with its name: "level 2", "softmax".
std::vector<std::pair<std::string, const ScoreGroup*>> LevelGroups(const Scores& scores);
std::vector<std::pair<std::string, const ScoreGroup*>> FamilyGroups(const Scores& scores);
// The largest k of the group of all tasks whose Pass@k is over all scored tasks; 1 if there is
// none.
std::int64_t LargestCommonK(const Scores& scores);
std::optional<Rate> PassAt(const ScoreGroup& group, std::int64_t k);

// What the intervals are and what they assume, in two sentences.
std::string_view IntervalNote();

}  // namespace kernelmill
