#include "stages/perturb/bug_draw.h"

#include <algorithm>

#include "generators/wording/wording.h"

namespace kernelmill {
namespace {

struct Room {
  const BugClass* bug;
  std::vector<BugSite> sites;
};
using RoomByFailure = std::map<FailureClass, std::vector<Room>>;

RoomByFailure RoomIn(const AnswerTrees& answer, const FailureShares& shares) {
  RoomByFailure rooms;
  for (const BugClass& bug : AllBugs()) {
    const auto share = shares.find(bug.failure);
    if (share == shares.end() || share->second <= 0) continue;
    Room room{&bug, {}};
    bug.find_sites(answer, &room.sites);
    if (!room.sites.empty()) rooms[bug.failure].push_back(std::move(room));
  }
  return rooms;
}

// Draws a failure class that still has undrawn bugs, with a probability by its share.
RoomByFailure::iterator DrawFailure(RoomByFailure* rooms, const FailureShares& shares,
                                    const Wording& choice, const std::string& purpose) {
  double total = 0;
  for (const auto& [failure, bugs] : *rooms) total += shares.at(failure);
  constexpr std::size_t kSteps = std::size_t{1} << 53;
  double left =
      total * static_cast<double>(choice.Index(purpose, kSteps)) / static_cast<double>(kSteps);
  for (auto at = rooms->begin(); at != rooms->end(); ++at) {
    left -= shares.at(at->first);
    if (left < 0) return at;
  }
  return rooms->empty() ? rooms->end() : std::prev(rooms->end());
}

}  // namespace

std::vector<std::vector<DrawnBug>> DrawBugs(const AnswerTrees& answer, const Digest& subject,
                                            std::int64_t seed, const FailureShares& shares,
                                            std::int64_t count, std::int64_t tries) {
  const Wording choice(subject, seed);
  RoomByFailure rooms = RoomIn(answer, shares);
  std::vector<std::vector<DrawnBug>> drawn;
  for (std::int64_t i = 0; i < count && !rooms.empty(); ++i) {
    const std::string purpose = "perturb " + std::to_string(i);
    const auto failure = DrawFailure(&rooms, shares, choice, purpose);
    std::vector<Room>& bugs = failure->second;
    drawn.emplace_back();
    for (std::int64_t j = 0; j < tries && !bugs.empty(); ++j) {
      const std::string step = purpose + ' ' + std::to_string(j);
      const std::size_t which = choice.Index(step, bugs.size());
      const Room& room = bugs[which];
      std::optional<std::string> code =
          WithEdits(answer.code(), room.sites[choice.Index(step + " site", room.sites.size())]);
      if (code) drawn.back().push_back({room.bug, *std::move(code)});
      bugs.erase(bugs.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (bugs.empty()) rooms.erase(failure);
  }
  return drawn;
}

}  // namespace kernelmill
