// Parts of a row of the operator table (operator_row.h): what the sampler, the writers of modules
// and of reasoning, lowering and the rules on answers know of one operator. A row names what
// differs from the defaults; what its family says stands with those that ask for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelmill {

// How the sampler of graphs treats the operator, beside its weight.
struct SamplerRules {
  std::string_view never_drawn;  // Why; empty where it is drawn.
  // Factors on what its weight and its family give: as the first operator of a fused pattern, and
  // as one that follows another. Rows of three dimensions fit few of the places where they are
  // drawn; others are in blocks and models more often than in fused patterns, or less often.
  double first = 1;
  double follower = 1;
  // Which first operands are usual, where 0 is no limit: torch's modules of norms take at most three
  // spatial dimensions, attention heads are small, and nobody accumulates bools by index.
  int least_rank = 0, most_rank = 0;
  std::int64_t most_columns = 0;  // Of the last dimension.
  bool bools = true;
};

// What the result of an operator on random numbers depends on. Where the numbers leave no question
// about it, the sampler does without the operator (generators/graphs/foreseeable.h).
enum class ResultQuestion : std::uint8_t {
  kNone,
  kZeroOrEqual,  // Whether numbers are zero, or equal to each other: random floats never are.
  kAllOrAny,     // The same of all elements together.
  kOrder,        // On which side of its number they lie.
  kSign,
  kPositive,  // Whether there are numbers above zero.
  kBounds,    // Whether numbers lie within its bounds, attributes that begin with "min" and "max".
  kTruncated,
  kFloor,
  kCeiling,
  kRounded,
};

// An argument of an nn module's constructor that is written without its name: a size of an operand,
// or an attribute of the row.
struct ModuleArgument {
  int operand = -1;
  int dimension = 0;           // From the end where negative.
  std::string_view attribute;  // Where `operand` is -1.
};
constexpr ModuleArgument SizeOf(int operand, int dimension) { return {operand, dimension, {}}; }
constexpr ModuleArgument Given(std::string_view attribute) { return {-1, 0, attribute}; }

// How source constructs the nn module.
struct ModuleConstruction {
  // In this order; without any, all arguments are attributes, given by name.
  std::vector<ModuleArgument> arguments;
  std::string_view fixed;  // An argument that no attribute is: nonlinearity="relu".
};

// What readers expect to read about the operator.
struct OperatorWords {
  // What an author calls the module in self, "bn", and the result of a call, "gate"; where they are
  // empty, words of the family. Of several results, the words one by one.
  std::string_view member;
  std::string_view result;
  std::vector<std::string_view> results;
  // What one element of the result is, on one line: x is what is reduced or transformed, y the
  // result, m a maximum and n the number of elements that belong together. Empty where `scalar`
  // says it, or no line can.
  std::string_view formula;
  std::string_view note;    // A clause that completes the formula; mostly empty.
  bool like_family = true;  // What is said of its family holds for it.
};

// What lowering, and those who reason about it, know beside the rules for types and ranges.
struct OperatorTraits {
  bool keeps_sizes = false;  // The result has the sizes of the first operand.
  // The result may be the first operand itself, so that no work is done. Views are so anyway.
  bool passes_on = false;
  // Passes on, or is a view, in some cases and copies elements in others.
  bool sometimes_copies = false;
  // The result is the first operand wherever their types are the same.
  bool same_if_same_type = false;
  bool keeps_order = false;  // A view whose elements lie in memory as those of the operand do.
  bool jumps = false;  // The least change of an operand may change the result by one and more.
  // Subtracts the maximum of a row before it takes exponentials.
  bool shifts_exponentials = false;
  bool adds_up = false;  // The order of its additions shows in the last bits.
  // What its attributes call dimensions are the result's; of other operators, the first operand's.
  bool dimensions_of_result = false;
};

// torch's names for the operator in C++: functions of at:: and torch::, and methods of a tensor.
struct CppNames {
  // Extensions that call one of these let torch compute. No other object has methods of these
  // names.
  std::vector<std::string_view> refused;
  // torch::NAME takes what a kernel's wrapper takes: the operands, in their order.
  bool stands_for_wrapper = false;
};

}  // namespace kernelmill
