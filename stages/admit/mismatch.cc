#include "stages/admit/mismatch.h"

#include "manifests/ascii.h"
#include "stages/admit/argument_edits.h"

namespace kernelmill {
namespace {

using Shape = std::vector<std::int64_t>;
using Axis = SizeMismatch::Axis;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The N of Conv2d, BatchNorm3d, …; 0 for other layers.
std::size_t SpatialOf(std::string_view type) {
  if (type.size() < 3 || type.back() != 'd') return 0;
  const char digit = type[type.size() - 2];
  return digit >= '1' && digit <= '3' ? static_cast<std::size_t>(digit - '0') : 0;
}

// Compares the sizes that a layer was built for with those that it received. They are more reliable
// than the message, which changes with the version of torch.
std::optional<SizeMismatch> LayerSizeMismatch(const FaultLayer& layer) {
  if (!layer.received || layer.received->empty()) return std::nullopt;
  const Shape& got = *layer.received;
  const struct {
    const char* attribute;
    Axis axis;
  } kExpectations[] = {{"in_features", Axis::kLast},      {"in_channels", Axis::kSecond},
                       {"num_features", Axis::kSecond},   {"num_channels", Axis::kSecond},
                       {"normalized_shape", Axis::kLast}, {"embed_dim", Axis::kLast},
                       {"input_size", Axis::kLast}};
  for (const auto& [attribute, axis] : kExpectations) {
    const std::optional<std::int64_t> expected = layer.Size(attribute);
    if (!expected || (axis == Axis::kSecond && got.size() < 2)) continue;
    const std::int64_t size = axis == Axis::kLast ? got.back() : got[1];
    if (size != *expected && size > 0) return SizeMismatch{*expected, size, axis};
  }
  return std::nullopt;
}

std::optional<RankMismatch> LayerRankMismatch(const FaultLayer& layer) {
  if (!layer.received) return std::nullopt;
  const std::size_t got = layer.received->size();
  if (!layer.pattern.empty()) {
    const auto expected = PatternRank(layer.pattern);
    if (expected && *expected != got) return RankMismatch{*expected, got};
    return std::nullopt;
  }
  const std::size_t spatial = SpatialOf(layer.type);
  if (spatial == 0) return std::nullopt;
  if (got == spatial + 2) return std::nullopt;
  if (got == spatial + 1) {
    // A 1d normalisation takes (b, c); convolutions and pooling take one image without a batch.
    if (spatial == 1 && layer.type.find("Norm") != std::string::npos) return std::nullopt;
    const auto channels = layer.Size("in_channels");
    if (channels && layer.received->front() == *channels) return std::nullopt;
  }
  return RankMismatch{spatial + 2, got};
}

std::optional<SizeMismatch> MessageSizeMismatch(std::string_view message) {
  const Shape numbers = IntegersIn(message);
  if (Contains(message, "must match the size of tensor") ||
      Contains(message, "must match the existing size")) {
    if (numbers.size() >= 2) return SizeMismatch{numbers[1], numbers[0], Axis::kAny, true};
  }
  if (Contains(message, "mat1 and mat2 shapes") || Contains(message, "same reduction dim")) {
    if (numbers.size() >= 4) {
      const std::size_t from = numbers.size() - 4;
      return SizeMismatch{numbers[from + 2], numbers[from + 1], Axis::kLast};
    }
  }
  if (Contains(message, "Attempting to broadcast a dimension of length") && !numbers.empty()) {
    // "… of length 8 at -3! … had torch.Size([8, 1, 512]); but expected shape should be
    // broadcastable to [2, 48, 512]".
    const Shape target = IntegersIn(After(message, "broadcastable to "));
    const std::size_t from_end = numbers.size() > 1 ? static_cast<std::size_t>(numbers[1]) : 0;
    if (from_end > 0 && from_end <= target.size()) {
      return SizeMismatch{numbers[0], target[target.size() - from_end], Axis::kAny, true, from_end};
    }
  }
  if (Contains(message, "Given normalized_shape=[")) {
    const Shape expected = IntegersIn(After(message, "normalized_shape="));
    const Shape got = IntegersIn(After(message, "got input of size"));
    if (!expected.empty() && !got.empty()) {
      return SizeMismatch{expected.front(), got.back(), Axis::kLast};
    }
  }
  if (Contains(message, "channels instead") && numbers.size() >= 2) {
    return SizeMismatch{numbers[numbers.size() - 2], numbers.back(), Axis::kSecond};
  }
  // "… weight of shape [256] and input of shape [2, 3, 32, 40]".
  if (const std::string_view shapes = After(message, "but got weight of shape"); !shapes.empty()) {
    const Shape weight = IntegersIn(shapes), input = IntegersIn(After(shapes, "input of shape"));
    if (!weight.empty() && input.size() > 1) {
      return SizeMismatch{weight.front(), input[1], Axis::kSecond};
    }
  }
  if (Contains(message, "is invalid for input of size") && !numbers.empty()) {
    std::int64_t product = 1;
    bool overflow = false;
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      overflow |= __builtin_mul_overflow(product, numbers[i], &product);
    }
    const std::int64_t got = numbers.back();
    // The product of a shape with -1 is unknown.
    if (!overflow && !Contains(message, "-1") && product > 0 && product != got) {
      return SizeMismatch{product, got, Axis::kAny};
    }
    return std::nullopt;
  }
  // einops: "Shape mismatch, 128 != 1280", an einsum: "… has size 512 for operand 1 which does not
  // broadcast with previously seen size 64".
  for (const char* marker :
       {"Shape mismatch, ", "has size ", "must be equal, got ", "size mismatch, got "}) {
    const Shape sizes = IntegersIn(After(message, marker));
    if (sizes.size() < 2) continue;
    const bool operand = std::string_view(marker) == "has size " && sizes.size() > 2;
    const std::int64_t other = operand ? sizes[2] : sizes[1];
    if (sizes[0] != other) return SizeMismatch{other, sizes[0], Axis::kAny, true};
  }
  if (Contains(message, "values to unpack")) return std::nullopt;
  // "Expected 64, got 512", "was expecting embedding dimension of 256, but got 512".
  const Shape expected = IntegersIn(After(message, "xpect")),
              got = IntegersIn(After(message, "got"));
  if (!expected.empty() && !got.empty() && expected[0] != got[0] && expected[0] > 0 && got[0] > 0) {
    return SizeMismatch{expected[0], got[0], Axis::kAny};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> PatternRank(std::string_view pattern) {
  const std::string_view left = pattern.substr(0, pattern.find("->"));
  if (Contains(left, "...") || left.size() == pattern.size()) return std::nullopt;
  std::size_t rank = 0;
  bool in_group = false, in_word = false;
  for (char c : left) {
    const bool starts_word = c != ' ' && c != '(' && c != ')' && !in_word;
    if (!in_group && (c == '(' || starts_word)) ++rank;
    if (c == '(') in_group = true;
    if (c == ')') in_group = false;
    in_word = c != ' ' && c != '(' && c != ')';
  }
  return rank;
}

std::vector<SizeMismatch> FindSizeMismatches(const Fault& fault) {
  std::vector<SizeMismatch> found;
  if (fault.layer) {
    if (const auto mismatch = LayerSizeMismatch(*fault.layer)) found.push_back(*mismatch);
  }
  if (fault.type == "AssertionError") {
    for (const Comparison& comparison : fault.compared) {
      // Other comparisons do not say which size is expected.
      if (comparison.operation != "==" || comparison.left == comparison.right) continue;
      if (comparison.left > 0 && comparison.right > 0) {
        found.push_back({comparison.right, comparison.left, Axis::kAny, true});
      }
    }
  }
  if (const auto mismatch = MessageSizeMismatch(fault.message)) found.push_back(*mismatch);
  return found;
}

std::optional<RankMismatch> FindRankMismatch(const Fault& fault) {
  if (fault.layer) {
    if (const auto mismatch = LayerRankMismatch(*fault.layer)) return mismatch;
  }
  const std::string_view message = fault.message;
  const Shape numbers = IntegersIn(message);
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(numbers[i]); };
  if (Contains(message, "values to unpack") && !numbers.empty()) {
    if (numbers.size() > 1) return RankMismatch{at(0), at(1)};
    return RankMismatch{at(0), std::nullopt};
  }
  // einops: `pattern "b c h w -> …". … Wrong shape: expected 4 dims. Received 3-dim tensor.`
  if (const std::string_view wrong = After(message, "Wrong shape: expected"); !wrong.empty()) {
    const Shape ranks = IntegersIn(wrong);
    if (ranks.size() >= 2) {
      return RankMismatch{static_cast<std::size_t>(ranks[0]), static_cast<std::size_t>(ranks[1])};
    }
  }
  if (Contains(message, "the number of subscripts in the equation") && numbers.size() >= 2) {
    return RankMismatch{at(0), at(1)};
  }
  if (Contains(message, "spatial dimensions, but got") && numbers.size() >= 2) {
    return RankMismatch{at(0) + 2, at(1) + 2};
  }
  if (Contains(message, "to len(dims)") || Contains(message, "desired ordering of dimensions")) {
    if (numbers.size() >= 2) return RankMismatch{at(1), at(0)};
  }
  // "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [2, 48, 512]".
  if (Contains(message, "(batched) input to conv")) {
    const std::size_t digit = message.find("D (batched)");
    if (digit != std::string_view::npos && digit > 0 && IsDigit(message[digit - 1])) {
      const std::size_t rank = static_cast<std::size_t>(message[digit - 1] - '0');
      return RankMismatch{rank, IntegersIn(After(message, "input of size")).size()};
    }
  }
  // "expected 4D input (got 3D input)", "must have 3 dimensions, got 2", "only supports 4D
  // tensors".
  for (const char* marker : {"D input (got ", " dimensions, got ", "D input, but got "}) {
    const std::size_t found = message.find(marker);
    const std::string_view got = After(message, marker);
    if (found == std::string_view::npos || found == 0 || got.empty()) continue;
    if (IsDigit(message[found - 1]) && IsDigit(got.front())) {
      return RankMismatch{static_cast<std::size_t>(message[found - 1] - '0'),
                          static_cast<std::size_t>(got.front() - '0')};
    }
  }
  // "Dimension out of range (expected to be in range of [-3, 2], but got 3)".
  if (const std::string_view range = After(message, "in range of ["); !range.empty()) {
    const Shape bounds = IntegersIn(range);  // Magnitudes: 3, 2, 3.
    if (bounds.size() >= 3 && bounds[2] <= 6) {
      const bool negative = Contains(range, "got -");
      return RankMismatch{at(numbers.size() - 1) + (negative ? 0 : 1),
                          static_cast<std::size_t>(bounds[0])};
    }
  }
  if (const std::string_view many = After(message, "too many indices for tensor of dimension");
      !many.empty() && !numbers.empty()) {
    return RankMismatch{at(numbers.size() - 1) + 1, at(numbers.size() - 1)};
  }
  // An index beyond the end of a shape.
  if (fault.phase == "run" && fault.type == "IndexError" &&
      Contains(message, "tuple index out of range") && !fault.locals.empty()) {
    const std::size_t rank = fault.locals.front().shape.size();
    return RankMismatch{rank + 1, rank};
  }
  return std::nullopt;
}

std::vector<Indivisible> FindIndivisible(const Fault& fault) {
  const std::string_view message = fault.message;
  // einops: "can't divide axis of length 32 in chunks of 7".
  if (const std::string_view axis = After(message, "can't divide axis of length"); !axis.empty()) {
    const Shape numbers = IntegersIn(axis);
    if (numbers.size() >= 2) return {{numbers[0], numbers[1]}};
  }
  std::vector<Indivisible> found;
  for (const Comparison& comparison : fault.compared) {
    if (comparison.operation == "%" && comparison.right > 1 && comparison.left > 0 &&
        comparison.left % comparison.right != 0) {
      found.push_back({comparison.left, comparison.right});
    }
  }
  const Shape numbers = IntegersIn(message);
  // "shape '[2, 3, 10, 3, 13, 3]' is invalid for input of size 7680": 32 was cut into 10 times 3.
  if (Contains(message, "is invalid for input of size")) {
    for (const LiveTensor& tensor : fault.locals) {
      for (std::int64_t size : tensor.shape) {
        for (std::size_t i = 0; i + 2 < numbers.size(); ++i) {
          for (std::int64_t part : {numbers[i + 1], numbers[i]}) {
            const std::int64_t count = part == numbers[i] ? numbers[i + 1] : numbers[i];
            if (part > 1 && size % part != 0 && size / part == count && count > 0) {
              found.push_back({size, part});
            }
          }
        }
      }
    }
    return found;
  }
  if (!Contains(message, "divisible") && !Contains(message, "multiple of")) return found;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    found.push_back({numbers[i], numbers.back()});
  return found;
}

}  // namespace kernelmill
