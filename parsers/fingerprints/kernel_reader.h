// Reads the skeleton of a kernel (kernel_skeleton.h): walks its body, and the functions that it
// calls, in program order, and follows which variable points to which memory and depends on which
// thread index. Called by ReadKernel().
//
// Its methods stand in kernel_expressions.cc, kernel_calls.cc and kernel_statements.cc. They
// recurse over the tree, with limits on depth and work: what lies beyond is not read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/fingerprints/kernel_skeleton.h"
#include "parsers/fingerprints/native_program.h"
#include "parsers/fingerprints/thread_value.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

class KernelReader {
 public:
  // `program` must outlive the reader.
  explicit KernelReader(const NativeProgram& program) : program_(program) {}

  // Once.
  KernelReading Read(const NativeFunction& kernel);

 private:
  struct Variable {
    std::string_view name;
    ThreadValue value;
  };
  // How the variable of a loop advances.
  struct Advance {
    std::string_view variable;
    ThreadValue step;
    bool halves = false;  // It is multiplied, divided or shifted.
    bool one = false;     // By 1.
  };
  // Counts how deep the recursion is, and how many nodes were visited: a function that is called
  // from ten places of one that is called from ten places is read a hundred times.
  class Deeper {
   public:
    explicit Deeper(KernelReader* reader) : reader_(reader) {
      ++reader_->depth_;
      ++reader_->visited_;
    }
    ~Deeper() { --reader_->depth_; }
    bool too_deep() const;

   private:
    KernelReader* const reader_;
  };

  // Emits a word, or that of an access to a place.
  void Emit(std::string word);
  void Access(const ThreadValue& place, bool write);
  // Runs `read`, whose words go into `items`; Enclosed(): into a new item with this word.
  template <typename Read>
  void EmitInto(Skeleton* items, Read read) {
    Skeleton* const outer = std::exchange(items_, items);
    read();
    items_ = outer;
  }
  template <typename Read>
  void Enclosed(std::string word, Read read) {
    SkeletonItem item{std::move(word), {}};
    EmitInto(&item.inner, read);
    items_->push_back(std::move(item));
  }

  // Expressions. Each emits the accesses of what it reads, and returns the value.
  ThreadValue Eval(const SyntaxNode& node);
  ThreadValue EvalAll(const SyntaxNode& node);
  ThreadValue Named(const SyntaxNode& identifier);
  ThreadValue BuiltIn(std::string_view name, std::string_view dimension);
  ThreadValue Field(const SyntaxNode& node);
  ThreadValue Assign(const SyntaxNode& node);
  ThreadValue Update(const SyntaxNode& argument);
  ThreadValue Cast(const SyntaxNode& type, ThreadValue value) const;
  // The place that an expression denotes: where it lies, and how its index follows the thread. The
  // accesses in its indices are emitted, and its own is not.
  ThreadValue Place(const SyntaxNode& node);
  // The innermost variable of the function that is read, or nullptr.
  ThreadValue* Find(std::string_view name);
  int WidthOf(std::string_view type) const;

  // Calls.
  ThreadValue CallOf(const SyntaxNode& node);
  ThreadValue Known(const SyntaxNode& node, const std::string& callee,
                    const std::vector<SyntaxNode>& arguments);
  ThreadValue Word(std::string_view word, const std::vector<SyntaxNode>& arguments);
  ThreadValue Cached(std::string_view callee, const std::vector<SyntaxNode>& arguments);
  ThreadValue Matrix(std::string_view callee, const std::vector<SyntaxNode>& arguments);
  void Overloads(const std::vector<const NativeFunction*>& functions,
                 const std::vector<ThreadValue>& values);
  void Call(const NativeFunction& function, const std::vector<ThreadValue>& arguments);
  void MacroWords(std::string_view name);

  // Statements.
  void Statement(const SyntaxNode& node);
  void Branch(const SyntaxNode& node);
  void Declare(const SyntaxNode& node);
  void Loop(const SyntaxNode& node);
  Advance AdvanceOf(const SyntaxNode& condition, const SyntaxNode& update, const SyntaxNode& body);
  Advance AssignmentOf(const SyntaxNode& node);
  bool IsShort(const SyntaxNode& condition, const ThreadValue& start, const Advance& advance);
  static std::string WordOf(const ThreadValue& start, const Advance& advance);
  // The name that a declarator or parameter declares, or "".
  static std::string_view DeclaredName(SyntaxNode node);

  const NativeProgram& program_;
  KernelReading reading_;
  Skeleton root_;
  Skeleton* items_ = &root_;
  std::vector<Variable> variables_;
  std::size_t frame_ = 0;  // The first variable of the function that is read.
  std::size_t calls_ = 0, visited_ = 0;
  int depth_ = 0, loops_ = 0;
};

}  // namespace kernelmill
