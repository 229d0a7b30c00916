#include "corpora/operators/rules/product_rules.h"

namespace kernelmill {

bool MatmulShape(const Shape& a, const Shape& b, Shape* result) {
  if (a.rank() == 0 || b.rank() == 0) return false;
  Shape left = a, right = b;
  if (a.rank() == 1) left.Insert(0, 1);
  if (b.rank() == 1) right.Append(1);
  if (left.rank() != a.rank() + (a.rank() == 1) || left.Back(0) != right.Back(1)) return false;
  const std::int64_t rows = left.Back(1), columns = right.Back(0);
  const Shape left_batch(left.sizes().first(left.rank() - 2));
  const Shape right_batch(right.sizes().first(right.rank() - 2));
  if (!Broadcast(left_batch, right_batch, result)) return false;
  if (a.rank() > 1) result->Append(rows);
  if (b.rank() > 1) result->Append(columns);
  return true;
}

bool HaveOneDType(const OperatorUse& use) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.Has(int(i)) && use.operand(int(i)).dtype != use.operand(0).dtype) return false;
  }
  return true;
}

}  // namespace kernelmill
