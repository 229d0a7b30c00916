#include "corpora/operators/canonical_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "corpora/operators/canonical_form.h"

namespace kernelmill {
namespace {

// A limit that no graph from practice comes near. A graph with very many ties gets the smallest of
// the texts that were tried.
constexpr int kMaxLeaves = 4096;

constexpr std::uint64_t kIndividual = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kAbsentOperand = 0xd1b54a32d192ed03;

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ std::rotl(b, 32)) * 0xbf58476d1ce4e5b9 + b;
  x = (x ^ (x >> 29)) * 0x94d049bb133111eb;
  return x ^ (x >> 32);
}

std::uint64_t HashOf(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = Mix(hash, word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return Mix(hash, word);
}

void AppendType(const TensorType& type, bool shapes, std::string* text) {
  text->push_back(static_cast<char>(type.dtype));
  text->push_back(static_cast<char>(type.shape.rank()));
  if (!shapes) return;
  for (const std::int64_t size : type.shape) AppendNumber(size, text);
}

}  // namespace

Digest CanonicalHasher::Hash(const OperatorGraph& graph, bool shapes) {
  Load(graph, shapes);
  root_.colours.clear();
  for (const Item& item : items_) root_.colours.push_back(item.label);
  Refine(&root_);
  certificate_.clear();
  leaves_ = 0;
  Search(root_, &certificate_);
  return DigestOf(certificate_);
}

void CanonicalHasher::AddItem(std::size_t text_start, bool commutative) {
  const std::string_view text = std::string_view(text_).substr(text_start);
  items_.push_back({HashOf(text), static_cast<std::int32_t>(edges_.size()), 0,
                    static_cast<std::int32_t>(text_start), static_cast<std::int32_t>(text.size()),
                    commutative});
}

void CanonicalHasher::AddEdge(const OperatorGraph& graph, ValueId operand) {
  items_.back().edge_count++;
  if (operand == kAbsent) {
    edges_.push_back({-1, 0});
    return;
  }
  operand = same_[operand];
  const Value& value = graph.value(operand);
  if (value.is_computed()) {
    edges_.push_back({item_of_node_[value.node], operand - graph.nodes()[value.node].first_result});
  } else {
    edges_.push_back({item_of_value_[operand], 0});
  }
}

void CanonicalHasher::Load(const OperatorGraph& graph, bool shapes) {
  items_.clear();
  edges_.clear();
  text_.clear();
  const std::size_t value_count = graph.values().size();
  same_.resize(value_count);
  std::iota(same_.begin(), same_.end(), 0);
  item_of_node_.clear();
  std::int32_t sources = 0;
  for (const Node& node : graph.nodes()) {
    if (ChangesNothing(graph, node)) {
      same_[node.first_result] = same_[graph.operands(node)[0]];
      item_of_node_.push_back(-1);
    } else {
      item_of_node_.push_back(sources++);
    }
  }
  times_output_.assign(value_count, 0);
  for (const ValueId output : graph.outputs()) ++times_output_[same_[output]];
  item_of_value_.assign(value_count, -1);
  for (std::size_t id = 0; id < value_count; ++id) {
    if (!graph.values()[id].is_computed()) item_of_value_[id] = sources++;
  }
  for (std::size_t at = 0; at < graph.nodes().size(); ++at) {
    const Node& node = graph.nodes()[at];
    if (item_of_node_[at] < 0) continue;
    const std::size_t start = text_.size();
    AppendOperator(graph, node, shapes, &text_);
    AppendNumber(node.result_count, &text_);
    for (int i = 0; i < node.result_count; ++i) {
      AppendType(graph.value(node.first_result + i).type, shapes, &text_);
      AppendNumber(times_output_[node.first_result + i], &text_);
    }
    std::span<const ValueId> operands = graph.operands(node);
    while (!operands.empty() && operands.back() == kAbsent)
      operands = operands.first(operands.size() - 1);
    AddItem(start, node.op->commutative && operands.size() >= 2);
    for (const ValueId operand : operands) AddEdge(graph, operand);
  }
  for (std::size_t id = 0; id < value_count; ++id) {
    const Value& value = graph.values()[id];
    if (value.is_computed()) continue;
    const std::size_t start = text_.size();
    text_ += '\0';  // No operator has this name.
    text_ += static_cast<char>(value.role);
    text_ += static_cast<char>(value.layout);
    AppendType(value.type, shapes, &text_);
    AppendNumber(times_output_[id], &text_);
    AddItem(start, false);
  }
}

