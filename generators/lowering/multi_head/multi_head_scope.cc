#include "generators/lowering/multi_head/multi_head_scope.h"

#include "generators/lowering/operator_class.h"

namespace kernelmill {

MultiHeadScope::MultiHeadScope(GroupScope* scope) : group(*scope), node(scope->head()) {
  const auto operands = group.graph().operands(node);
  dtype = group.TypeOf(operands[kQuery]).dtype;
  const std::vector<std::string> query = group.Sizes(operands[kQuery]),
                                 key = group.Sizes(operands[kKey]);
  bias = operands.size() > kInBias && operands[kInBias] != kAbsent;
  attended = group.IsOutput(node.first_result);
  if (node.result_count > 1 && group.IsOutput(node.first_result + 1)) {
    weights = Pointer(node.first_result + 1);
  }
  heads = AttributeOf(group.graph(), node, "num_heads").integer();
  const std::string storage = group.Scalar(dtype).storage;
  holes = {{"T", storage},
           {"queries", query[0]},
           {"keys", key[0]},
           {"batch", query.size() == 3 ? query[1] : "1"},
           {"width", query.back()},
           {"heads", std::to_string(heads)},
           {"in_weight", Pointer(operands[kInWeight])},
           {"out_weight", Pointer(operands[kOutWeight])},
           {"in_bias", bias ? Pointer(operands[kInBias]) : ""},
           {"out_bias", bias ? Pointer(operands[kOutBias]) : ""},
           {"options", group.TensorName(operands[kQuery]) + ".options()"},
           {"out", attended ? Pointer(node.first_result) : Buffer("attended")}};
  const Shape &q_shape = group.TypeOf(operands[kQuery]).shape,
              &k_shape = group.TypeOf(operands[kKey]).shape;
  width_count = q_shape.Back(0);
  query_count = q_shape[0];
  key_count = k_shape[0];
  batch_count = q_shape.rank() == 3 ? q_shape[1] : 1;
  std::vector<LaunchParameter> sizes;
  for (const char* size : {"batch", "heads", "queries", "keys", "width"}) {
    sizes.push_back({"int", size, holes.at(size)});
  }
  kernels.emplace(group, sizes, &code);
}

std::string MultiHeadScope::Buffer(const std::string& tensor) const {
  const ScalarName scalar = group.Scalar(dtype);
  const std::string data = tensor + ".data_ptr<" + scalar.torch + ">()";
  return scalar.torch == scalar.storage ? data
                                        : "reinterpret_cast<" + scalar.storage + "*>(" + data + ")";
}

std::string MultiHeadScope::InHost(const std::vector<std::string>& sizes) const {
  std::vector<std::string> known;
  for (const std::string& size : sizes) known.push_back(holes.at(size));
  return GroupScope::Product(known);
}

}  // namespace kernelmill
