// Rows of tensor contractions: einsum, tensordot, kron.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kMatmul;

// Equations as networks write them. The sampler draws from the first kDrawn, the last four of which
// are those of state space models. The others only name what captured modules contain: products of
// heads, with positions, with experts, and weighted pooling.
constexpr std::size_t kDrawn = 22;
constexpr std::string_view kEquations[] = {"ij,jk->ik",
                                           "bij,bjk->bik",
                                           "bhqd,bhkd->bhqk",
                                           "bhqk,bhkd->bhqd",
                                           "bnd,de->bne",
                                           "bijl,lk->bijk",
                                           "i,j->ij",
                                           "bi,bj->bij",
                                           "ij,ij->i",
                                           "bij,bij->b",
                                           "bi,bi->b",
                                           "bld,bmd->blm",
                                           "ij->ji",
                                           "ij->i",
                                           "bhwc,ck->bhwk",
                                           "nctv,vw->nctw",
                                           "bchw,kc->bkhw",
                                           "bnhd,bmhd->bhnm",
                                           "bclhn,bcshn,bhcls,bcshp->bclhp",
                                           "bclhn,bhcl,bclhp->bchpn",
                                           "bhzc,bchpn->bzhpn",
                                           "bclhn,bchpn,bhcl->bclhp",
                                           "bhij,hg->bgij",
                                           "bhnd,bhne->bhde",
                                           "bij,bik->bjk",
                                           "bhnd,bhd->bhn",
                                           "bnd,bd->bn",
                                           "bhn,bhn->bn",
                                           "bn,bnd->bd",
                                           "bhn,bhnd->bhd",
                                           "bnd,bne->bned",
                                           "bnd,ed->bne",
                                           "ij,kj->ik",
                                           "ij,ik->jk",
                                           "bhqk,bkhd->bqhd",
                                           "bhid,jd->bhij",
                                           "bhid,ijd->bhij",
                                           "bhij,ijd->bhid",
                                           "bhid,hijd->bhij",
                                           "bhnd,hde->bhne",
                                           "bnd,hde->bhne",
                                           "bnd,hed->bnhe",
                                           "bnhd,ehd->ben",
                                           "bnhd,ehd->bne",
                                           "bnhd,bmd->bnhm",
                                           "bnhm,bmd->bnhd",
                                           "bghtd,bhsd->bghts",
                                           "bghts,bhsd->bghtd",
                                           "bhij,bhjwd->bhiwd",
                                           "gbnd,ged->bnge",
                                           "gbhnd,gde->gbhne",
                                           "bnd,nde->bne",
                                           "bhwc,hkc->bhwk",
                                           "bhwc,wkc->bhwk",
                                           "ij,kij->k",
                                           "i,i->"};

std::string_view Equation(const Attribute& attribute) { return kEquations[attribute.choice()]; }

// The letters of operand i; for i past the last operand, those of the result.
std::string_view Subscripts(std::string_view equation, int i) {
  const std::size_t arrow = equation.find("->");
  std::string_view rest = equation.substr(0, arrow);
  for (; i > 0 && !rest.empty(); --i) {
    const std::size_t comma = rest.find(',');
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return rest.substr(0, rest.find(','));
}

int OperandCount(std::string_view equation) {
  return 1 + int(std::count(equation.begin(), equation.end(), ','));
}

// Sizes by letter; 0 for a letter that has not occurred. A size of 1 is broadcast.
struct LetterSizes {
  std::array<std::int64_t, 128> sizes{};

  bool Add(std::string_view letters, const Shape& shape) {
    if (int(letters.size()) != shape.rank()) return false;
    for (int i = 0; i < shape.rank(); ++i) {
      std::int64_t& size = sizes[std::size_t(letters[i])];
      if (size != 0 && size != 1 && shape[i] != 1 && size != shape[i]) return false;
      if (size == 0 || size == 1) size = shape[i];
    }
    return true;
  }
};

bool Sizes(const OperatorUse& use, LetterSizes* sizes) {
  const std::string_view equation = Equation(use.attribute(0));
  if (OperandCount(equation) != int(use.operands.size())) return false;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    if (!use.Has(int(i)) || !sizes->Add(Subscripts(equation, int(i)), use.shape(int(i))))
      return false;
  }
  return true;
}

