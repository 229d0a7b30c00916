#include "generators/lowering/contractions/product_spec.h"

#include <algorithm>
#include <map>

#include "generators/lowering/contractions/contraction_writer.h"
#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

class ProductWriter : public ContractionWriter {
 public:
  explicit ProductWriter(GroupScope* scope) : ContractionWriter(scope) {}

  std::optional<ContractionSpec> Write() {
    const std::string_view name = node_.op->name;
    if (operands_.empty() || node_.result_count != 1) return std::nullopt;
    spec_.type = scope_.Scalar(node_.first_result).compute;
    bool known = false;
    if (name == "linear") {
      known = Linear();
    } else if (name == "matmul" || name == "mm" || name == "bmm" || name == "mv" || name == "dot") {
      known = Product(0, 1);
    } else if (name == "addmm" || name == "addmv" || name == "baddbmm") {
      known = Product(1, 2) && AddTo();
    } else if (name == "addbmm") {
      known = SummedBatches() && AddTo();
    } else if (name == "outer") {
      spec_.m.Add("m", scope_.Sizes(operands_[0])[0], ShapeOf(0)[0]);
      spec_.n.Add("n", scope_.Sizes(operands_[1])[0], ShapeOf(1)[0]);
      spec_.a = Read(0, "m");
      spec_.b = Read(1, "n");
      spec_.position = "m * " + GroupScope::Parenthesized(spec_.n.Count()) + " + n";
      known = true;
    } else if (name == "einsum") {
      known = Einsum();
    } else if (name == "tensordot") {
      known = Tensordot();
    } else if (name == "bilinear") {
      known = Bilinear();
    }
    if (!known) return std::nullopt;
    return std::move(spec_);
  }

 private:
  bool Product(int left, int right) {
    const ValueId a = operands_[left], b = operands_[right];
    const Shape &a_shape = scope_.TypeOf(a).shape, &b_shape = scope_.TypeOf(b).shape;
    std::vector<std::string> a_sizes = scope_.Sizes(a), b_sizes = scope_.Sizes(b);
    if (a_sizes.size() == 1) a_sizes.insert(a_sizes.begin(), "1");
    if (b_sizes.size() == 1) b_sizes.push_back("1");
    const std::vector<std::string> a_batch(a_sizes.begin(), a_sizes.end() - 2);
    const std::vector<std::string> b_batch(b_sizes.begin(), b_sizes.end() - 2);
    std::string rows = a_sizes[a_sizes.size() - 2];
    const std::string inner = a_sizes.back(), columns = b_sizes.back();
    bool a_groups = false, b_groups = false;
    if (b_batch.empty()) {
      // All matrices of the batch are multiplied by the same columns, so they are stacked as one
      // tall matrix.
      std::vector<std::string> all = a_batch;
      all.push_back(rows);
      rows = Size("M", GroupScope::Product(all));
    } else if (a_batch.empty()) {
      b_groups = true;
    } else {
      if (!SameBatch(a_shape, b_shape)) return false;
      a_groups = b_groups = true;
    }
    const std::int64_t a_rows = a_shape.rank() == 1 ? 1 : a_shape.Back(1);
    const std::int64_t a_matrices = a_shape.Elements() / std::max<std::int64_t>(1, a_rows * a_shape.Back(0));
    spec_.m.Add("m", rows, b_batch.empty() ? a_rows * a_matrices : a_rows);
    spec_.n.Add("n", columns, b_shape.rank() == 1 ? 1 : b_shape.Back(0));
    spec_.k.Add("k", inner, a_shape.Back(0));
    if (b_groups) {
      std::int64_t matrices = 1;
      for (int d = 0; d + 2 < b_shape.rank(); ++d) matrices *= b_shape[d];
      spec_.group.Add("group", Size("groups", GroupScope::Product(b_batch)), matrices);
    }
    const Axis group{"group", ""};
    std::vector<Axis> a_axes = {{"m", rows}, {"k", inner}}, b_axes = {{"k", inner}, {"n", columns}};
    std::vector<Axis> out_axes = {{"m", rows}, {"n", columns}};
    if (a_groups) a_axes.insert(a_axes.begin(), group);
    if (b_groups) b_axes.insert(b_axes.begin(), group);
    if (b_groups) out_axes.insert(out_axes.begin(), group);
    spec_.a = ReadMatrix(left, a_axes, true);
    spec_.b = ReadMatrix(right, b_axes, columns == "1");
    spec_.position = Horner(out_axes);
    spec_.matrices = "m is a row of the left matrix, n a column of the right one";
    return true;
  }

