#include "generators/graphs/graph_sampler.h"

#include <algorithm>

#include "corpora/operators/canonical_form.h"
#include "corpora/operators/operator_table.h"
#include "generators/graphs/models.h"
#include "generators/graphs/size_draw.h"
#include "manifests/split_mix.h"

namespace kernelmill {
namespace {

constexpr int kAttempts = 40;
// Attempts with one operator before another one is chosen; with fewer, operators that rarely fit
// would never occur.
constexpr int kAttemptsEach = 10;
// Of one tensor at large sizes; most are far smaller.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr std::int64_t kLeastElements = 1024;
constexpr std::int64_t kMostBytes = std::int64_t{12} << 30;
constexpr std::int64_t kMostFlops = 600'000'000'000;
// The limit of a check on a CPU.
constexpr std::int64_t kMostSmallFlops = 200'000'000;

std::uint64_t Mixed(std::uint64_t seed, std::uint64_t index, std::uint64_t attempt) {
  Draw draw(seed);
  Draw next(draw.Next() ^ index * kSplitMixStep);
  return Draw(next.Next() + attempt).Next();
}

DType SingleDType(Draw* draw) {
  const double at = draw->Number();
  return at < 0.66   ? DType::kFloat32
         : at < 0.74 ? DType::kFloat16
         : at < 0.82 ? DType::kBFloat16
         : at < 0.89 ? DType::kInt64
         : at < 0.94 ? DType::kInt32
         : at < 0.98 ? DType::kBool
                     : DType::kUInt8;
}

Range InputRange(DType dtype, Draw* draw) {
  if (dtype == DType::kBool) return {0, 1, 0.70710678};
  if (dtype == DType::kUInt8) return Range::Uniform(0, 9);
  if (!IsFloating(dtype)) return Range::Uniform(-9, 9);
  return draw->Chance(0.75) ? Range::Normal(1) : Range::Uniform(0, 1);
}

// Whether the graph computes something from an input.
bool DoesSomething(const OperatorGraph& graph) {
  const bool computes = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                    [&](const Node& node) { return !ChangesNothing(graph, node); });
  const bool reads =
      std::any_of(graph.values().begin(), graph.values().end(),
                  [](const Value& value) { return value.role == ValueRole::kInput; });
  return computes && reads;
}

}  // namespace

GraphSampler::GraphSampler(SamplerOptions options) : options_(std::move(options)) {}

bool GraphSampler::Sample(std::uint64_t index) {
  level_ = options_.levels[Mixed(options_.seed, index, 0) % options_.levels.size()];
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const std::uint64_t seed = Mixed(options_.seed, index, attempt);
    // Chains begin with floats. An operator that does not fit there when it is its turn becomes a
    // task of its own.
    if (options_.stratified && level_ == 2 && attempt > kAttemptsEach) level_ = 1;
    if (Build(seed, Subject(index, attempt)) && IsAcceptable()) {
      draft_.DeriveSizes();
      text_seed_ = Draw(seed + 1).Next();
      any_shape_ = draft_.draw().Chance(0.35) && draft_.MakeSymbolic();
      return true;
    }
  }
  return false;
}

const OperatorRow& GraphSampler::Subject(std::uint64_t index, int attempt) const {
  Draw draw(Mixed(options_.seed, index, kAttempts + 1 + attempt / kAttemptsEach));
  if (options_.stratified && attempt <= kAttempts / 2) {
    return choice_.Nth(index);
  }
  return level_ == 1 && options_.operators == 0 ? choice_.Single(&draw) : choice_.Anchor(&draw);
}

bool GraphSampler::Build(std::uint64_t seed, const OperatorRow& subject) {
  draft_.Clear(seed);
  if (options_.operators > 0) return BuildChain(subject, options_.operators);
  switch (level_) {
    case 1:
      return BuildOperator(subject);
    case 2:
      // A creation operator does not begin a chain.
      if (subject.family == OperatorFamily::kCreation) {
        level_ = 1;
        return BuildOperator(subject);
      }
      return BuildChain(subject, static_cast<int>(draft_.draw().Integer(2, 6)));
    case 3:
      return BuildBlock(&draft_) && draft_.Finish(/*all=*/false);
    default:
      return BuildModel(&draft_) && draft_.Finish(/*all=*/false);
  }
}

