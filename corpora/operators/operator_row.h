// A row of the operator table (corpora/operators/operator_table.h): everything about one operator
// except the texts and kernels that are written for it. A new operator is one more row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/operators/attribute.h"
#include "corpora/operators/row_parts.h"
#include "corpora/operators/tensor_type.h"

namespace kernelmill {

enum class OperatorFamily : std::uint8_t {
  kActivation,
  kElementwise,  // Mathematical functions of one or more operands, element by element.
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
  kLayout,  // The same elements at other positions: cat, repeat, flip, roll.
  kCreation,
  kAttention,
  kRecurrent,
  kLoss,
  kSort,
  kTriangular,
};
std::string_view OperatorFamilyName(OperatorFamily family);

// The range of a tensor's values: the least and the greatest that occur in practice (normal numbers
// are assumed to be within 7 deviations), and their root mean square.
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

// The type and range of a tensor that is to be created.
struct NewTensor {
  TensorType type;
  Range range;
};

struct OperandRow {
  enum class Role : std::uint8_t {
    kInput,
    kOptional,    // May be absent.
    kList,        // The last operand: any number of tensors, as in cat.
    kParameter,   // Learned. A module creates it itself.
    kBuffer,      // Created by a module but not learned: running_mean.
    kParameters,  // The last operand: any number of learned tensors, as in lstm.
  };
  std::string_view name;
  Role role = Role::kInput;
};

// How the sampler draws an attribute. If it has a default other than None, it gets the default half
// of the time. Attributes that follow from others are set by the row's `propose` afterwards.
struct AttributeDraw {
  enum class Kind : std::uint8_t {
    kFixed,     // Always the default.
    kProposed,  // Set by `propose`.
    // An integer from [low, high]: first the power of two, then a number from it to the next.
    kBinned,
    kDimension,  // A dimension of the first input, from -rank to rank - 1.
    kFlag,
    kNumber,  // Uniform in [low, high].
    kChoice,
  };
  Kind kind = Kind::kFixed;
  double low = 0, high = 0;
};

struct AttributeRow {
  std::string_view name;  // The name in torch's function or module.
  Attribute::Kind kind = Attribute::Kind::kInteger;
  Attribute default_value;
  AttributeDraw draw;
  // For kChoice. A word that begins with "torch." names that object; others are strings.
  std::span<const std::string_view> choices;
  bool keyword_only = false;
  // Only the nn module takes it; the function reads it off its parameters: out_features, and `bias`
  // as a flag. It agrees with the parameters that are given.
  bool module_only = false;
  // The function takes it between the first operand and the others: torch.gather(x, 1, index).
  bool behind_first = false;
};

// One application of an operator as its rules see it. Absent operands are null.
struct OperatorUse {
  std::span<const TensorType* const> operands;
  std::span<const Attribute> attributes;

  bool Has(int i) const { return i < int(operands.size()) && operands[i] != nullptr; }
  const TensorType& operand(int i) const { return *operands[i]; }
  const Shape& shape(int i) const { return operands[i]->shape; }
  const Attribute& attribute(int i) const { return attributes[i]; }
  std::int64_t integer(int i) const { return attributes[i].integer(); }
};

// The source of the choices that rules make. The same seed gives the same choices on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();                                       // By splitmix64.
  std::int64_t Integer(std::int64_t low, std::int64_t high);  // Both bounds included.
  // First the interval [2^i, 2^(i+1)), then a number in it.
  std::int64_t Binned(std::int64_t low, std::int64_t high);
  double Number();  // In [0, 1).
  bool Chance(double probability) { return Number() < probability; }
  std::size_t Index(std::size_t count) { return Next() % count; }

 private:
  std::uint64_t state_;
};

struct OperatorCost {
  // A multiply-add counts as two; exp, tanh and similar functions count as one.
  std::int64_t flops = 0;
  std::int64_t bytes = 0;  // Of all operands and results, each counted once; 0 for views.
};

