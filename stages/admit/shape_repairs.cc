#include "stages/admit/shape_repairs.h"

#include <algorithm>
#include <cmath>

#include "stages/admit/argument_edits.h"

namespace kernelmill {
namespace {

using Shape = std::vector<std::int64_t>;
using Axis = SizeMismatch::Axis;
using Proposals = std::vector<ArgumentSet>;

constexpr std::int64_t kMostSide = 1024;
constexpr std::size_t kMostRank = 6;

bool IsAxis(Axis axis, std::size_t index, std::size_t rank) {
  if (axis == Axis::kLast) return index + 1 == rank;
  return axis != Axis::kSecond || index == 1;
}

// Whether a dimension is spatial: not the batch or channels of an image or volume.
bool IsSpatial(std::size_t index, std::size_t rank) { return rank >= 4 && index >= 2; }

// Changes every dimension of size `from` on that axis to `to`.
ArgumentSet WithEverySize(ArgumentSet arguments, Axis axis, std::int64_t from, std::int64_t to) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape shape = arguments.inputs[i].spec.shape;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      if (shape[j] != from || !IsAxis(axis, j, shape.size())) continue;
      arguments = WithSize(std::move(arguments), i, j, to);
    }
  }
  return arguments;
}

// Proposes to change all input dimensions of size `from` at once, then each of them.
void AddInputSizes(const ArgumentSet& arguments, Axis axis, std::int64_t from, std::int64_t to,
                   Proposals* proposals) {
  proposals->push_back(WithEverySize(arguments, axis, from, to));
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      if (shape[j] != from || !IsAxis(axis, j, shape.size())) continue;
      proposals->push_back(WithSize(arguments, i, j, to));
    }
  }
}

// The Weakness() of the best known input dimension of that size.
int InputWeakness(const ArgumentSet& arguments, std::int64_t size) {
  int weakness = 4;
  for (const InputGuess& input : arguments.inputs) {
    for (std::size_t j = 0; j < input.spec.shape.size(); ++j) {
      if (input.spec.shape[j] == size) weakness = std::min(weakness, Weakness(input.sizes[j]));
    }
  }
  return weakness;
}

void AddInitSizes(const ArgumentSet& arguments, std::int64_t from, std::int64_t to, int weaker_than,
                  Proposals* proposals) {
  for (std::size_t i = 0; i < arguments.init.size(); ++i) {
    if (IntegerOf(arguments.init[i]) != from) continue;
    if (Weakness(arguments.init[i].evidence) < weaker_than) continue;
    proposals->push_back(WithInit(arguments, i, std::to_string(to)));
  }
}

// Proposes changes for a size that is a multiple or a fraction of an input's channels: heads,
// patches, expansions.
void AddRatios(const ArgumentSet& arguments, const SizeMismatch& mismatch, Proposals* proposals) {
  const std::int64_t got = mismatch.got, expected = mismatch.expected;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    for (std::size_t step = 0; step + 1 < shape.size(); ++step) {
      // Channels first: the second dimension of an image, the last of a sequence.
      const std::size_t axis = shape.size() >= 4 ? step + 1 : shape.size() - 1 - step;
      const std::int64_t size = shape[axis];
      if (size < 1 || size == got) continue;
      if (got % size == 0 && expected % (got / size) == 0) {
        proposals->push_back(WithSize(arguments, i, axis, expected / (got / size)));
      } else if (size % got == 0) {
        proposals->push_back(WithSize(arguments, i, axis, expected * (size / got)));
      }
    }
  }
}

// Proposes changes for a size that is the number of cells of a grid over an image, plus possibly
// one or two tokens.
void AddGrids(const ArgumentSet& arguments, const SizeMismatch& mismatch, Proposals* proposals) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    if (shape.size() < 4) continue;
    const std::int64_t height = shape[shape.size() - 2], width = shape.back();
    for (std::int64_t cell = 1; cell <= std::min(height, width); ++cell) {
      if (height % cell != 0 || width % cell != 0) continue;
      const std::int64_t beside = mismatch.got - (height / cell) * (width / cell);
      if (beside < 0 || beside > 2) continue;
      const std::int64_t cells = mismatch.expected - beside;
      const auto side =
          static_cast<std::int64_t>(std::llround(std::sqrt(std::max<std::int64_t>(cells, 0))));
      if (side < 1 || side * side != cells || side * cell > kMostSide) continue;
      ArgumentSet square = WithSize(arguments, i, shape.size() - 1, side * cell);
      proposals->push_back(WithSize(std::move(square), i, shape.size() - 2, side * cell));
    }
  }
}