void CanonicalHasher::Pass(std::vector<Colour>* colours) {
  const std::size_t count = items_.size();
  forward_.assign(colours->begin(), colours->end());
  const auto seen = [&](const Edge& edge) {
    return edge.item < 0 ? kAbsentOperand : Mix(forward_[edge.item], edge.result + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Item& item = items_[i];
    const Edge* edges = edges_.data() + item.first_edge;
    int at = 0;
    Colour colour = forward_[i];
    if (item.commutative) {
      colour = Mix(colour, seen(edges[0]) + seen(edges[1]));
      at = 2;
    }
    for (; at < item.edge_count; ++at) colour = Mix(colour, seen(edges[at]));
    forward_[i] = colour;
  }
  uses_.assign(count, 0);
  // Items are in topological order and sources have no operands, so all uses of an item come after
  // it.
  for (std::size_t i = count; i-- > 0;) {
    const Item& item = items_[i];
    if (item.edge_count == 0) continue;
    const Colour colour = Mix(forward_[i], uses_[i]);
    for (int at = 0; at < item.edge_count; ++at) {
      const Edge& edge = edges_[item.first_edge + at];
      if (edge.item < 0) continue;
      const int position = item.commutative && at < 2 ? 0 : at;
      uses_[edge.item] += Mix(colour, std::uint64_t(position) << 32 | std::uint32_t(edge.result));
    }
  }
  for (std::size_t i = 0; i < count; ++i) (*colours)[i] = Mix(forward_[i], uses_[i]);
}

void CanonicalHasher::Refine(Colouring* colouring) {
  const std::size_t items = items_.size();
  for (colouring->count = 0;;) {
    Pass(&colouring->colours);
    colouring->by_colour.clear();
    for (std::size_t i = 0; i < items; ++i) {
      colouring->by_colour.emplace_back(colouring->colours[i], static_cast<std::int32_t>(i));
    }
    std::sort(colouring->by_colour.begin(), colouring->by_colour.end());
    std::size_t count = items > 0;
    for (std::size_t i = 1; i < items; ++i) {
      count += colouring->by_colour[i].first != colouring->by_colour[i - 1].first;
    }
    if (count <= colouring->count) return;
    colouring->count = count;
    if (count == items) return;
  }
}

CanonicalHasher::Colouring CanonicalHasher::Individualised(const Colouring& colouring,
                                                           std::int32_t item) {
  Colouring next = colouring;
  next.colours[item] = Mix(next.colours[item], kIndividual);
  Refine(&next);
  return next;
}

std::vector<std::int32_t> CanonicalHasher::FirstTie(const Colouring& colouring) {
  std::vector<std::int32_t> tie;
  for (std::size_t i = 0; i < colouring.by_colour.size(); ++i) {
    const auto& [colour, item] = colouring.by_colour[i];
    const bool same = !tie.empty() && colour == colouring.by_colour[i - 1].first;
    if (!same && tie.size() > 1) break;
    if (!same) tie.clear();
    tie.push_back(item);
  }
  return tie;
}

std::string CanonicalHasher::FirstLeaf(Colouring colouring) {
  while (colouring.count < items_.size()) {
    colouring = Individualised(colouring, FirstTie(colouring).front());
  }
  std::string text;
  Write(colouring, &text);
  return text;
}

void CanonicalHasher::Search(const Colouring& colouring, std::string* best) {
  if (colouring.count == items_.size()) {
    ++leaves_;
    std::string text;
    std::string* target = best->empty() ? best : &text;
    Write(colouring, target);
    if (target != best && text < *best) best->swap(text);
    return;
  }
  // Two leaves with the same text, colours included, are images of each other under an automorphism
  // that fixes the items individualized before. So are the subtrees they stand for, and one of them
  // suffices.
  std::vector<std::string> leaves;
  for (const std::int32_t item : FirstTie(colouring)) {
    const Colouring next = Individualised(colouring, item);
    std::string leaf = FirstLeaf(next);
    ++leaves_;
    if (std::find(leaves.begin(), leaves.end(), leaf) != leaves.end()) continue;
    leaves.push_back(std::move(leaf));
    if (leaves_ <= kMaxLeaves || best->empty()) Search(next, best);
  }
}

void CanonicalHasher::Write(const Colouring& colouring, std::string* text) {
  place_.resize(items_.size());
  std::uint64_t colours = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto& [colour, item] = colouring.by_colour[i];
    place_[item] = static_cast<std::int32_t>(i);
    colours = Mix(colours, colour);
  }
  AppendNumber(static_cast<std::int64_t>(colours), text);
  const auto write = [&](const Edge& edge) {
    AppendNumber(edge.item < 0 ? -1 : place_[edge.item], text);
    AppendNumber(edge.result, text);
  };
  const auto before = [&](const Edge& a, const Edge& b) {
    const int first = a.item < 0 ? -1 : place_[a.item];
    const int second = b.item < 0 ? -1 : place_[b.item];
    return first != second ? first < second : a.result < b.result;
  };
  for (const auto& [colour, index] : colouring.by_colour) {
    const Item& item = items_[index];
    text->append(text_, item.text, item.text_size);
    AppendNumber(item.edge_count, text);
    const Edge* edges = edges_.data() + item.first_edge;
    const bool exchange = item.commutative && before(edges[1], edges[0]);
    for (int at = 0; at < item.edge_count; ++at) {
      write(edges[exchange && at < 2 ? 1 - at : at]);
    }
  }
}

}  // namespace kernelmill