// The dtype of a product. Letters that both operands have are summed in one dtype, which must not
// be bool. Letters that only one operand has are summed first, which turns integers into int64.
bool ProductDType(const OperatorUse& use, const LetterSizes& sizes, DType* dtype) {
  const std::string_view equation = Equation(use.attribute(0));
  const std::string_view result = equation.substr(equation.find("->") + 2);
  const int count = int(use.operands.size());
  *dtype = use.operand(0).dtype;
  if (count > 2) {
    for (int i = 1; i < count; ++i) {
      if (use.operand(i).dtype != *dtype) return false;
    }
    return *dtype != DType::kBool;
  }
  const auto has = [&](int i, char letter) {
    const std::size_t at = Subscripts(equation, i).find(letter);
    return i < count && at != std::string_view::npos && use.shape(i)[int(at)] > 1;
  };
  bool contracted = false;
  TensorType types[2] = {use.operand(0), use.operand(count - 1)};
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (sizes.sizes[std::size_t(letter)] == 0 || result.find(letter) != std::string_view::npos)
      continue;
    if (has(0, letter) && has(1, letter)) contracted = true;
    for (int i = 0; i < count; ++i) {
      const bool alone = count == 1 || (has(i, letter) && !has(1 - i, letter));
      if (alone && !IsFloating(types[i].dtype)) types[i].dtype = DType::kInt64;
    }
  }
  if (contracted && (types[0].dtype != types[1].dtype || types[0].dtype == DType::kBool))
    return false;
  const TensorType* both[] = {&types[0], &types[1]};
  *dtype = ResultDType({{both, std::size_t(count)}, {}});
  return true;
}

bool EinsumInfer(const OperatorUse& use, Types* results) {
  LetterSizes sizes;
  if (!Sizes(use, &sizes)) return false;
  TensorType type;
  if (!ProductDType(use, sizes, &type.dtype)) return false;
  const std::string_view equation = Equation(use.attribute(0));
  for (const char letter : equation.substr(equation.find("->") + 2)) {
    type.shape.Append(sizes.sizes[std::size_t(letter)]);
  }
  results->push_back(type);
  return true;
}

bool EinsumPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  for (int tries = 0; tries < 8; ++tries) {
    const std::size_t choice = draw->Index(kDrawn);
    const std::string_view equation = kEquations[choice];
    attributes[0] = Attribute::Choice(int(choice));
    if (inputs.size() > 1 && OperandCount(equation) != int(inputs.size())) continue;
    LetterSizes sizes;
    bool fits = true;
    for (std::size_t i = 0; i < inputs.size() && fits; ++i) {
      fits = sizes.Add(Subscripts(equation, int(i)), inputs[i]->shape);
    }
    if (fits) return true;
  }
  return false;
}

bool EinsumInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const std::string_view equation = Equation(attributes[0]);
  LetterSizes sizes;
  const TensorType first = (*inputs)[0].type;
  if (!sizes.Add(Subscripts(equation, 0), first.shape)) return false;
  for (int i = 1; i < OperandCount(equation); ++i) {
    TensorType type{first.dtype, {}};
    for (const char letter : Subscripts(equation, i)) {
      std::int64_t& size = sizes.sizes[std::size_t(letter)];
      if (size == 0) size = draw->Binned(1, 16);
      type.shape.Append(size);
    }
    inputs->push_back({type, UsualRange(type.dtype)});
  }
  return true;
}

// The cost of contracting from left to right, where each letter that no later operand needs is
// summed at once.
OperatorCost EinsumCost(const OperatorUse& use, std::span<const TensorType> results) {
  LetterSizes sizes;
  const std::int64_t bytes = BytesMoved(use, results);
  if (!Sizes(use, &sizes)) return {0, bytes};
  const std::string_view equation = Equation(use.attribute(0));
  std::array<bool, 128> held{};
  std::int64_t flops = 0;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    for (const char letter : Subscripts(equation, int(i))) held[std::size_t(letter)] = true;
    if (i == 0 && use.operands.size() > 1) continue;
    std::int64_t products = use.operands.size() > 1 ? 2 : 1;
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (held[std::size_t(letter)]) products *= sizes.sizes[std::size_t(letter)];
    }
    flops += products;
    const std::string_view rest = equation.substr(equation.find(Subscripts(equation, int(i))) +
                                                  Subscripts(equation, int(i)).size());
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (rest.find(letter) == std::string_view::npos) held[std::size_t(letter)] = false;
    }
  }
  return {flops, bytes};
}

bool EinsumRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  LetterSizes sizes;
  if (!Sizes(use, &sizes)) return false;
  const std::string_view equation = Equation(use.attribute(0));
  const std::string_view result = equation.substr(equation.find("->") + 2);
  std::int64_t count = 1;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (sizes.sizes[std::size_t(letter)] > 0 && result.find(letter) == std::string_view::npos) {
      count *= sizes.sizes[std::size_t(letter)];
    }
  }
  Range product = operands[0];
  for (std::size_t i = 1; i + 1 < operands.size(); ++i) product = ProductOf(product, operands[i]);
  Range range =
      operands.size() > 1 ? DotOf(product, operands.back(), count) : SumOf(product, count);
  if (operands.size() > 2) range = {2.5 * range.low, 2.5 * range.high, range.scale};
  DType dtype = DType::kFloat32;
  return ProductDType(use, sizes, &dtype) && AddRange(dtype, range, results);
}

