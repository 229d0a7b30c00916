// The part of pybind11 that binds a class of an extension: constructors, methods, properties and
// static functions.
#pragma once

#include <kernelmill/bound_object.h>

namespace pybind11 {

template <typename... Parameters>
struct Constructor {};
template <typename Function>
struct Factory {
  Function function;
};
template <typename... Parameters>
Constructor<Parameters...> init() {
  return {};
}
template <typename Function>
Factory<Function> init(Function function) {
  return {std::move(function)};
}

// `Options`: how objects are held, which makes no difference here.
template <typename T, typename... Options>
class class_ {
 public:
  template <typename Module, typename... Extra>
  class_(Module& module, const char* name, const Extra&...) : table_(module.Table()), name_(name) {
    table_->AddClass(name, kernelmill::TypeKey<T>());
  }

  template <typename... Parameters, typename... Extra>
  class_& def(Constructor<Parameters...>, const Extra&... extra) {
    const auto make = [](Parameters... parameters) -> std::shared_ptr<T> {
      if constexpr (std::is_constructible_v<T, Parameters...>) {
        return std::make_shared<T>(static_cast<Parameters>(parameters)...);
      } else {
        return std::shared_ptr<T>(new T{static_cast<Parameters>(parameters)...});
      }
    };
    return Add("__init__", make, kernelmill::BoundRole::kConstructor, extra...);
  }
  template <typename Function, typename... Extra>
  class_& def(Factory<Function> factory, const Extra&... extra) {
    return Add("__init__", Made(factory.function, &Function::operator()),
               kernelmill::BoundRole::kConstructor, extra...);
  }
  template <typename Function, typename... Extra>
  class_& def(const char* name, Function function, const Extra&... extra) {
    return Add(name, OnObject(function), kernelmill::BoundRole::kMethod, extra...);
  }
  template <typename Function, typename... Extra>
  class_& def_static(const char* name, Function function, const Extra&... extra) {
    return Add(name, function, kernelmill::BoundRole::kStatic, extra...);
  }
  template <typename Getter, typename... Extra>
  class_& def_property_readonly(const char* name, Getter getter, const Extra&...) {
    return Add(name, OnObject(getter), kernelmill::BoundRole::kGetter);
  }
  template <typename Getter, typename Setter, typename... Extra>
  class_& def_property(const char* name, Getter getter, Setter setter, const Extra&...) {
    Add(name, OnObject(getter), kernelmill::BoundRole::kGetter);
    return Add(name, OnObject(setter), kernelmill::BoundRole::kSetter);
  }
  template <typename C, typename Field, typename... Extra>
  class_& def_readonly(const char* name, Field C::* field, const Extra&...) {
    return Add(name, [field](T& self) -> Field { return self.*field; },
               kernelmill::BoundRole::kGetter);
  }
  template <typename C, typename Field, typename... Extra>
  class_& def_readwrite(const char* name, Field C::* field, const Extra&...) {
    def_readonly(name, field);
    return Add(name, [field](T& self, Field value) { self.*field = value; },
               kernelmill::BoundRole::kSetter);
  }

 private:
  template <typename Function, typename... Extra>
  class_& Add(const char* name, Function function, kernelmill::BoundRole role,
              const Extra&... extra) {
    kernelmill::BoundFunction& bound = table_->Add(name, function);
    bound.owner = name_;
    bound.role = role;
    (Note(extra, &bound), ...);
    if (role == kernelmill::BoundRole::kMethod && !bound.parameters.empty()) {
      bound.parameters.insert(bound.parameters.begin(), {"self", std::nullopt});
    }
    return *this;
  }
  template <typename R, typename C, typename... P>
  static auto OnObject(R (C::*method)(P...)) {
    return [method](T& self, P... values) -> R { return (self.*method)(static_cast<P>(values)...); };
  }
  template <typename R, typename C, typename... P>
  static auto OnObject(R (C::*method)(P...) const) {
    return [method](T& self, P... values) -> R { return (self.*method)(static_cast<P>(values)...); };
  }
  template <typename Function>
  static auto OnObject(Function function) {
    return function;
  }
  template <typename Function, typename R, typename... P>
  static auto Made(Function function, R (Function::*)(P...) const) {
    return [function](P... values) -> std::shared_ptr<T> {
      if constexpr (std::is_same_v<R, T>) {
        return std::make_shared<T>(function(static_cast<P>(values)...));
      } else {
        return std::shared_ptr<T>(function(static_cast<P>(values)...));
      }
    };
  }

  kernelmill::ExtensionTable* table_;
  std::string name_;
};

}  // namespace pybind11
