// One name for all graphs that are the same but for names and order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "manifests/digest.h"

namespace kernelmill {

// Hashes one graph after another in the same memory. CanonicalHash says what counts.
//
// Items (nodes, and the values that no node computes) get colours that depend on all that leads to
// them and all that comes of them. Where colours tell every item from every other, their order is
// the canonical one. Where some items share a colour, each of them in turn is made different and
// the smallest text of all is taken; one that an automorphism maps to another is not tried again.
class CanonicalHasher {
 public:
  Digest Hash(const OperatorGraph& graph, bool shapes = true);

 private:
  using Colour = std::uint64_t;
  struct Edge {
    std::int32_t item;    // -1: an absent operand.
    std::int32_t result;  // Which of a node's.
  };
  struct Item {
    Colour label;
    std::int32_t first_edge, edge_count;
    std::int32_t text, text_size;  // What it is, edges apart, in text_.
    bool commutative;
  };
  struct Colouring {
    std::vector<Colour> colours;                             // By item.
    std::vector<std::pair<Colour, std::int32_t>> by_colour;  // Sorted.
    std::size_t count = 0;                                   // Of different colours.
  };

  void Load(const OperatorGraph& graph, bool shapes);
  void AddItem(std::size_t text_start, bool commutative);
  void AddEdge(const OperatorGraph& graph, ValueId operand);
  // Until no pass tells more items apart.
  void Refine(Colouring* colouring);
  void Pass(std::vector<Colour>* colours);
  // Makes `item` different from those that share its colour.
  Colouring Individualised(const Colouring& colouring, std::int32_t item);
  // The items that share the smallest colour of several.
  static std::vector<std::int32_t> FirstTie(const Colouring& colouring);
  // Keeps in `best` the smallest text of all ways to tell the rest apart.
  void Search(const Colouring& colouring, std::string* best);
  std::string FirstLeaf(Colouring colouring);
  void Write(const Colouring& colouring, std::string* text);

  std::vector<Item> items_;
  std::vector<Edge> edges_;
  std::string text_;
  std::vector<std::int32_t> item_of_value_, item_of_node_, times_output_;
  std::vector<ValueId> same_;  // What a value is the same as: itself, or the operand of a view.
  int leaves_ = 0;

  std::vector<Colour> forward_, uses_;
  std::vector<std::int32_t> place_;
  Colouring root_;
  std::string certificate_;
};

}  // namespace kernelmill
