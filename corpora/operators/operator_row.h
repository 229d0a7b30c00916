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
std::string_view OperatorFamilyName(OperatorFamily family);

// What values a tensor has: bounds that every element keeps in practice (normal numbers count as
// within 7 of their deviation), and their root mean square. Empty dtype rules aside, an operator is
// finite where its operands lie in its domain.
struct Range {
  double low = 0;
  double high = 0;
  double scale = 0;

  static constexpr Range Normal(double deviation) {
    return {-7 * deviation, 7 * deviation, deviation};
  }
  static Range Uniform(double low, double high);
  static constexpr Range Constant(double value) {
    return {value, value, value < 0 ? -value : value};
  }

  bool Within(const Range& outer) const { return low >= outer.low && high <= outer.high; }
};

// A tensor that is to be created.
struct NewTensor {
  TensorType type;
  Range range;
};

struct OperandRow {
  enum class Role : std::uint8_t {
    kInput,
    kOptional,    // May be absent.
    kList,        // The last: any number of tensors, as cat takes.
    kParameter,   // Learned: where a module holds it, it is created by the module.
    kBuffer,      // A module's own, not learned: running_mean.
    kParameters,  // The last: any number of learned tensors, as lstm takes.
  };
  std::string_view name;
  Role role = Role::kInput;
};

// How the sampler draws an attribute: half the time its default, where it has one that is not None.
// What follows from other things is drawn by the row's own `propose`, after the others.
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
  // Of kChoice. A word that begins with "torch." names that object, others are strings.
  std::span<const std::string_view> choices;
  bool keyword_only = false;
  // Only the nn module takes it; the function reads it off its parameters: out_features, and `bias`
  // as a flag. It agrees with the parameters that are given.
  bool module_only = false;
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
  // the attributes; those that it stops short of are absent. Null where there are none.
  bool (*parameters)(const OperatorUse& use, std::vector<TensorType>* types) = nullptr;
  // Fills the attributes that are kProposed, for inputs of these types; false where this operator
  // does not fit them. Null where none is.
  bool (*propose)(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) = nullptr;
  // Completes what a use of the operator needs besides parameters, for a sampler that has no value
  // which fits: `inputs` holds the first input, whose range it may narrow, and gets the others
  // appended (several, for a list). Absent optional operands at the end are left out; false where
  // nothing fits. Null where the first input is all there is and any values do.
  bool (*inputs)(Draw* draw, std::span<const Attribute> attributes,
                 std::vector<NewTensor>* inputs) = nullptr;
  // The ranges of the results from those of the operands; false where some value may not be finite
  // (or torch would refuse it: an index out of bounds).
  bool (*range)(const OperatorUse& use, std::span<const Range> operands,
                std::vector<Range>* results) = nullptr;
  OperatorCost (*cost)(const OperatorUse& use, std::span<const TensorType> results) = nullptr;

  // The result's element from the operands' elements, as C++ of a kernel: $0, $1 are operands
  // converted to ScalarType, {alpha} an attribute as a literal of that type, and the value is
  // converted to the result's dtype. Only functions that CUDA and <cmath> share are called. Empty
  // where elements are not computed one by one; of losses, the element before its reduction.
  std::string_view scalar;
  // The same where ScalarType is an integer or bool, where that is written otherwise.
  std::string_view integral_scalar;
  // The same where it depends on an attribute: approximate="tanh".
  std::string_view (*scalar_of)(const OperatorUse& use) = nullptr;
  // torch converts numbers among the attributes to the first operand's dtype before it compares:
  // half precision's nearest.
  bool rounds_numbers = false;
  // Full names of what it is called in torch, the function that a user writes first:
  // "torch.nn.functional.gelu", "torch.Tensor.add", "torch.nn.GELU".
  std::vector<std::string_view> spellings;
  // Of KernelBench's problems and those beyond them how many of 1,000 operators are this one; how
  // often the sampler picks it.
  double weight = 1;
  bool commutative = false;  // The first two operands may be exchanged.

  // Draws all attributes by their rules, for inputs of these types (the first alone will do, unless
  // more are there already). False where the operator does not fit them.
  bool DrawAttributes(Draw* draw, std::span<const TensorType* const> inputs,
                      std::vector<Attribute>* attributes) const;
  // What one element is computed in: the result's dtype, or, for comparisons and casts, that of the
  // operands as torch promotes them; float32 for half precision.
  DType ScalarType(const OperatorUse& use, DType result) const;
  // The expression for this use; empty where there is none.
  std::string_view Scalar(const OperatorUse& use, DType result) const;
};

}  // namespace kernelmill
