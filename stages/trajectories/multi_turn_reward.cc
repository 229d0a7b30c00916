#include "stages/trajectories/multi_turn_reward.h"

#include <string>

namespace kernelmill {
namespace {

constexpr std::string_view kPrimeEchoName = "prime_echo";
constexpr std::string_view kKevinName = "kevin";

}  // namespace

std::string_view MultiTurnModeName(MultiTurnMode mode) {
  return mode == MultiTurnMode::kPrimeEcho ? kPrimeEchoName : kKevinName;
}

Result<MultiTurnMode> MultiTurnModeNamed(std::string_view name) {
  if (name == kPrimeEchoName) return MultiTurnMode::kPrimeEcho;
  if (name == kKevinName) return MultiTurnMode::kKevin;
  return Status(ErrorCode::kConfig, "there is no multi-turn mode '" + std::string(name) +
                                        "': it is prime_echo or kevin");
}

Status MultiTurnOptions::Check() const {
  KM_RETURN_IF_ERROR(speed.Check());
  return mode == MultiTurnMode::kPrimeEcho ? prime_echo.Check(speed) : kevin.Check();
}

Json MultiTurnOptions::ToJson() const {
  return Json::Object{
      {"mode", MultiTurnModeName(mode)},
      {"speed", speed.ToJson()},
      {"settings", mode == MultiTurnMode::kPrimeEcho ? prime_echo.ToJson() : kevin.ToJson()}};
}

TrajectoryCredit MultiTurnCredit(const std::vector<ScoredTurn>& turns,
                                 const MultiTurnOptions& options) {
  return options.mode == MultiTurnMode::kPrimeEcho ? PrimeEchoCredit(turns, options.prime_echo)
                                                   : DiscountedCredit(turns, options.kevin);
}

}  // namespace kernelmill