// Proposes channels-last inputs for a layer that expects the input's second dimension as its last.
void AddChannelsLast(const ArgumentSet& arguments, const SizeMismatch& mismatch, const Fault& fault,
                     Proposals* proposals) {
  if (mismatch.axis != Axis::kLast || !fault.layer || !fault.layer->received) return;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    if (shape.size() >= 3 && shape == *fault.layer->received && shape[1] == mismatch.expected) {
      proposals->push_back(WithChannelsLast(arguments, i));
    }
  }
}

// Proposes an additional dimension after the batch, for tensors that disagree in an input's batch.
void AddLeading(const ArgumentSet& arguments, const SizeMismatch& mismatch, Proposals* proposals) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    if (shape.size() != mismatch.from_end || shape.size() >= kMostRank) continue;
    if (shape.front() == mismatch.got) {
      proposals->push_back(WithLeading(arguments, i, mismatch.expected));
    }
  }
}

void AddSizes(const ArgumentSet& arguments, const SizeMismatch& mismatch, Proposals* proposals) {
  const std::int64_t got = mismatch.got, expected = mismatch.expected;
  // Evidence from the repository about an input outweighs a guess about the constructor.
  const int input = InputWeakness(arguments, got);
  AddInitSizes(arguments, expected, got, input + 1, proposals);
  AddInputSizes(arguments, mismatch.axis, got, expected, proposals);
  if (mismatch.axis != Axis::kAny) AddInputSizes(arguments, Axis::kAny, got, expected, proposals);
  AddInitSizes(arguments, got, expected, 0, proposals);
  AddInitSizes(arguments, expected, got, 1, proposals);
}

// Changes the dimension that the error names, counted from the end.
void AddAxis(const ArgumentSet& arguments, const SizeMismatch& mismatch, Proposals* proposals) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape& shape = arguments.inputs[i].spec.shape;
    if (shape.size() <= mismatch.from_end) continue;
    const std::size_t axis = shape.size() - mismatch.from_end;
    if (shape[axis] == mismatch.got) {
      proposals->push_back(WithSize(arguments, i, axis, mismatch.expected));
    }
  }
}

std::int64_t RoundedTo(std::int64_t size, std::int64_t divisor) {
  return std::max<std::int64_t>(size / divisor, 1) * divisor;
}

std::int64_t LargestDivisor(std::int64_t size, std::int64_t most) {
  for (std::int64_t divisor = most; divisor > 1; --divisor) {
    if (size % divisor == 0) return divisor;
  }
  return 1;
}

bool IsNamed(const std::vector<LiveTensor>& locals, const std::string& name, std::size_t rank) {
  return std::any_of(locals.begin(), locals.end(), [&](const LiveTensor& tensor) {
    return tensor.name == name && tensor.shape.size() == rank;
  });
}

ArgumentSet WithSpatial(ArgumentSet arguments, std::int64_t numerator, std::int64_t denominator,
                        std::int64_t least) {
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const Shape shape = arguments.inputs[i].spec.shape;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      const bool sequence = shape.size() == 3 && j == 1;
      if ((!IsSpatial(j, shape.size()) && !sequence) || shape[j] * numerator < least) continue;
      arguments = WithSize(std::move(arguments), i, j, shape[j] * numerator / denominator);
    }
  }
  return arguments;
}

}  // namespace

