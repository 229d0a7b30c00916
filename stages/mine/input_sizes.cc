#include "stages/mine/input_sizes.h"

#include <algorithm>
#include <array>

namespace kernelmill {
namespace {

// The size of each free dimension, by the tensor's rank: small batches, and sizes that differ from
// each other and from usual widths, so that no shape is a cube by accident.
constexpr std::array<std::array<std::int64_t, 6>, 7> kFree = {{
    {},
    {256},
    {16, 256},
    {2, 48, 256},
    {2, 64, 32, 40},
    {2, 32, 8, 16, 20},
    {2, 4, 16, 8, 12, 10},
}};
constexpr std::array<std::int64_t, 4> kFactors = {6, 4, 5, 3};
constexpr std::int64_t kVocabulary = 1000;

bool IsImageName(std::string_view name) {
  for (std::string_view part : {"img", "image", "pixel", "feat", "fmap", "video", "frames"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::int64_t RoundedUp(std::int64_t value, std::int64_t factor) {
  return (value + factor - 1) / factor * factor;
}

// The side of images that the constructor was given, and the evidence for it; 0 if it was given
// none.
std::pair<std::int64_t, Evidence> ImageSide(const std::vector<InitArgument>& init) {
  for (const InitArgument& argument : init) {
    if (argument.name != "image_size" && argument.name != "img_size") continue;
    const std::string& text = argument.expression;
    const auto first = text.find_first_of("0123456789");
    if (first == std::string::npos ||
        text.find_first_not_of("0123456789(), ") != std::string::npos) {
      continue;
    }
    return {std::stoll(text.substr(first, 6)), argument.evidence};
  }
  return {0, Evidence::kName};
}

}  // namespace

bool ChooseRanks(const SyntaxNode& module, std::vector<InputFacts>* inputs) {
  bool chosen = false;
  const std::string_view text = module.Text();
  const bool flat = text.find("2d(") == std::string_view::npos;
  for (InputFacts& input : *inputs) {
    if (input.rank) continue;
    chosen = true;
    input.rank = input.last_known ? 3 : IsImageName(input.name) || !flat ? 4 : 3;
    if (input.type == ElementKind::kInteger) input.rank = 2;
    if (input.name.find("mask") != std::string::npos) input.rank = 2;
    input.rank_evidence = Evidence::kName;
  }
  return chosen;
}

std::vector<InputGuess> ChooseSizes(const std::vector<InputFacts>& inputs,
                                    const std::vector<KnownValue*>& tensors,
                                    const std::vector<InitArgument>& init, Evaluator* evaluator) {
  ShapeSolver& solver = evaluator->solver();
  const auto [side, side_evidence] = ImageSide(init);
  std::size_t factor = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<Dim>& dims = tensors[i]->dims;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (solver.KnownValue(dims[d])) continue;
      // A free axis exists because the rank is known, so it has the evidence of the rank.
      Evidence evidence = inputs[i].rank_evidence;
      std::int64_t wanted =
          kFree[std::min<std::size_t>(dims.size(), 6)][std::min<std::size_t>(d, 5)];
      if (side > 0 && dims.size() >= 4 && d + 2 >= dims.size()) {
        wanted = side;
        evidence = side_evidence;
      }
      if (dims.size() >= 4 && d == 1 && IsImageName(inputs[i].name)) wanted = 3;
      const auto factors = solver.FreeFactors(dims[d]);
      const std::int64_t rounded = RoundedUp(wanted, solver.FactorOf(dims[d]));
      if (!factors.empty() && wanted != side) {
        for (Dim free : factors) {
          if (solver.KnownValue(free)) continue;
          const std::int64_t size =
              RoundedUp(kFactors[factor++ % kFactors.size()], solver.FactorOf(free));
          solver.Choose(free, size, evidence);
        }
      }
      if (!solver.KnownValue(dims[d])) solver.Choose(dims[d], rounded, evidence);
    }
  }
  std::vector<InputGuess> guesses;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    InputGuess guess;
    guess.rank = inputs[i].rank_evidence;
    guess.spec.name = inputs[i].name;
    guess.spec.dtype = "float32";
    guess.spec.draw = "randn";
    if (inputs[i].type == ElementKind::kInteger) {
      guess.spec.dtype = "int64";
      guess.spec.draw = "randint";
      guess.spec.high = inputs[i].high > 0 ? inputs[i].high : kVocabulary;
    } else if (inputs[i].type == ElementKind::kBool ||
               inputs[i].name.find("mask") != std::string::npos) {
      guess.spec.dtype = "bool";
      guess.spec.draw = "bool";
    }
    for (Dim dim : tensors[i]->dims) {
      guess.spec.shape.push_back(solver.KnownValue(dim).value_or(1));
      guess.sizes.push_back(solver.EvidenceOf(dim));
    }
    guesses.push_back(std::move(guess));
  }
  return guesses;
}

}  // namespace kernelmill
