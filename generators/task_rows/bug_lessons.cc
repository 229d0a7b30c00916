#include "generators/task_rows/bug_lessons.h"

#include <algorithm>
#include <map>

namespace kernelmill {
namespace {

using Lessons = std::map<std::string_view, std::string_view>;

// Of kernels.
const Lessons& KernelLessons() {
  static const Lessons kLessons = {
      {"transposed_index",
       "In a row-major array a coordinate is multiplied by the number of elements of all "
       "dimensions after its own, and the last one by nothing. With square matrices the mistake "
       "stays inside the array, so only a test with unequal sizes, or a comparison of values, "
       "shows it."},
      {"wrong_stride",
       "Each array has strides of its own: the factor belongs to the array in front of the "
       "bracket, not to the loop around it. Sizes that differ from each other in a test tell all "
       "of them apart."},
      {"missing_offset",
       "An index needs one term for every dimension of its array. Counting the terms against the "
       "dimensions finds this before any run."},
      {"quotient_for_remainder",
       "The innermost coordinate of a linear index changes with every step, so it is the "
       "remainder; the outer one changes only after a whole row, so it is the quotient."},
      {"wrong_axis",
       "Variables of one type can be exchanged without a word from the compiler. A name that says "
       "which dimension it belongs to makes the line readable, and unequal extents make the "
       "mistake visible."},
      {"loop_stops_early",
       "Among many random terms a missing one changes a sum little, and may stay within the "
       "tolerance. An input in which only the last term is not zero shows it in every element."},
      {"loop_starts_late",
       "Among many random terms a missing one changes a sum little, and may stay within the "
       "tolerance. An input in which only the first term is not zero shows it in every element."},
      {"wrong_step",
       "The start and the step of a shared loop belong together: threads that start at consecutive "
       "positions must advance by exactly as many positions as threads start."},
      {"grid_rounded_down",
       "Rounding up costs a partly empty block at the end of each dimension at most, which the "
       "bounds check in the kernel handles. Rounding down goes unnoticed as long as all sizes are "
       "multiples of the tile."},
      {"missing_block",
       "A global position has the form block offset plus position within the block. A test whose "
       "result needs a single block cannot tell the two apart."},
      {"missing_parentheses",
       "Sums inside of a product or a division are the terms that such an edit changes silently: "
       "the expression still compiles and still is an index."},
      {"wrong_identity",
       "The start value of a reduction has to be neutral: zero for sums, minus infinity for "
       "maxima, infinity for minima. Inputs of one sign, chosen against the start value, show it."},
      {"uninitialised_sum",
       "Registers are not cleared between blocks or launches, so such a kernel may pass on one "
       "device and fail on the next."},
      {"missing_maximum",
       "In float, `exp` overflows beyond an argument of about 88. Subtracting the maximum of the "
       "row changes neither a softmax nor a logarithm of a sum to which it is added back, and it "
       "keeps every argument at or below zero."},
      {"integer_variable",
       "The conversion is implicit, so the compiler accepts it. A result that consists of whole "
       "numbers is the sign of it."},
      {"integer_division",
       "In C++ the types of the operands decide, not the type of the variable that gets the "
       "quotient."},
      {"sum_for_mean",
       "A result that is wrong by one constant factor, the number of reduced elements, points to "
       "the divisor and not to the loop."},
      {"wrong_divisor",
       "With many elements the two divisors nearly agree and the tolerance can hide the "
       "difference; rows of a few elements show it."},
      {"missing_epsilon",
       "With random inputs the variance is far from zero and the constant hardly matters. Constant "
       "rows make it decide between a number and NaN."},
      {"missing_term",
       "Comparing the expression with the formula term by term finds what a look at "
       "a few outputs does not: often only some inputs make the term matter."},
      {"skipped_operator",
       "In a fused kernel the name of the stored variable is all that shows which operator was "
       "applied last, so it pays to name each intermediate value after its operator."},
      {"wrong_coefficient",
       "Constants of approximations have to be copied from the definition digit by digit; an error "
       "of this size is far outside of the tolerance at most arguments."},
      {"flipped_comparison",
       "Test values on both sides of the threshold and on it: each side alone can look right."},
      {"wrong_function",
       "Functions with similar curves agree near zero. Arguments of both signs, large and small, "
       "tell them apart."},
      {"swapped_operands",
       "Equal operands give the same result in both orders; inputs of different scale tell the "
       "orders apart."},
      {"overwritten_sum",
       "The compiler cannot object, because both forms are valid. A row in which only the first "
       "term is not zero gives zero here."},
      {"reduction_stops_early",
       "A tree halves its distance until it is one, and the step with distance one is needed. "
       "Counting the steps, the logarithm of the width, checks it."},
      {"reduction_starts_late",
       "The first distance of a tree is half of its width. The distances then add up to the width "
       "minus one, which is how many values are merged into the first; a smaller sum means that "
       "some were left out."},
      {"wrong_sign",
       "Functions that are even hide a sign; test an argument at which the two results "
       "differ."},
      {"missing_guard",
       "The grid is rounded up to whole blocks, so it has threads without an element as soon as "
       "the count is no multiple of the block. What they read or overwrite belongs to another "
       "tensor, and nothing reports it without a checker of accesses."},
      {"half_guard",
       "In a tile, every dimension has an end of its own. A test needs partial tiles along each of "
       "them, one at a time, to check every part of the condition."},
      {"guard_one_too_far",
       "For n elements the last valid position is n minus one. An access one element beyond the "
       "end usually hits allocated memory and raises no error, so only checked accesses find it."},
      {"loop_one_too_far",
       "Memory beyond the end of a tensor is often allocated, so that no error is certain: a store "
       "changes a neighbour's value, and a load brings a foreign value into the result. A foreign "
       "value that serves as an index leads the next access anywhere."},
      {"small_shared_array",
       "Nothing checks the bounds of shared memory in a normal run: the excess can land in "
       "another array of the block. The size has to follow from the same constants as the "
       "indices."},
      {"index_one_too_far",
       "All values move by one place and only the last access leaves the tensor, so a smooth input "
       "gives results that look almost right. Random inputs do not."},
      {"large_block",
       "The launch fails as a whole and the kernel never runs; without the check after the launch, "
       "the output is uninitialised memory."},
      {"missing_contiguous",
       "Fresh tensors are contiguous, so tests with fresh tensors pass. A transposed view or a "
       "slice has the same shape and other strides."},
      {"output_on_host",
       "Options of a tensor carry device and dtype; a dtype alone means the CPU."},
      {"barrier_in_branch",
       "Threads without work still have to reach every barrier: guard the accesses and not the "
       "barrier."},
      {"missing_barrier",
       "Two barriers belong to a buffer in shared memory that is used in a loop: one between "
       "writing and reading, one between reading and the next write. Whether a missing one shows "
       "depends on the order in which warps run."},
      {"missing_election",
       "After a reduction all threads may hold a value, but one owns the result. Where others "
       "write too, the outcome depends on their order, or the value is counted several times."},
      {"shared_element",
       "Each element needs exactly one owner, so the map from threads and their iterations to "
       "elements has to be one to one."},
      {"shared_slot",
       "A scratch array is indexed with what distinguishes its writers: the warp when each warp "
       "writes once, the thread when each thread does."},
      {"plain_update",
       "Reading, adding and writing are three steps; another thread can write in between. With few "
       "collisions the result is nearly right, which makes it easy to miss."},
      {"narrow_mask",
       "The mask names the lanes that call the shuffle together, all of a warp unless some have "
       "left; on a warp that converges, hardware may still give the expected values, so a test "
       "need not show it."},
      {"single_thread",
       "A kernel takes at least the work divided by the threads that run: first count the threads "
       "of the launch, and only then look inside of the kernel."},
      {"chunk_a_thread",
       "On a CPU a run of neighbours per thread suits the cache; on a GPU the lanes of a warp load "
       "at the same time, so neighbours in memory should go to neighbouring lanes, with a stride "
       "of all threads from one iteration to the next."},
      {"tiny_blocks",
       "Hardware schedules whole warps, so a block of fewer threads still takes a whole warp's "
       "place. The number of blocks per multiprocessor is limited, too, so fewer warps are there "
       "to hide latency."},
      {"needless_atomics",
       "An atomic is performed in the L2 cache and cannot be merged with those of neighbouring "
       "lanes as plain stores of a warp are. It is needed only where threads share an element."},
      {"missing_padding",
       "A word of shared memory lies in the bank that its address modulo the number of banks "
       "gives. One extra column shifts each row by one bank, so a column is spread over all "
       "banks."},
      {"work_done_twice",
       "A memory-bound kernel takes the time of its traffic, so repeating a loop that loads and "
       "stores doubles it unless the cache serves the second round; the result shows nothing."},
  };
  return kLessons;
}

// Of builds, bindings and Python.
const Lessons& ProgramLessons() {
  static const Lessons kLessons = {
      {"size_not_passed",
       "A kernel sees its parameters and nothing of the host function around its launch; every "
       "size that an index uses has to be among them."},
      {"missing_declaration",
       "The compiler names the first use; the declaration belongs before it, in the innermost "
       "scope that has all uses."},
      {"misspelt_intrinsic",
       "To the compiler an unknown name is an identifier that nobody has declared, and it stops at "
       "the first use. The platform's documentation lists the exact names, which differ in "
       "underscores and endings."},
      {"missing_semicolon",
       "The compiler reports the position at which it could not go on, which is often the line "
       "after the mistake."},
      {"unclosed_brace",
       "The message points to the end of the file or to a later definition, because everything up "
       "to there was read as part of the open block. Indentation shows where it began."},
      {"wrong_include",
       "Nothing after a missing header is compiled, so this message is the only one; more may "
       "follow once it is found."},
      {"untyped_pointer",
       "The element type is also a check: it raises an error when the tensor has another dtype, "
       "which a cast of the pointer would not."},
      {"tensor_for_pointer",
       "Host code handles tensors, and a kernel gets addresses and sizes: everything that the "
       "kernel knows of a tensor is passed by the launch."},
      {"wrong_pointer_type",
       "Kernel parameter, `data_ptr` and dtype of the tensor are three places that name one type; "
       "a change has to reach all of them."},
      {"declaration_mismatch",
       "The binding is compiled from the declaration alone, so the compiler cannot compare the "
       "two; the linker then looks for a function with these parameters and finds none."},
      {"missing_device_word",
       "What a kernel calls is compiled for the device; a function without the word is compiled "
       "for the host."},
      {"read_only_output",
       "`const` belongs on the inputs, where it lets the compiler refuse a store by mistake."},
      {"missing_function",
       "C++ reads a file from top to bottom: a device function has to stand before the kernel that "
       "calls it."},
      {"array_of_runtime_size",
       "The compiler reserves static shared memory, so it has to know the size; a dynamic array "
       "takes its size from the launch instead."},
      {"misnamed_function",
       "The name stands in the definition, in the declaration for the binding, in the list and in "
       "the call; the build checks the first three, and Python only the last, when it runs."},
      {"unlisted_function",
       "The list decides what Python sees: a function that is defined and declared, but not "
       "listed, compiles and cannot be called."},
      {"misnamed_call",
       "Python looks the name up when the line runs, so the build succeeds and the first call "
       "fails."},
      {"swapped_arguments",
       "Arguments of one type can be exchanged without an error. Where the shapes agree too, only "
       "the values show it."},
      {"missing_argument",
       "The binding checks number and types of arguments when the call runs and not when the "
       "extension is built."},
      {"swapped_forward",
       "Callers pass inputs by position, so the order is part of the interface. Equal shapes hide "
       "the exchange from every check but that of values."},
      {"swapped_parameters",
       "Both sides compile: the order is agreed on by position only. Names that differ between "
       "caller and callee are a hint."},
      {"swapped_launch_arguments",
       "Integers can be exchanged without an error from the compiler, and with equal sizes even "
       "the result is right. Test with sizes that all differ."},
      {"other_parameter_order",
       "A test that seeds both modules compares weights drawn from one stream of random numbers; "
       "each layer takes its share in the order of construction."},
      {"missing_member",
       "A replacement needs every parameter of its reference, under the same name, so that a state "
       "dict of one loads into the other."},
      {"other_initial_values",
       "Before looking into the kernels, compare the parameters of both modules: if they differ, "
       "no kernel can make the results agree."},
      {"missing_super",
       "`nn.Module` keeps its parameters and layers in dictionaries that its constructor makes, so "
       "it has to run before the first assignment."},
      {"other_class_name",
       "What loads the program looks the class up by its name; a right kernel under another name "
       "is never run."},
      {"other_output_shape",
       "The number of elements can agree and the shape still be wrong, so compare shapes before "
       "values."},
      {"torch_instead",
       "A comparison of results cannot see this: they agree because PyTorch computed both. Whether "
       "the kernels ran has to be checked on its own."},
      {"decoy_kernel",
       "A launch in a profile proves nothing about the result; follow the returned tensor back to "
       "what wrote it."},
      {"torch_fallback",
       "On the tested inputs the second path may be the one that runs, and then the kernels were "
       "never tested."},
      {"compiled_by_torch",
       "Compiled code is PyTorch's own kernel; the task is to write one, with its mapping and its "
       "bounds chosen by hand."},
      {"called_layer",
       "The layer may stay as the owner of its parameters, so that the state dict agrees; calling "
       "it runs PyTorch's operator."},
      {"torch_in_extension",
       "Operators of ATen in host code are PyTorch's work as much as those in Python; host code "
       "may allocate, check and launch."},
  };
  return kLessons;
}

}  // namespace

std::string_view LessonOf(std::string_view bug) {
  for (const Lessons* lessons : {&KernelLessons(), &ProgramLessons()}) {
    if (const auto found = lessons->find(bug); found != lessons->end()) return found->second;
  }
  return {};
}

namespace {

// A lesson that is true of some programs with the bug, and what is said of the others.
struct ConditionalLesson {
  std::string_view bug;
  bool (*holds)(const BugClass& bug, const ProgramOfBug& program);
  std::string_view otherwise;
};

// Whether the loop misses one term in all and not one of every tile, or goes one element too far
// and not a row.
bool IsOneElement(const BugClass& bug, const ProgramOfBug& program) {
  return CauseIn(bug, program.code) == bug.cause;
}

bool IsFused(const BugClass&, const ProgramOfBug& program) {
  return std::any_of(program.plans.begin(), program.plans.end(),
                     [](const DesignedKernel& plan) { return plan.operators.size() > 1; });
}

constexpr std::string_view kEveryElement =
    "A term is missing from every element of the result, and so all of them are wrong. That points "
    "to the loop; a wrong bound would spoil the last elements only.";

constexpr ConditionalLesson kConditional[] = {
    {"loop_stops_early", IsOneElement, kEveryElement},
    {"loop_starts_late", IsOneElement, kEveryElement},
    {"skipped_operator", IsFused,
     "A variable that is computed and never used is the sign of it, and compilers can warn of one: "
     "follow each stored value back to what computed it."},
    {"loop_one_too_far", IsOneElement,
     "A row beyond the end usually lies in allocated memory and raises no error: what it gives is "
     "stored behind the output, where another tensor may begin."},
};

}  // namespace

std::string_view LessonOn(const BugClass& bug, const ProgramOfBug& program) {
  for (const ConditionalLesson& lesson : kConditional) {
    if (lesson.bug == bug.name && !lesson.holds(bug, program)) return lesson.otherwise;
  }
  return LessonOf(bug.name);
}

}  // namespace kernelmill