Proposals SizeRepairs(const ArgumentSet& arguments, const SizeMismatch& mismatch,
                      const Fault& fault) {
  Proposals proposals;
  AddLeading(arguments, mismatch, &proposals);
  if (mismatch.from_end > 0) AddAxis(arguments, mismatch, &proposals);
  AddChannelsLast(arguments, mismatch, fault, &proposals);
  AddSizes(arguments, mismatch, &proposals);
  const SizeMismatch swapped{mismatch.got, mismatch.expected, mismatch.axis, true};
  if (mismatch.symmetric) AddSizes(arguments, swapped, &proposals);
  AddGrids(arguments, mismatch, &proposals);
  if (mismatch.symmetric) AddGrids(arguments, swapped, &proposals);
  AddRatios(arguments, mismatch, &proposals);
  if (mismatch.symmetric) AddRatios(arguments, swapped, &proposals);
  return proposals;
}

Proposals RankRepairs(const ArgumentSet& arguments, const RankMismatch& mismatch,
                      const Fault& fault) {
  Proposals proposals;
  if (mismatch.expected > kMostRank) return proposals;
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const std::size_t rank = arguments.inputs[i].spec.shape.size();
    if (rank != mismatch.expected && rank == mismatch.got.value_or(rank)) inputs.push_back(i);
  }
  std::stable_partition(inputs.begin(), inputs.end(), [&](std::size_t i) {
    const InputSpec& spec = arguments.inputs[i].spec;
    return IsNamed(fault.locals, spec.name, spec.shape.size());
  });
  for (std::size_t i : inputs) {
    proposals.push_back(WithRank(arguments, i, mismatch.expected));
    const FaultLayer* layer = fault.layer ? &*fault.layer : nullptr;
    const auto channels = layer != nullptr ? layer->Size("in_channels") : std::nullopt;
    if (channels && mismatch.expected >= 3) {
      proposals.back() = WithSize(std::move(proposals.back()), i, 1, *channels);
    }
  }
  if (inputs.size() > 1) {
    ArgumentSet all = arguments;
    for (std::size_t i : inputs) all = WithRank(std::move(all), i, mismatch.expected);
    proposals.push_back(std::move(all));
  }
  // No input has the rank of the message, so an intermediate value has too few or too many
  // dimensions.
  if (inputs.empty() && mismatch.got) {
    for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
      const std::size_t rank = arguments.inputs[i].spec.shape.size() + mismatch.expected;
      if (rank < *mismatch.got + 1 || rank - *mismatch.got > kMostRank) continue;
      proposals.push_back(WithRank(arguments, i, rank - *mismatch.got));
    }
  }
  return proposals;
}

Proposals DivisibilityRepairs(const ArgumentSet& arguments, const std::vector<Indivisible>& found) {
  Proposals proposals;
  ArgumentSet all = arguments;
  for (const auto& [size, divisor] : found) {
    if (divisor < 2 || size < 1) continue;
    const std::int64_t rounded = RoundedTo(size, divisor);
    const int input = InputWeakness(arguments, size);
    AddInitSizes(arguments, divisor, LargestDivisor(size, divisor), input + 1, &proposals);
    all = WithEverySize(std::move(all), Axis::kAny, size, rounded);
    for (std::size_t i = 0; i < all.inputs.size(); ++i) {
      const Shape shape = all.inputs[i].spec.shape;
      for (std::size_t j = 0; j < shape.size(); ++j) {
        if (!IsSpatial(j, shape.size()) || shape[j] % divisor == 0) continue;
        all = WithSize(std::move(all), i, j, RoundedTo(shape[j], divisor));
      }
    }
    proposals.push_back(all);
    AddInputSizes(arguments, Axis::kAny, size, rounded, &proposals);
    AddInitSizes(arguments, size, rounded, 0, &proposals);
    AddInitSizes(arguments, divisor, LargestDivisor(size, divisor), 0, &proposals);
    // 17 tokens do not fill windows: the grid must change, not the number of tokens.
    AddRatios(arguments, {rounded, size}, &proposals);
  }
  return proposals;
}

Proposals LargerRepairs(const ArgumentSet& arguments) {
  return {WithSpatial(arguments, 2, 1, 0), WithSpatial(arguments, 4, 1, 0)};
}

Proposals SmallerRepairs(const ArgumentSet& arguments) {
  return {WithSpatial(arguments, 1, 2, 32), WithSpatial(arguments, 1, 4, 64)};
}

}  // namespace kernelmill
