// What one operator is: a row of the table (operator_table.h). Everything that can be said of an
// operator without writing text or code for it stands here, so that a new one is one more row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/operators/attribute.h"
#include "corpora/operators/tensor_type.h"

namespace kernelmill {

enum class OperatorFamily : std::uint8_t {
  kActivation,
  kElementwise,  // Mathematics of one or more operands, by element.
  kComparison,
  kSelection,  // where, masked_fill, clamp.
  kCast,
  kReduction,
  kArgReduction,
  kScan,
  kSoftmax,
  kNorm,
  kMatmul,
  kConvolution,
  kTransposedConvolution,
  kPooling,
  kPadding,
  kInterpolation,
  kEmbedding,
  kGather,  // gather, index_select, scatter, …
  kShape,   // Views: no element is computed or moved.
  kLayout,  // The same elements elsewhere: cat, repeat, flip, roll.
  kCreation,
  kAttention,
  kRecurrent,
  kLoss,
  kSort,
  kTriangular,
};
std::string_view FamilyName(OperatorFamily family);

// What values a tensor has: bounds that every element keeps in practice (normal numbers count as
// within 7 of their deviation), and their root mean square. Empty dtype rules aside, an operator is
// finite where its operands lie in its domain.
struct Range {
  double low = 0;
  double high = 0;
  double scale = 0;

  bool Within(const Range& outer) const { return low >= outer.low && high <= outer.high; }
};

struct OperandRow {
  enum class Role : std::uint8_t {
    kInput,
    kOptional,   // May be absent.
    kList,       // The last: any number of tensors, as cat takes.
    kParameter,  // Learned: where a module holds it, it is created by the module.
    kBuffer,     // A module's own, not learned: running_mean.
  };
  std::string_view name;
  Role role = Role::kInput;
};

// How the sampler draws an attribute. What follows from other things is drawn by the row's own
// `propose`.
struct AttributeDraw {
  enum class Kind : std::uint8_t {
    kFixed,      // Always the default.
    kProposed,   // By `propose`.
    kBinned,     // An integer from [low, high]: a power of two's bin first, then within it.
    kDimension,  // A dimension of the first input, -rank … rank - 1.
    kFlag,
    kNumber,  // Uniform in [low, high].
    kChoice,
  };
  Kind kind = Kind::kFixed;
  double low = 0, high = 0;
};

struct AttributeRow {
  std::string_view name;  // As torch's function or module calls it.
  Attribute::Kind kind = Attribute::Kind::kInteger;
  Attribute default_value;
  AttributeDraw draw;
  std::span<const std::string_view> choices;  // Of kChoice.
  bool keyword_only = false;
};

// One application of an operator, as its rules see it. Absent operands are null.
struct OperatorUse {
  std::span<const TensorType* const> operands;
  std::span<const Attribute> attributes;

  bool Has(int i) const { return i < int(operands.size()) && operands[i] != nullptr; }
  const TensorType& operand(int i) const { return *operands[i]; }
  const Shape& shape(int i) const { return operands[i]->shape; }
  const Attribute& attribute(int i) const { return attributes[i]; }
  std::int64_t integer(int i) const { return attributes[i].integer(); }
};

// The choices that a rule may ask for; the same seed gives the same ones everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();                                       // splitmix64.
  std::int64_t Integer(std::int64_t low, std::int64_t high);  // Both included.
  std::int64_t Binned(std::int64_t low, std::int64_t high);   // [2^i, 2^(i+1)), then within.
  double Number();                                            // [0, 1).
  bool Chance(double probability) { return Number() < probability; }
  std::size_t Index(std::size_t count) { return Next() % count; }

 private:
  std::uint64_t state_;
};

struct OperatorCost {
  std::int64_t flops = 0;  // A multiply-add is two; exp, tanh and their like are one.
  std::int64_t bytes = 0;  // Read and written once; 0 for views.
};

struct OperatorRow {
  std::string_view name;  // torch's own, unique: "conv2d".
  OperatorFamily family = OperatorFamily::kElementwise;
  std::vector<OperandRow> operands;
  std::vector<AttributeRow> attributes;

  // Types of the results, appended to an empty list; false where torch would refuse.
  bool (*infer)(const OperatorUse& use, std::vector<TensorType>* results) = nullptr;
  // Types of the operands that a module creates, in the order of `operands`, from the inputs and
  // the attributes; null where there are none.
  bool (*parameters)(const OperatorUse& use, std::vector<TensorType>* types) = nullptr;
  // Fills the attributes that are kProposed, for inputs of these types; false where this operator
  // does not fit them. Null where none is.
  bool (*propose)(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) = nullptr;
  // The ranges of the results from those of the operands; false where some value may not be finite
  // (or torch would refuse it: an index out of bounds).
  bool (*range)(const OperatorUse& use, std::span<const Range> operands,
                std::vector<Range>* results) = nullptr;
  OperatorCost (*cost)(const OperatorUse& use, std::span<const TensorType> results) = nullptr;

  // The result's element from the operands' elements, as C++ of a kernel: $0, $1 are operands in
  // the type that is computed in (float for half precision), {alpha} an attribute. Empty where
  // elements are not computed one by one.
  std::string_view scalar;
  // Full names of what it is called in torch, the function that a user writes first:
  // "torch.nn.functional.gelu", "torch.Tensor.add", "torch.nn.GELU".
  std::vector<std::string_view> spellings;
  // Of KernelBench's problems and those beyond them how many of 1,000 operators are this one; how
  // often the sampler picks it.
  double weight = 1;
  bool commutative = false;  // The first two operands may be exchanged.
};

}  // namespace kernelmill