struct OperatorRow {
  std::string_view name;  // torch's own name, unique: "conv2d".
  OperatorFamily family = OperatorFamily::kElementwise;
  std::vector<OperandRow> operands;
  std::vector<AttributeRow> attributes;

  // Appends the types of the results to an empty list; false where torch would reject the operands.
  bool (*infer)(const OperatorUse& use, std::vector<TensorType>* results) = nullptr;
  // The types of the operands that a module creates, in the order of `operands`, computed from the
  // inputs and attributes. Operands after the last type are absent. Null for operators without such
  // operands.
  bool (*parameters)(const OperatorUse& use, std::vector<TensorType>* types) = nullptr;
  // Sets the attributes of kind kProposed for inputs of these types; false if the operator does not
  // fit them. Null if there are no such attributes.
  bool (*propose)(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) = nullptr;
  // Completes the operands other than parameters, for a sampler without suitable values. `inputs`
  // holds the first input, whose range the function may narrow, and gets the others (several for a
  // list). Optional operands at the end may be left out. False when nothing fits. Null if the first
  // input is the only one and may have any values.
  bool (*inputs)(Draw* draw, std::span<const Attribute> attributes,
                 std::vector<NewTensor>* inputs) = nullptr;
  // Computes the ranges of the results from those of the operands; false if a value may be infinite
  // or NaN, or may be one that torch rejects, such as an index out of bounds.
  bool (*range)(const OperatorUse& use, std::span<const Range> operands,
                std::vector<Range>* results) = nullptr;
  OperatorCost (*cost)(const OperatorUse& use, std::span<const TensorType> results) = nullptr;

  // One element of the result as a C++ expression for kernels. $0 and $1 are the operands converted
  // to ScalarType, {alpha} is an attribute as a literal of that type, and the value is converted to
  // the result's dtype. It calls only functions that both CUDA and <cmath> have. For losses it is
  // the element before the reduction. Empty if results are not computed elementwise.
  std::string_view scalar;
  // The expression for integers and bools, if it differs.
  std::string_view integral_scalar;
  // The expression, if it depends on an attribute: approximate="tanh".
  std::string_view (*scalar_of)(const OperatorUse& use) = nullptr;
  // Whether torch converts number attributes to the first operand's dtype before it compares, which
  // rounds them to half precision.
  bool rounds_numbers = false;
  // Full names in torch, with the usual function first: "torch.nn.functional.gelu",
  // "torch.Tensor.add", "torch.nn.GELU".
  std::vector<std::string_view> spellings;
  // The number of occurrences among 1,000 operators of KernelBench's problems and similar code. The
  // sampler draws operators by it.
  double weight = 1;
  bool commutative = false;  // The first two operands may be exchanged.

  // What follows has a default for most operators.
  SamplerRules sampler;
  ResultQuestion question = ResultQuestion::kNone;
  ModuleConstruction construction;
  OperatorWords words;
  OperatorTraits traits;
  CppNames cpp;
  // Another operator that computes the same, with the attributes that it has there, appended to an
  // empty list: relu6 as hardtanh(0, 6). Empty where this use has none; null where no use has.
  std::string_view (*same_as)(const OperatorUse& use, const TensorType& result,
                              std::vector<Attribute>* attributes) = nullptr;

  // Draws all attributes by their rules, for inputs of these types (the first alone will do, unless
  // more are there already). False where the operator does not fit them.
  bool DrawAttributes(Draw* draw, std::span<const TensorType* const> inputs,
                      std::vector<Attribute>* attributes) const;
  // The dtype in which one element is computed: the result's dtype or, for comparisons and casts,
  // the promoted dtype of the operands; float32 for half precision.
  DType ScalarType(const OperatorUse& use, DType result) const;
  // The expression for this use; empty when there is none.
  std::string_view Scalar(const OperatorUse& use, DType result) const;
};

}  // namespace kernelmill
