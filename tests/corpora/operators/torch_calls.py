"""Calls torch for a row of the operator table, by each of its spellings, with the operands and
attributes of a setting."""

import functools
import inspect

import torch

# The values of OperandRow::Role.
INPUT, OPTIONAL, LIST, PARAMETER, BUFFER, PARAMETERS = range(6)


class NotSpelled(Exception):
    """The spelling lacks this argument, such as a module without dim."""


def value_of(json):
    if isinstance(json, list):
        return tuple(json)
    if isinstance(json, dict):
        return float(json["number"])
    if isinstance(json, str) and json.startswith("torch."):
        return resolve(json)
    return json


@functools.cache
def resolve(name):
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


@functools.cache
def parameters_of(module):
    return tuple(inspect.signature(module.__init__).parameters)[1:]


def tensors_of(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for part in result if part is not None for tensor in tensors_of(part)]


def is_same(a, b):
    return type(a) is type(b) and a == b


class Call:
    def __init__(self, row, attributes):
        self.row = row
        self.operand_rows = row["operands"]
        values = [value_of(json) for json in attributes]
        self.attributes = dict(zip([name for name, *_ in row["attributes"]], values))
        # As in usual code, arguments with default values are left out.
        self.of_function = {name: value
                            for (name, module_only, default), value in zip(row["attributes"], values)
                            if not module_only and not is_same(value, value_of(default))}
        self.of_module = {name: value
                          for (name, *_), value in zip(row["attributes"], values)}

    def run(self, spelling, operands):
        with torch.no_grad():
            operands = [tensor.clone() if role == BUFFER and tensor is not None else tensor
                        for tensor, (_, role) in zip(operands, self.operand_rows)
                        ] + operands[len(self.operand_rows):]
            special = SPECIAL.get(self.row["row"])
            if special is not None:
                result = special(self, spelling, operands)
                if result is not None:
                    return tensors_of(result)
            target = resolve(spelling)
            if inspect.isclass(target) and issubclass(target, torch.nn.Module):
                return tensors_of(self.run_module(target, operands))
            return tensors_of(self.run_function(spelling, target, operands))

    def named(self, operands):
        """The operands after the first, by name; those of a list together."""
        rows = self.operand_rows
        if rows and rows[0][1] == LIST:
            return operands, {}
        named = {}
        for i in range(1, len(rows)):
            name, role = rows[i]
            if role in (LIST, PARAMETERS):
                named[name] = operands[i:]
            elif i < len(operands) and (operands[i] is not None or role in (PARAMETER, BUFFER)):
                named[name] = operands[i]
        return operands[0] if rows else None, named

    def run_function(self, spelling, target, operands):
        first, named = self.named(operands)
        if not callable(target):  # A property, such as Tensor.T.
            return target.__get__(first)
        if spelling.rpartition(".")[2].startswith("__"):
            arguments = [*named.values(), *self.of_function.values()]
            if len(arguments) > 1:
                raise NotSpelled
            return target(first, *arguments)
        if not self.operand_rows:
            return target(**self.of_function)
        return target(first, **named, **self.of_function)

    def run_module(self, target, operands):
        taken = parameters_of(target)
        if any(role == PARAMETER and tensor is not None and not tensor.dtype.is_floating_point
               for (_, role), tensor in zip(self.operand_rows, operands)):
            raise NotSpelled  # Parameters of modules must be floating-point.
        arguments = {name: value for name, value in self.of_module.items() if name in taken}
        shape = list(operands[0].shape)
        if set(self.of_function) - set(taken) - {"training"} or not self.fits(target, len(shape)):
            raise NotSpelled
        spatial = int(target.__name__[-2]) if target.__name__[-2:] in ("1d", "2d", "3d") else 0
        channel = -1 - spatial if spatial and len(shape) > spatial else 1
        sizes = {"in_features": lambda: shape[-1], "in_channels": lambda: shape[channel],
                 "num_features": lambda: shape[1], "num_channels": lambda: shape[1],
                 "in1_features": lambda: shape[-1], "in2_features": lambda: operands[1].shape[-1],
                 "input_size": lambda: shape[-1]}
        arguments.update({name: size() for name, size in sizes.items() if name in taken})
        module = target(**arguments)
        inputs = []
        for (name, role), tensor in zip(self.operand_rows, operands):
            if role in (PARAMETER, BUFFER):
                if tensor is None:
                    setattr(module, name, None)
                else:
                    tensor = tensor.clone()
                    setattr(module, name, torch.nn.Parameter(tensor) if role == PARAMETER else tensor)
            elif tensor is not None:
                inputs.append(tensor)
        module.train(self.attributes.get("training", False))
        return module(*inputs)

    def fits(self, module, rank):
        """Whether the module takes this rank: BatchNorm2d takes only (N, C, H, W)."""
        spatial = module.__name__[-2:]
        if self.row["family"] == "norm" and spatial in ("1d", "2d", "3d"):
            return rank == int(spatial[0]) + 2 or (rank == 2 and module is torch.nn.BatchNorm1d)
        return True

    def broadcast(self, operands, result):
        """The operands expanded to the result's shape, as elementwise kernels see them."""
        if self.row["family"] == "cast":
            operands = operands[:1] * len(operands)
        if self.row["row"] == "prelu":
            weight, rank = operands[1], operands[0].dim()
            operands = [operands[0], weight.view(-1, *[1] * (rank - 2)) if rank else weight.view(())]
        return [x if x is None else x.expand(result.shape) for x in operands]