  static bool SameBatch(const Shape& a, const Shape& b) {
    return a.rank() == b.rank() && std::equal(a.begin(), a.end() - 2, b.begin());
  }

  bool Linear() {
    const std::vector<std::string> sizes = scope_.Sizes(operands_[0]);
    const std::string features = scope_.Sizes(operands_[1])[0];
    const std::string rows = Size("M", GroupScope::Product({sizes.begin(), sizes.end() - 1}));
    const std::string& inner = sizes.back();
    const Shape &x = ShapeOf(0), &weight = ShapeOf(1);
    spec_.m.Add("m", rows, x.Elements() / std::max<std::int64_t>(1, x.Back(0)));
    spec_.n.Add("n", features, weight[0]);
    spec_.k.Add("k", inner, x.Back(0));
    spec_.a = ReadMatrix(0, {{"m", rows}, {"k", inner}}, true);
    spec_.b = ReadMatrix(1, {{"n", features}, {"k", inner}}, true);
    spec_.position = Horner({{"m", rows}, {"n", features}});
    if (Has(2)) spec_.result = "acc + " + Read(2, "n").value;
    spec_.matrices = "m is a row of the input, n an output feature: weight is read transposed";
    return true;
  }

  // The sum of the products of all matrices of a batch: the batch is part of the summed index.
  bool SummedBatches() {
    const std::vector<std::string> a = scope_.Sizes(operands_[1]), b = scope_.Sizes(operands_[2]);
    spec_.m.Add("m", a[1], ShapeOf(1)[1]);
    spec_.n.Add("n", b[2], ShapeOf(2)[2]);
    spec_.k.Add("p", a[0], ShapeOf(1)[0]);
    spec_.k.Add("q", a[2], ShapeOf(1)[2]);
    spec_.a = Read(1, Horner({{"p", a[0]}, {"m", a[1]}, {"q", a[2]}}));
    spec_.b = Read(2, Horner({{"p", b[0]}, {"q", b[1]}, {"n", b[2]}}), false);
    spec_.position = Horner({{"m", a[1]}, {"n", b[2]}});
    spec_.matrices =
        "m is a row of the left matrices, n a column of the right ones, k a matrix and "
        "a column of it";
    return true;
  }

  // beta * input + alpha * product, where input is broadcast to the result's shape.
  bool AddTo() {
    const Shape& input = scope_.TypeOf(operands_[0]).shape;
    const Shape& result = scope_.TypeOf(node_.first_result).shape;
    std::vector<std::string> names = {"group", "m", "n"};
    if (result.rank() < 3) names.erase(names.begin());
    if (result.rank() < 2) names.pop_back();
    if (static_cast<int>(names.size()) != result.rank() || input.rank() > result.rank()) {
      return false;
    }
    const std::vector<std::string> sizes = scope_.Sizes(operands_[0]);
    std::vector<Axis> axes;
    for (int d = 0; d < input.rank(); ++d) {
      const int at = d + result.rank() - input.rank();
      const bool spread = input[d] == 1 && result[at] != 1;
      axes.push_back({spread ? "0" : names[at], spread ? "1" : sizes[d]});
    }
    const std::string place = Horner(axes);
    const auto factor = [&](std::string_view name) {
      const Attribute& attribute = AttributeOf(scope_.graph(), node_, name);
      const double number = attribute.is_none() ? 1 : attribute.number();
      return number == 1 ? std::string()
                         : Literal(number, scope_.TypeOf(node_.first_result).dtype) + " * ";
    };
    spec_.result = factor("alpha") + "acc";
    // If beta is zero, torch does not read the input.
    const Attribute& beta = AttributeOf(scope_.graph(), node_, "beta");
    if (beta.is_none() || beta.number() != 0) {
      spec_.result += " + " + factor("beta") + Read(0, place).value;
    }
    return true;
  }

  bool Tensordot() {
    const int dims = static_cast<int>(AttributeOf(scope_.graph(), node_, "dims").integer());
    const std::vector<std::string> a = scope_.Sizes(operands_[0]), b = scope_.Sizes(operands_[1]);
    if (dims > static_cast<int>(std::min(a.size(), b.size()))) return false;
    const std::string rows = Size("M", GroupScope::Product({a.begin(), a.end() - dims}));
    const std::string inner = Size("K", GroupScope::Product({a.end() - dims, a.end()}));
    const std::string columns = Size("N", GroupScope::Product({b.begin() + dims, b.end()}));
    std::int64_t summed = 1;
    for (int d = 0; d < dims; ++d) summed *= ShapeOf(1)[d];
    spec_.m.Add("m", rows, ShapeOf(0).Elements() / std::max<std::int64_t>(1, summed));
    spec_.n.Add("n", columns, ShapeOf(1).Elements() / std::max<std::int64_t>(1, summed));
    spec_.k.Add("k", inner, summed);
    spec_.a = Read(0, Horner({{"m", rows}, {"k", inner}}));
    spec_.b = Read(1, Horner({{"k", inner}, {"n", columns}}), false);
    spec_.position = Horner({{"m", rows}, {"n", columns}});
    return true;
  }

