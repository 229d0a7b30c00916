// The reward of one judged turn, equation 2 of MusaCoder (arXiv 2606.04847), with its performance
// term where a device has measured a time.
#pragma once

#include <optional>

#include "corpora/records/verdict.h"
#include "manifests/json.h"

namespace kernelmill {

// The performance term λ · min(max(ν − 1, 0), ν_max) of a correct answer, where ν is how many times
// as fast as PyTorch's baseline it is. The paper gives neither number: both are ours.
struct SpeedTerm {
  double lambda = 0.5;
  double nu_max = 2;

  double Largest() const { return lambda * nu_max; }
  // kConfig for a negative or infinite setting.
  Status Check() const;
  Json ToJson() const { return Json::Object{{"lambda", lambda}, {"nu_max", nu_max}}; }
};

// Verdict::Reward(), plus the performance term of a correct answer. `speedup` is ν; without one, or
// with one that is no positive number, the term is left out and not guessed: the reward is 1.
// std::nullopt when the verdict says nothing about the answer. Pure.
std::optional<double> TurnReward(const Verdict& verdict, std::optional<double> speedup,
                                 const SpeedTerm& speed);

// Whether a turn of this reward is correct and legal: all others are rewarded below 0.
inline bool IsPass(double reward) { return reward >= 1; }

}  // namespace kernelmill