// tensordot over the number of dimensions in attribute 0: the last ones of the first operand and
// the first ones of the second.
bool TensordotInfer(const OperatorUse& use, Types* results) {
  const Shape &a = use.shape(0), &b = use.shape(1);
  const std::int64_t dims = use.integer(0);
  if (dims < 0 || dims > a.rank() || dims > b.rank() ||
      use.operand(0).dtype != use.operand(1).dtype || use.operand(0).dtype == DType::kBool) {
    return false;
  }
  TensorType type{use.operand(0).dtype, {}};
  for (int i = 0; i < int(dims); ++i) {
    // A dimension of size 1 is broadcast.
    const std::int64_t left = a[a.rank() - int(dims) + i], right = b[i];
    if (left != right && left != 1 && right != 1) return false;
  }
  if (a.rank() + b.rank() - 2 * dims > kMaxRank) return false;
  for (int i = 0; i < a.rank() - dims; ++i) type.shape.Append(a[i]);
  for (int i = int(dims); i < b.rank(); ++i) type.shape.Append(b[i]);
  results->push_back(type);
  return true;
}

bool TensordotPropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  attributes[0] = Attribute::Integer(draw->Integer(1, std::min(2, inputs[0]->shape.rank())));
  return inputs[0]->shape.rank() > 0;
}

bool TensordotInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  const int dims = int(attributes[0].integer());
  if (dims > first.shape.rank()) return false;
  TensorType type{first.dtype, Shape(first.shape.sizes().last(std::size_t(dims)))};
  for (std::int64_t i = draw->Integer(0, 2); i > 0; --i) type.shape.Append(draw->Binned(1, 16));
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

std::int64_t TensordotCount(const OperatorUse& use) {
  const Shape &a = use.shape(0), &b = use.shape(1);
  std::int64_t count = 1;
  for (int i = 0; i < int(use.integer(0)); ++i) {
    count *= std::max(a[a.rank() - int(use.integer(0)) + i], b[i]);
  }
  return count;
}

OperatorCost TensordotCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {2 * results[0].shape.Elements() * TensordotCount(use), BytesMoved(use, results)};
}

bool TensordotRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(use.operand(0).dtype, DotOf(operands[0], operands[1], TensordotCount(use)),
                  results);
}

// kron of tensors with the same rank.
bool KronInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  const Shape &a = use.shape(0), &b = use.shape(1);
  const int rank = std::max(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    const int at_a = i - (rank - a.rank()), at_b = i - (rank - b.rank());
    type.shape.Append((at_a < 0 ? 1 : a[at_a]) * (at_b < 0 ? 1 : b[at_b]));
  }
  results->push_back(type);
  return true;
}

bool KronInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType type = (*inputs)[0].type;
  for (int i = 0; i < type.shape.rank(); ++i) type.shape[i] = draw->Integer(1, 3);
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

bool KronRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(ResultDType(use), ProductOf(operands[0], operands[1]), results);
}

}  // namespace

void AddContractions(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "einsum",
                   .family = kFamily,
                   .operands = {{"operands", OperandRow::Role::kList}},
                   .attributes = {{"equation",
                                   Attribute::Kind::kChoice,
                                   {},
                                   {AttributeDraw::Kind::kProposed},
                                   kEquations}},
                   .infer = EinsumInfer,
                   .propose = EinsumPropose,
                   .inputs = EinsumInputs,
                   .range = EinsumRange,
                   .cost = EinsumCost,
                   .spellings = {"torch.einsum"},
                   .weight = 3,
                   .sampler = {.follower = 3},
                   .cpp = {.refused = {"einsum"}}});
  rows->push_back({.name = "tensordot",
                   .family = kFamily,
                   .operands = {{"a"}, {"b"}},
                   .attributes = {Proposed("dims", Attribute::Kind::kInteger)},
                   .infer = TensordotInfer,
                   .propose = TensordotPropose,
                   .inputs = TensordotInputs,
                   .range = TensordotRange,
                   .cost = TensordotCost,
                   .spellings = {"torch.tensordot"},
                   .weight = 0.4,
                   .words = {.like_family = false},
                   .cpp = {.refused = {"tensordot"}}});
  rows->push_back({.name = "kron",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = KronInfer,
                   .inputs = KronInputs,
                   .range = KronRange,
                   .cost = CostPerElement<1>,
                   .spellings = {"torch.kron", "torch.Tensor.kron"},
                   .weight = 0.3,
                   .words = {.like_family = false}});
}

}  // namespace kernelmill
