#include "stages/cuda_executor/runtime/python_values.h"

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/python_variable.h>

#include "stages/cuda_executor/runtime/python/python_classes.h"

namespace kernelmill {
namespace {

c10::IValue SequenceOf(PyObject* object) {
  const bool is_list = PyList_Check(object);
  const Py_ssize_t size = is_list ? PyList_GET_SIZE(object) : PyTuple_GET_SIZE(object);
  std::vector<c10::IValue> values;
  for (Py_ssize_t i = 0; i < size; ++i) {
    values.push_back(ValueOf(is_list ? PyList_GET_ITEM(object, i) : PyTuple_GET_ITEM(object, i)));
  }
  return c10::ivalue::Tuple::create(std::move(values));
}

}  // namespace

c10::IValue ValueOf(PyObject* object) {
  if (object == Py_None) return c10::IValue();
  if (THPVariable_Check(object)) return c10::IValue(THPVariable_Unpack(object));
  if (PyBool_Check(object)) return c10::IValue(object == Py_True);
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    TORCH_CHECK_TYPE(overflow == 0, "an integer does not fit 64 bits");
    return c10::IValue(static_cast<std::int64_t>(number));
  }
  if (PyFloat_Check(object)) return c10::IValue(PyFloat_AS_DOUBLE(object));
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
    TORCH_CHECK_TYPE(text != nullptr, "a str is no UTF-8");
    return c10::IValue(std::string(text, static_cast<std::size_t>(size)));
  }
  if (PyList_Check(object) || PyTuple_Check(object)) return SequenceOf(object);
  if (THPDtype_Check(object)) {
    return c10::IValue(static_cast<std::int64_t>(reinterpret_cast<THPDtype*>(object)->scalar_type));
  }
  if (THPDevice_Check(object)) return c10::IValue(reinterpret_cast<THPDevice*>(object)->device);
  if (IsBoundInstance(object)) return ValueOfInstance(object);
  // numpy's integers and other types with __index__().
  if (PyIndex_Check(object)) {
    PyObject* const number = PyNumber_Index(object);
    if (number != nullptr) {
      const long long value = PyLong_AsLongLong(number);
      Py_DECREF(number);
      if (!PyErr_Occurred()) return c10::IValue(static_cast<std::int64_t>(value));
    }
    PyErr_Clear();
  }
  TORCH_CHECK_TYPE(false, "an argument of type ", Py_TYPE(object)->tp_name,
                   " is nothing that an extension takes");
}

PyObject* ObjectOf(const c10::IValue& value) {
  if (value.isNone()) Py_RETURN_NONE;
  if (value.isTensor()) return THPVariable_Wrap(value.toTensor());
  if (value.isBool()) return PyBool_FromLong(value.toBool());
  if (value.isInt()) return PyLong_FromLongLong(value.toInt());
  if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
  if (value.isString()) {
    const std::string& text = value.toStringRef();
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
  if (value.isCapsule()) return InstanceOf(value);
  std::vector<c10::IValue> elements;
  const bool is_tuple = value.isTuple();
  if (is_tuple) {
    elements = value.toTupleRef().elements().vec();
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toList()) elements.push_back(element);
  } else {
    PyErr_Format(PyExc_TypeError, "a result of kind %s cannot be given to Python",
                 value.tagKind().c_str());
    return nullptr;
  }
  const auto size = static_cast<Py_ssize_t>(elements.size());
  PyObject* const sequence = is_tuple ? PyTuple_New(size) : PyList_New(size);
  if (sequence == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* const element = ObjectOf(elements[static_cast<std::size_t>(i)]);
    if (element == nullptr) {
      Py_DECREF(sequence);
      return nullptr;
    }
    if (is_tuple) {
      PyTuple_SET_ITEM(sequence, i, element);
    } else {
      PyList_SET_ITEM(sequence, i, element);
    }
  }
  return sequence;
}

}  // namespace kernelmill