  bool Bilinear() {
    const std::vector<std::string> first = scope_.Sizes(operands_[0]),
                                   second = scope_.Sizes(operands_[1]);
    const std::string features = scope_.Sizes(operands_[2])[0];
    const std::string rows = Size("M", GroupScope::Product({first.begin(), first.end() - 1}));
    const Shape& x = ShapeOf(0);
    spec_.m.Add("m", rows, x.Elements() / std::max<std::int64_t>(1, x.Back(0)));
    spec_.n.Add("n", features, ShapeOf(2)[0]);
    spec_.k.Add("p", first.back(), x.Back(0));
    spec_.k.Add("q", second.back(), ShapeOf(1).Back(0));
    spec_.a = Read(0, Horner({{"m", rows}, {"p", first.back()}}));
    spec_.a.value += " * " + Read(1, Horner({{"m", rows}, {"q", second.back()}})).value;
    spec_.b = Read(2, Horner({{"n", features}, {"p", first.back()}, {"q", second.back()}}));
    spec_.position = Horner({{"m", rows}, {"n", features}});
    if (Has(3)) spec_.result = "acc + " + Read(3, "n").value;
    return true;
  }

  bool Einsum() {
    const int index = FindAttribute(*node_.op, "equation");
    if (index < 0 || operands_.size() != 2) return false;
    const std::string_view equation =
        node_.op->attributes[index].choices[scope_.graph().attributes(node_)[index].choice()];
    const std::size_t comma = equation.find(','), arrow = equation.find("->");
    if (comma == equation.npos || arrow == equation.npos) return false;
    const std::string_view a = equation.substr(0, comma),
                           b = equation.substr(comma + 1, arrow - comma - 1),
                           out = equation.substr(arrow + 2);
    std::map<char, std::string> sizes;
    std::map<char, std::int64_t> own;
    for (const auto& [letters, operand] : {std::pair(a, 0), std::pair(b, 1)}) {
      const std::vector<std::string> given = scope_.Sizes(operands_[operand]);
      if (given.size() != letters.size()) return false;
      for (std::size_t i = 0; i < letters.size(); ++i) {
        if (letters.find(letters[i], i + 1) != letters.npos) return false;
        sizes.emplace(letters[i], given[i]);
        // One of the operands is broadcast along this letter.
        const std::int64_t size = scope_.TypeOf(operands_[operand]).shape[static_cast<int>(i)];
        if (own.emplace(letters[i], size).first->second != size) return false;
      }
    }
    const auto named = [&](std::string_view letters) {
      std::vector<Axis> axes;
      for (const char letter : letters) {
        axes.push_back({std::string("i_") + letter, sizes.at(letter)});
      }
      return axes;
    };
    for (const char letter : out) {
      const bool in_a = a.find(letter) != a.npos, in_b = b.find(letter) != b.npos;
      IndexAxes& to = in_a && in_b ? spec_.group : in_a ? spec_.m : spec_.n;
      to.Add(std::string("i_") + letter, sizes.at(letter), own.at(letter));
    }
    for (const char letter : a) {
      if (out.find(letter) != out.npos) continue;
      if (b.find(letter) == b.npos) return false;
      spec_.k.Add(std::string("i_") + letter, sizes.at(letter), own.at(letter));
    }
    for (const char letter : b) {
      if (out.find(letter) == out.npos && a.find(letter) == a.npos) return false;
    }
    const auto ends_in_k = [&](std::string_view letters) {
      return !letters.empty() && out.find(letters.back()) == out.npos;
    };
    // The innermost letter of an operand is one of k, of its own index, or of the group.
    const auto read = [&](int operand, std::string_view letters, std::string_view other) {
      Factor factor = Read(operand, Horner(named(letters)), ends_in_k(letters));
      factor.adjacent =
          letters.empty() || factor.along_k || other.find(letters.back()) == other.npos;
      return factor;
    };
    spec_.a = read(0, a, b);
    spec_.b = read(1, b, a);
    spec_.position = Horner(named(out));
    return true;
  }
};

}  // namespace

std::optional<ContractionSpec> ProductSpecOf(GroupScope* scope) {
  return ProductWriter(scope).Write();
}

}  // namespace kernelmill
