// Element programs that copy views, for graphs in which no other kernel would write the result.
#include <algorithm>

#include "generators/lowering/element_program.h"
#include "generators/lowering/memory_order.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

std::string Text(std::int64_t number) { return std::to_string(number); }

int Wrap(std::int64_t dim, int rank) { return static_cast<int>(dim < 0 ? dim + rank : dim); }

bool Permute(ElementProgram* p) {
  const std::vector<int> order = OperandDimensions(p->scope().graph(), p->node());
  Axes axes(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) axes[order[d]] = p->axes()[d];
  p->Result(p->Read(0, axes));
  return true;
}

// The same elements in row-major order.
bool Reshape(ElementProgram* p) {
  p->Result(p->ReadFlat(0, "i"));
  return true;
}

bool Expand(ElementProgram* p) {
  const int more = p->result_shape().rank() - p->shape(0).rank();
  Axes axes;
  for (int d = 0; d < p->shape(0).rank(); ++d) {
    const bool spread = p->shape(0)[d] == 1 && p->result_shape()[d + more] != 1;
    axes.push_back(spread ? "0" : p->axes()[d + more]);
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Part(ElementProgram* p) {
  const int rank = p->shape(0).rank(), dim = Wrap(p->attribute("dim").integer(), rank);
  Axes axes = p->axes();
  if (p->name() == "select") {
    const std::int64_t place = p->attribute("index").integer();
    axes.insert(axes.begin() + dim,
                place < 0 ? "(" + p->Sizes(0)[dim] + " - " + Text(-place) + ")" : Text(place));
  } else {
    const PartText part = PartOf(&p->scope(), p->node(), 0);
    std::string place = axes[dim] + (part.step == 1 ? "" : " * " + Text(part.step));
    if (part.begin != "0") place = part.begin + " + " + place;
    axes[dim] = place == axes[dim] ? place : "(" + place + ")";
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Diagonal(ElementProgram* p) {
  const int rank = p->shape(0).rank();
  const int first = Wrap(p->attribute("dim1").integer(), rank),
            second = Wrap(p->attribute("dim2").integer(), rank);
  const std::int64_t offset = p->attribute("offset").integer();
  const std::string along = p->axes().back();
  Axes rest(p->axes().begin(), p->axes().end() - 1), axes;
  std::size_t next = 0;
  for (int d = 0; d < rank; ++d) {
    if (d == first) {
      axes.push_back(offset < 0 ? "(" + along + " + " + Text(-offset) + ")" : along);
    } else if (d == second) {
      axes.push_back(offset > 0 ? "(" + along + " + " + Text(offset) + ")" : along);
    } else {
      axes.push_back(rest[next++]);
    }
  }
  p->Result(p->Read(0, axes));
  return true;
}

bool Windows(ElementProgram* p) {
  const int dim = Wrap(p->attribute("dimension").integer(), p->shape(0).rank());
  Axes axes(p->axes().begin(), p->axes().end() - 1);
  axes[dim] = "(" + axes[dim] + " * " + Text(p->attribute("step").integer()) + " + " +
              p->axes().back() + ")";
  p->Result(p->Read(0, axes));
  return true;
}

}  // namespace

void AddViewPrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kOrder = "reads the place with its coordinates in the other order";
  for (const std::string_view name : {"transpose", "swapaxes", "t", "mT", "permute", "movedim"}) {
    rows->push_back({name, Permute, kOrder});
  }
  for (const std::string_view name :
       {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze"}) {
    rows->push_back({name, Reshape, "reads the same position in row-major order"});
  }
  for (const std::string_view name : {"expand", "expand_as"}) {
    rows->push_back({name, Expand, "reads the place that it repeats"});
  }
  for (const std::string_view name : {"narrow", "select", "slice"}) {
    rows->push_back({name, Part, "reads its place behind the part's beginning"});
  }
  rows->push_back({"diagonal", Diagonal, "reads its place on the diagonal"});
  rows->push_back({"unfold_dimension", Windows, "reads one element of one window"});
}

}  // namespace kernelmill