# Rows whose spellings take their arguments in another way: the row's name to a function of the
# call, the spelling and the operands, which returns None if the usual way works.
def part_of(call, spelling, operands):
    """input[:, start:stop:step]"""
    given = call.attributes
    dim = given["dim"]
    if not -operands[0].dim() <= dim < operands[0].dim():
        raise IndexError(dim)
    return operands[0][(slice(None),) * (dim % operands[0].dim()) + (slice(given["start"], given["stop"], given["step"]),)]


def split(call, spelling, operands):
    """torch.split and Tensor.split use different names for the sizes."""
    sizes, dim = call.attributes.values()
    return resolve(spelling)(operands[0], sizes, dim)


def attention(call, spelling, operands):
    """The module takes the batch second, as the function does. Mask and dropout are left out."""
    query, key, value, in_weight, out_weight, in_bias, out_bias = operands
    heads, wanted = call.attributes["num_heads"], call.attributes["need_weights"]
    width = query.shape[-1]
    if spelling == "torch.nn.MultiheadAttention":
        module = torch.nn.MultiheadAttention(width, heads, bias=in_bias is not None).eval()
        module.in_proj_weight.data, module.out_proj.weight.data = in_weight, out_weight
        if in_bias is not None:
            module.in_proj_bias.data, module.out_proj.bias.data = in_bias, out_bias
        return module(query, key, value, need_weights=wanted)
    return resolve(spelling)(query, key, value, width, heads, in_weight, in_bias, None, None, False,
                             0.0, out_weight, out_bias, training=False, need_weights=wanted)


def recurrent(call, spelling, operands):
    states = 2 if "lstm" in call.row["row"] else 1
    inputs, states, weights = operands[0], operands[1:1 + states], operands[1 + states:]
    given = call.attributes
    layer = "num_layers" in given
    if layer and states[0] is None:
        directions = 1 + given["bidirectional"]
        batch = inputs.shape[0 if given["batch_first"] else 1]
        states = [torch.zeros(given["num_layers"] * directions, batch, given["hidden_size"],
                              dtype=inputs.dtype) for _ in states]
    states = tuple(states) if len(states) > 1 else states[0]
    target = resolve(spelling)
    if not inspect.isclass(target):
        if not layer:
            return target(inputs, states, *weights)
        return target(inputs, states, weights, given["bias"], given["num_layers"], 0.0, False,
                      given["bidirectional"], given["batch_first"])
    if "rnn" in call.row["row"]:
        given = {**given, "nonlinearity": call.row["row"].split("_")[1]}
    module = target(inputs.shape[-1], **given)
    for parameter, weight in zip(module.parameters(), [x for x in weights if x is not None],
                                 strict=True):
        parameter.data = weight
    return module(inputs, states)


RECURRENT = ("rnn_tanh", "rnn_relu", "lstm", "gru")
SPECIAL = {
    "multi_head_attention_forward": attention,
    **{name + suffix: recurrent for name in RECURRENT for suffix in ("", "_cell")},
    "arange": lambda call, *_: torch.arange(*list(call.attributes.values())[:3],
                                            dtype=call.attributes["dtype"]),
    "einsum": lambda call, spelling, operands: torch.einsum(call.attributes["equation"], *operands),
    "slice": part_of,
    "split": split,
    "split_with_sizes": split,
}
