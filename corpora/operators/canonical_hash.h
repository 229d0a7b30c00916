// CanonicalHasher: computes a hash of operator graphs that does not depend on names or on the order
// of nodes, so that equal computations have equal hashes. It does the work of CanonicalHash()
// (operator_graph.h), by which tasks are compared with the problems of benchmarks; whoever hashes
// many graphs keeps a hasher. Without `shapes`, the sizes of tensors do not count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "manifests/digest.h"

namespace kernelmill {

// Computes CanonicalHash() (corpora/operators/operator_graph.h) for one graph after another and
// reuses its memory. Not thread-safe.
//
// Items (nodes, and values that no node computes) get colours that depend on everything that leads
// to them and everything that is computed from them. If all colours differ, they give the canonical
// order. If items share a colour, each of them in turn is given a colour of its own, and the
// smallest text of all results is taken. An item that an automorphism maps to one already tried is
// skipped.
class CanonicalHasher {
 public:
  Digest Hash(const OperatorGraph& graph, bool shapes = true);

 private:
  using Colour = std::uint64_t;
  struct Edge {
    std::int32_t item;    // -1 for an absent operand.
    std::int32_t result;  // The index among a node's results.
  };
  struct Item {
    Colour label;
    std::int32_t first_edge, edge_count;
    std::int32_t text, text_size;  // The item's description without edges, as a range of text_.
    bool commutative;
  };
  struct Colouring {
    std::vector<Colour> colours;                             // By item.
    std::vector<std::pair<Colour, std::int32_t>> by_colour;  // Sorted.
    std::size_t count = 0;                                   // The number of distinct colours.
  };

  void Load(const OperatorGraph& graph, bool shapes);
  void AddItem(std::size_t text_start, bool commutative);
  void AddEdge(const OperatorGraph& graph, ValueId operand);
  // Repeats Pass() until the number of distinct colours stays the same.
  void Refine(Colouring* colouring);
  void Pass(std::vector<Colour>* colours);
  // Gives `item` a colour of its own.
  Colouring Individualised(const Colouring& colouring, std::int32_t item);
  // The items that share the smallest of the colours that occur more than once.
  static std::vector<std::int32_t> FirstTie(const Colouring& colouring);
  // Tries all ways to break the remaining ties, and keeps the smallest text in `best`.
  void Search(const Colouring& colouring, std::string* best);
  std::string FirstLeaf(Colouring colouring);
  void Write(const Colouring& colouring, std::string* text);

  std::vector<Item> items_;
  std::vector<Edge> edges_;
  std::string text_;
  std::vector<std::int32_t> item_of_value_, item_of_node_, times_output_;
  // By value: the value that it equals, which is itself or the operand of a view that changes
  // nothing.
  std::vector<ValueId> same_;
  int leaves_ = 0;

  std::vector<Colour> forward_, uses_;
  std::vector<std::int32_t> place_;
  Colouring root_;
  std::string certificate_;
};

}  // namespace kernelmill