bool GraphSampler::IsAcceptable() {
  for (const Value& value : draft_.large().values()) {
    if (value.type.shape.Elements() > kMostElements || value.type.shape.Elements() == 0) {
      return false;
    }
  }
  if (!DoesSomething(draft_.large())) return false;
  cost_ = draft_.large().Cost();
  return cost_.bytes <= kMostBytes && cost_.flops <= kMostFlops && options_.targets.Hold(cost_) &&
         draft_.small().Cost().flops <= kMostSmallFlops;
}

ValueId GraphSampler::Begin(DType dtype) {
  Draw& draw = draft_.draw();
  struct Named {
    std::string_view name;
    SizePair pair;
  };
  std::array<Named, 5> sizes;
  int rank = 0;
  const auto add = [&](std::string_view name, const SizePair& pair) {
    sizes[rank++] = {name, pair};
  };
  // Unusual inputs, which only single operators get: a vector, an image with one channel, a small
  // tensor.
  const double rare = level_ == 1 && options_.operators == 0 ? draw.Number() : 1;
  const bool vector = rare < 0.05, grey = rare < 0.08, small = rare < 0.12;
  if (vector) {
    add("num_elements", {std::int64_t{1} << draw.Integer(12, 24), draw.Integer(20, 60)});
  } else {
    add("batch_size", DrawBatch(&draw));
  }
  switch (vector ? -1 : grey ? 4 : static_cast<int>(draw.Index(8))) {
    case -1:
      break;
    case 0:
    case 1:
      add("in_features", DrawFeatures(&draw));
      break;
    case 2:
    case 3:
      add("seq_len", DrawLength(&draw));
      add("hidden_size", DrawFeatures(&draw));
      break;
    case 4:
    case 5: {
      const bool square = draw.Chance(0.7);
      add("in_channels", grey ? SizePair{1, 1} : DrawChannels(&draw));
      const SizePair side = DrawSide(&draw);
      add("height", side);
      add("width", square ? side : DrawSide(&draw));
      break;
    }
    case 6:
      add("in_channels", DrawChannels(&draw));
      add("depth", DrawDepth(&draw));
      add("height", DrawDepth(&draw));
      add("width", DrawDepth(&draw));
      break;
    default:
      add("in_channels", DrawChannels(&draw));
      add("length", DrawLength(&draw));
      break;
  }
  // The number of elements that tensors of benchmarks have.
  const std::int64_t goal = std::int64_t{1}
                            << (small ? draw.Integer(10, 18) : draw.Integer(23, 28));
  const auto elements = [&] {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= sizes[i].pair.large;
    return product;
  };
  SizePair& batch = sizes[0].pair;
  while (!vector && elements() > 2 * goal && batch.large > 2 * batch.small) batch.large /= 2;
  for (int i = rank - 1; i > 0 && elements() > 4 * goal; --i) {
    const bool divides = sizes[i].pair.large % (2 * sizes[i].pair.small) == 0;
    if (divides || sizes[i].name != "in_channels") {
      sizes[i].pair.large = std::max(sizes[i].pair.large / 2, sizes[i].pair.small);
    }
  }
  while (!vector && elements() < goal / 2 && batch.large < 4096) batch.large *= 2;
  if (!vector) batch = WithDistinctSizes(batch.large, batch.small);
  std::array<std::int16_t, 5> variables;
  for (int i = 0; i < rank; ++i) {
    variables[i] = draft_.NewSize(sizes[i].name, sizes[i].pair.large, sizes[i].pair.small);
  }
  InputLayout layout = InputLayout::kContiguous;
  if (draw.Chance(0.12)) {
    const double kind = draw.Number();
    layout = rank >= 4 && kind < 0.5   ? InputLayout::kChannelsLast
             : rank >= 2 && kind < 0.8 ? InputLayout::kTransposed
                                       : InputLayout::kSliced;
  }
  return draft_.Input({}, dtype, std::span(variables.data(), rank), InputRange(dtype, &draw),
                      layout);
}

