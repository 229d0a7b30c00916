// The functions that an extension offers to Python, each with one caller that takes IValues: what a
// binding library would instantiate for each candidate is compiled once, in the runtime.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/types.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernelmill {

// The value of a parameter type. They throw c10::TypeError for a value of another kind.
template <typename T>
struct FromValue {
  static T Get(const c10::IValue& value);
};
#define KM_PARAMETER_TYPES(X)                                                                    \
  X(at::Tensor)                                                                                  \
  X(bool)                                                                                        \
  X(int)                                                                                         \
  X(unsigned)                                                                                    \
  X(long)                                                                                        \
  X(unsigned long)                                                                               \
  X(long long)                                                                                   \
  X(unsigned long long)                                                                          \
  X(short)                                                                                       \
  X(float)                                                                                       \
  X(double)                                                                                      \
  X(std::string)                                                                                 \
  X(c10::ScalarType)                                                                             \
  X(c10::Scalar)                                                                                 \
  X(c10::Device)                                                                                 \
  X(std::vector<at::Tensor>)                                                                     \
  X(std::vector<long>)                                                                           \
  X(std::vector<int>)                                                                            \
  X(std::vector<double>)                                                                         \
  X(std::vector<float>)                                                                          \
  X(std::vector<bool>)                                                                           \
  X(std::vector<std::string>)
#define KM_DECLARE(...) \
  template <>           \
  __VA_ARGS__ FromValue<__VA_ARGS__>::Get(const c10::IValue& value);
KM_PARAMETER_TYPES(KM_DECLARE)
#undef KM_DECLARE
template <typename T>
struct FromValue<std::optional<T>> {
  static std::optional<T> Get(const c10::IValue& value) {
    if (value.isNone()) return std::nullopt;
    return FromValue<T>::Get(value);
  }
};
// A view of what it is made from lives as long as the call.
template <typename T>
struct Parameter {
  explicit Parameter(const c10::IValue& value) : held(FromValue<T>::Get(value)) {}
  operator T&() { return held; }
  operator T&&() && { return std::move(held); }
  T held;
};
template <>
struct Parameter<c10::IntArrayRef> {
  explicit Parameter(const c10::IValue& value) : held(FromValue<std::vector<long>>::Get(value)) {}
  operator c10::IntArrayRef() const { return held; }
  std::vector<long> held;
};
template <>
struct Parameter<at::TensorList> {
  explicit Parameter(const c10::IValue& value)
      : held(FromValue<std::vector<at::Tensor>>::Get(value)) {}
  operator at::TensorList() const { return held; }
  std::vector<at::Tensor> held;
};
template <>
struct Parameter<std::string_view> : Parameter<std::string> {
  using Parameter<std::string>::Parameter;
  operator std::string_view() const { return held; }
};
template <>
struct Parameter<const char*> : Parameter<std::string> {
  using Parameter<std::string>::Parameter;
  operator const char*() const { return held.c_str(); }
};

// A function's result as Python gets it.
c10::IValue ToValue(at::Tensor value);
c10::IValue ToValue(bool value);
c10::IValue ToValue(std::int64_t value);
c10::IValue ToValue(double value);
c10::IValue ToValue(std::string value);
c10::IValue ToValue(std::vector<at::Tensor> value);
c10::IValue ToValue(std::vector<std::int64_t> value);
c10::IValue ToValue(std::vector<double> value);
c10::IValue ToValue(std::vector<std::string> value);
c10::IValue TupleOf(std::vector<c10::IValue> values);
template <typename T>
c10::IValue ToResult(T&& value) {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_same_v<Plain, bool>) {
    return ToValue(value);
  } else if constexpr (std::is_integral_v<Plain>) {
    return ToValue(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<Plain>) {
    return ToValue(static_cast<double>(value));
  } else if constexpr (requires { typename std::tuple_size<Plain>::type; }) {
    return std::apply(
        [](auto&&... parts) {
          std::vector<c10::IValue> values;
          (values.push_back(ToResult(std::forward<decltype(parts)>(parts))), ...);
          return TupleOf(std::move(values));
        },
        std::forward<T>(value));
  } else if constexpr (std::is_convertible_v<Plain, const char*>) {
    return ToValue(std::string(value));
  } else {
    return ToValue(std::forward<T>(value));
  }
}

struct BoundParameter {
  std::string name;
  std::optional<c10::IValue> value;  // When the call gives none.
};
struct BoundFunction {
  std::string name;
  std::size_t parameter_count = 0;
  std::vector<BoundParameter> parameters;  // Empty when they have no names.
  // Calls with `parameter_count` arguments.
  c10::IValue (*call)(const void* function, const c10::IValue* arguments) = nullptr;
  const void* function = nullptr;  // Lives as long as the library.
};

template <typename Result, typename... Parameters>
struct BoxedCaller {
  static constexpr std::size_t kCount = sizeof...(Parameters);
  template <typename Function, std::size_t... i>
  static c10::IValue Call(const Function& function, const c10::IValue* arguments,
                          std::index_sequence<i...>) {
    std::tuple<Parameter<std::remove_cv_t<std::remove_reference_t<Parameters>>>...> held(
        arguments[i]...);
    if constexpr (std::is_void_v<Result>) {
      function(static_cast<Parameters>(std::get<i>(held))...);
      return c10::IValue();
    } else {
      return ToResult(function(static_cast<Parameters>(std::get<i>(held))...));
    }
  }
};
template <typename Function>
struct CallerOf : CallerOf<decltype(&Function::operator())> {};  // Of a lambda.
template <typename Result, typename... Parameters>
struct CallerOf<Result (*)(Parameters...)> : BoxedCaller<Result, Parameters...> {};
template <typename Class, typename Result, typename... Parameters>
struct CallerOf<Result (Class::*)(Parameters...) const> : BoxedCaller<Result, Parameters...> {};

class ExtensionTable {
 public:
  template <typename Function>
  BoundFunction& Add(const char* name, Function function) {
    using Caller = CallerOf<Function>;
    BoundFunction bound;
    bound.name = name;
    bound.parameter_count = Caller::kCount;
    bound.function = new Function(std::move(function));
    bound.call = [](const void* context, const c10::IValue* arguments) {
      return Caller::Call(*static_cast<const Function*>(context), arguments,
                          std::make_index_sequence<Caller::kCount>());
    };
    return Insert(std::move(bound));
  }
  const std::vector<BoundFunction>& functions() const { return functions_; }
  std::string documentation;

 private:
  BoundFunction& Insert(BoundFunction bound);
  std::vector<BoundFunction> functions_;
};

}  // namespace kernelmill

// What the library exports: it fills the table.
#define KM_BIND_EXTENSION                                            \
  extern "C" __attribute__((visibility("default"), optnone)) void    \
  kernelmill_bind([[maybe_unused]] ::kernelmill::ExtensionTable& km_table)