bool GraphSampler::BuildOperator(const OperatorRow& op) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    const std::uint64_t seed = draft_.draw().Next();
    draft_.Clear(seed);
    // The result of a creation operator does not depend on a tensor's values, so combine it with
    // one.
    if (op.family == OperatorFamily::kCreation) {
      const ValueId made = op.operands.empty()
                               ? draft_.Create(op)
                               : draft_.Insert(op, Begin(SingleDType(&draft_.draw())));
      if (made == kAbsent) continue;
      const ValueId x = draft_.InputLike(made);
      const Range& range = draft_.large().value(made).range;
      const bool scales = draft_.draw().Chance(0.6) && range.low != range.high;
      draft_.Call(scales ? "mul" : "add", {x, made});
      if (!draft_.failed()) return draft_.Finish(/*all=*/false);
      continue;
    }
    const ValueId first = Begin(SingleDType(&draft_.draw()));
    if (draft_.Insert(op, first) != kAbsent) return draft_.Finish(/*all=*/true);
  }
  return false;
}

ValueId GraphSampler::InsertMask(const OperatorRow& comparison, ValueId at) {
  const OperatorRow* fill = FindOperator(draft_.draw().Chance(0.5) ? "masked_fill" : "where");
  if (fill == nullptr) return kAbsent;
  const GraphDraft::Mark before = draft_.mark();
  draft_.Demand(kLeastElements, kMostElements, /*floating=*/false);
  const ValueId mask = draft_.Insert(comparison, at);
  if (mask == kAbsent) return kAbsent;
  draft_.Demand(kLeastElements, kMostElements, /*floating=*/true);
  const ValueId next = draft_.Insert(*fill, fill->name == "where" ? mask : at);
  if (next != kAbsent && draft_.Uses(mask) > 0) return next;
  draft_.Rewind(before);
  return kAbsent;
}

ValueId GraphSampler::BeginWith(const OperatorRow& op, DType dtype) {
  for (int attempt = 0; attempt < 24; ++attempt) {
    draft_.Clear(draft_.draw().Next());
    draft_.Demand(kLeastElements, kMostElements, /*floating=*/true);
    const ValueId result = draft_.Insert(op, Begin(dtype));
    if (result != kAbsent) return result;
  }
  return kAbsent;
}

bool GraphSampler::BuildChain(const OperatorRow& first, int operators) {
  const double half = draft_.draw().Number();
  const DType dtype = half < 0.88   ? DType::kFloat32
                      : half < 0.94 ? DType::kFloat16
                                    : DType::kBFloat16;
  const bool looks_up = first.family == OperatorFamily::kEmbedding;
  ValueId at = BeginWith(first, looks_up ? DType::kInt64 : dtype);
  if (at == kAbsent) return false;
  Draw& draw = draft_.draw();
  int made = 1;
  for (int tried = 0; made < operators; ++tried) {
    if (tried > 12 * operators + 40) return false;
    // Operators before the last must leave a large enough floating-point result; the last may
    // reduce to few elements.
    const bool ends = made + 1 == operators;
    draft_.Demand(ends ? 0 : kLeastElements, kMostElements, !ends);
    const OperatorRow& op = choice_.Follower(&draw);
    ValueId next;
    if (op.family == OperatorFamily::kComparison && !ends) {
      next = InsertMask(op, at);
      made += next != kAbsent;
    } else {
      next = draft_.Insert(op, at);
    }
    if (next == kAbsent) continue;
    ++made;
    at = next;
    if (made + 2 < operators && draw.Chance(0.05)) draft_.AddOutput(at);
  }
  return draft_.Finish(/*all=*/false);
}

}  // namespace kernelmill
