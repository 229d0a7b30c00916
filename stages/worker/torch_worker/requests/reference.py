"""Answers a judge's requests about a task's reference. Request kinds:

"sizes": the sites of its text (task_sizes.py). -> {"end": "sizes", "sites": […]}
"fit": finds the first of several proposed sizes at which the reference runs within a budget.
    {"proposals": [{site id: value} …], "budget": {"flops", "bytes"}}
    -> {"end": "fit", "chosen", "flops", "bytes", "problem"}; the first three are None when there
    is none
"shapes": the inputs and outputs of forward() without values, but for inputs of integers, which lead to
    places in memory. File: the inputs' buffer, written. {"sizes", "training"}
    -> {"end": "shapes", "arguments", "constants", "imports", "inputs", "outputs"}; no outputs if
    forward() does not run without values
"reference": runs trials. Files: the inputs' buffer, the outputs' buffer, both written.
    {"sizes", "training", "known", "other_parameters", "module_buffers", "oracle",
     "trials": [{"seed", "values"} …]}
    -> {"end": "ran", …}, see _run_trials(). "known": another run has reported operators, parameters
    and buffers that forward() changes. "other_parameters": null, or the seed of
    other_parameters.py; the reply then has no trials if no parameter is filled with a constant.
    "module_buffers": the names of buffers that are outputs too (module_buffers.py). "oracle":
    whether to run it in float64 too, and to describe what indices were chosen from. "values": a
    kind of value_kinds.py.

The code follows the KernelBench convention, including its seeds: 42 before get_init_inputs() and
again before the constructor; the trial's seed before get_inputs() and again before forward().
"""

import ast
import contextlib
import copy

import torch

from torch_worker import (decision_points, exchange, faults, integer_values, measures,
                          module_buffers, rare_values, selections, value_kinds)
from torch_worker.cost import CostMode, OverBudget
from torch_worker.integer_uses import IntegerUses
from torch_worker.operator_log import OperatorLog, is_pointwise
from torch_worker.other_parameters import OtherParameters, digest
from torch_worker.program import FILE, Program
from torch_worker.requests import admit, kept_state
from torch_worker.sandbox import guard, task_policy
from torch_worker.task_sizes import Sizes
from torch_worker.textbook import FORMULAS, IN_FLOAT32, ROUNDED_SUMS, Textbook

_module, _tensor = torch.nn.Module, torch.Tensor
_MODEL_SEED = 42
_OTHER_SEED = 0x5EED
# Bytes of all inputs that are drawn for those of integers, and of the latter.
_MOST_DRAWN, _MOST_INTEGERS = 1 << 30, 64 << 20
_NUDGE = 8  # Roundings.


def _resized(request):
    return Sizes(request["code"]).apply(request.get("sizes", {}))


def program_of(code):
    return Program(code, admit.views(), admit.taken())


def construct(program, training, values=None):
    """(namespace, arguments, model), built with the seeds of the convention. `values`: the context
    that the constructor runs in."""
    namespace = program.fresh()
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if name not in namespace:
            raise NameError(f"it defines no {name}")
    admit.reseed(_MODEL_SEED)
    arguments = list(namespace["get_init_inputs"]())
    admit.reseed(_MODEL_SEED)
    with torch.no_grad(), values or contextlib.nullcontext():
        model = namespace["Model"](*arguments)
    if not isinstance(model, _module):
        raise TypeError("Model is not an nn.Module")
    if not training:
        _module.eval(model)
    return namespace, arguments, model


def forward(model, inputs, seed):
    admit.reseed(seed)
    with torch.no_grad():
        return measures.outputs_of(model(*inputs))


def draw(namespace, trial):
    """The inputs of a trial, in the best way that its kind has."""
    return _ways(namespace, trial)[1][0][0]


def _ways(namespace, trial, kept=(), model=None):
    """(inputs of the task's own kind, value_kinds.attempts() with them)."""
    admit.reseed(trial["seed"])
    inputs, points = list(namespace["get_inputs"]()), None
    if trial["values"] in value_kinds.POINTED:
        given = copy.deepcopy(inputs)
        with decision_points.DecisionPoints(exchange.leaves(given)) as points:
            forward(copy.deepcopy(model), given, trial["seed"])
    return inputs, value_kinds.attempts(inputs, trial["values"], kept, points)


def _in_wider_types(model, inputs, seed):
    try:
        return forward(model, exchange.mapped(integer_values.in_wider_type, inputs), seed)
    except Exception as error:
        raise value_kinds.Unfair("its integers have no wider type") from error


def _uses(model, own, changed, seed):
    """IntegerUses of forward(), which follow the inputs that differ."""
    given = copy.deepcopy(own)
    leaves = list(exchange.leaves(given))
    with IntegerUses([leaves[place] for place in value_kinds.changed_places(own, changed)]) as uses:
        forward(copy.deepcopy(model), given, seed)
    return uses


def _draw_fair(namespace, model, trial):
    """The same, in the first way in which the reference's result is a measure for others."""
    kind, seed = trial["values"], trial["seed"]
    own, ways = _ways(namespace, trial, [*_module.parameters(model), *_module.buffers(model)], model)
    if kind not in value_kinds.CHECKED:
        return ways[0][0]
    problem = value_kinds.Unfair("it changes no input")
    # Asked of the task's own inputs: others may be no places of a table.
    asked = any(may is not value_kinds.always for _, may in ways)
    uses = _uses(model, own, ways[0][0], seed) if asked else None
    for inputs, may in ways:
        if not may(uses):
            problem = value_kinds.Unfair("the reference uses its inputs in another way")
            continue
        try:
            with decision_points.OpenCasts() as casts:
                outputs = forward(copy.deepcopy(model), copy.deepcopy(inputs), seed)
            if casts.found:
                raise value_kinds.Unfair("a number leaves the range of an integer")
            oracle = _oracle(copy.deepcopy(model), copy.deepcopy(inputs), seed,
                             selections.SelectionLog())
            value_kinds.check(kind, outputs, oracle)
            if kind in value_kinds.FAR:
                value_kinds.check(kind, _by_textbook(
                    copy.deepcopy(model), copy.deepcopy(inputs), seed, IN_FLOAT32) or [], oracle)
            if kind == "widest":
                value_kinds.check_range(outputs, _in_wider_types(
                    copy.deepcopy(model), copy.deepcopy(inputs), seed))
            return inputs
        except value_kinds.Unfair as error:
            problem = error
    raise problem


def fingerprints(model):
    """Name, shape, dtype and hash of every parameter, in order of construction."""
    found = []
    for name, tensor in measures.parameters_of(model):
        found.append({"name": name, "shape": list(tensor.shape),
                      "dtype": str(tensor.dtype).removeprefix("torch."),
                      "sha256": digest(tensor)})
    return found


def _double(value):
    if isinstance(value, _tensor) and value.is_floating_point():
        return value.to(torch.float64)
    return value


def _oracle(model, inputs, seed, log, rounds_numbers=False):
    """The outputs in float64, or None when the reference cannot run in float64. `rounds_numbers`:
    whether numbers of its text are those of the inputs' dtype."""
    dtypes = [item.dtype for item in exchange.leaves(inputs)
              if isinstance(item, _tensor) and item.is_floating_point()]
    try:
        with log, (decision_points.RoundedNumbers(dtypes[0]) if rounds_numbers
                   else contextlib.nullcontext()):
            return forward(model.double(), exchange.mapped(_double, inputs), seed)
    except Exception:
        return None


def _nudge(item, like, generator):
    """A few roundings of its own dtype away, in either direction."""
    signs = torch.randint(0, 2, item.shape, generator=generator, dtype=torch.int8)
    return item * (1 + (2 * signs.to(item.dtype) - 1) * (_NUDGE * torch.finfo(like).eps))


def _nudged(model, inputs, seed):
    """The outputs in float64 for inputs and parameters that differ by roundings, with running sums
    that are rounded, or None: how much an element changes is its condition."""
    generator = torch.Generator().manual_seed(seed)

    def change(item):
        return _nudge(item.double(), item.dtype, generator) if (
            isinstance(item, _tensor) and item.is_floating_point()) else item

    dtypes = [item.dtype for item in _module.parameters(model)]
    given = [item.dtype for item in exchange.leaves(inputs) if isinstance(item, _tensor)]
    try:
        near = exchange.mapped(change, inputs)
        model.double()
        with torch.no_grad():
            for item, dtype in zip(_module.parameters(model), dtypes):
                if item.is_floating_point():
                    item.copy_(_nudge(item, dtype, generator))
        with Textbook(ROUNDED_SUMS if torch.float64 not in dtypes + given else {}):
            return forward(model, near, seed)
    except Exception:
        return None


def _by_textbook(model, inputs, seed, formulas):
    """The outputs by textbooks' formulas; None if the reference uses none of these operators."""
    with Textbook(formulas) as book:
        outputs = forward(model, inputs, seed)
    return outputs if book.used else None


def _imports(tree):
    """[[module, name or "", alias]] of the top-level imports."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [[item.name, "", item.asname or ""] for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found += [[node.module, item.name, item.asname or item.name] for item in node.names
                      if item.name != "*"]
    return found


def _constants(tree, namespace):
    names = {item.id for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))
             for item in ast.walk(node)
             if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    return exchange.plain_names(namespace, sorted(names))


def _trial(namespace, model, trial, inputs_buffer, outputs_buffer, exact):
    """{"inputs", "outputs", "selections"} and, in the same form as the outputs or None, "oracle",
    "nudged" and "textbook"; or {"unusable": why} when the reference fails on the trial, or says
    nothing about others."""
    exact_log, log = selections.SelectionLog(), selections.SelectionLog()
    oracle = nudged = textbook = None
    seed = trial["seed"]
    try:
        inputs = _draw_fair(namespace, model, trial)
        given = exchange.encode(inputs, inputs_buffer)
        if exact:
            oracle = _oracle(copy.deepcopy(model), copy.deepcopy(inputs), seed, exact_log,
                             trial["values"] == "thresholds")
        if oracle is not None and trial["values"] == "spike":
            calm = draw(namespace, {**trial, "values": "own"})
            oracle = rare_values.without_affected(
                oracle, _oracle(copy.deepcopy(model), calm, seed, selections.SelectionLog()))
        if oracle is not None and any(item.is_floating_point() for item in oracle):
            nudged = _nudged(copy.deepcopy(model), copy.deepcopy(inputs), seed)
        if trial["values"] in value_kinds.CHECKED:
            textbook = _by_textbook(copy.deepcopy(model), copy.deepcopy(inputs), seed, FORMULAS)
        if exact and (oracle is None or selections.has_integers(oracle)):
            with log:
                outputs = forward(model, inputs, seed)
        else:
            outputs = forward(model, inputs, seed)
    except (exchange.NotExchangeable, exchange.BufferFull):
        raise
    except Exception as error:
        return {"unusable": f"{type(error).__name__}: {faults.clean(str(error))}"}

    def alike(others):
        return None if others is None or [list(item.shape) for item in others] != [
            list(item.shape) for item in outputs] else others

    def put(others):
        return None if others is None else [outputs_buffer.put(item) for item in others]

    oracle = alike(oracle)
    return {"inputs": given, "outputs": put(outputs), "oracle": put(oracle),
            "nudged": put(alike(nudged) if oracle is not None else None),
            "textbook": put(alike(textbook)),
            "selections": selections.describe(outputs, log, exact_log, oracle, outputs_buffer)
            if exact else [None] * len(outputs)}


def _depends_on_seed(program, training, trial):
    """Whether forward() draws random numbers, which no kernel can reproduce."""
    namespace, _, model = construct(program, training)
    again = copy.deepcopy(model)
    inputs = draw(namespace, trial)
    first = forward(model, copy.deepcopy(inputs), trial["seed"])
    return not measures.identical(first, forward(again, inputs, trial["seed"] ^ _OTHER_SEED))


def _work(operators, made):
    """The operators of forward() that compute no element by itself, and that the constructor does not
    run: what they compute is the task's work, wherever an answer does it."""
    names = {item["name"] for item in made}
    return [item["name"] for item in operators
            if item["name"] not in names and not is_pointwise(item["name"])]


def _run_trials(request):
    inputs_buffer = exchange.Buffer(guard.FIRST_FILE, writable=True)
    outputs_buffer = exchange.Buffer(guard.FIRST_FILE + 1, writable=True)
    program = program_of(_resized(request))
    first = request["trials"][0]
    if not request["known"] and _depends_on_seed(program, request["training"], first):
        return {"end": "random"}
    seed = request["other_parameters"]
    others = None if seed is None else OtherParameters(seed)
    with OperatorLog(FILE) as made:
        namespace, arguments, model = construct(program, request["training"], others)
    operators, parameters = [], others.filled(model) if others else []
    trials = [] if others and not parameters else request["trials"]
    buffers = request["module_buffers"]
    if buffers:
        model = module_buffers.WithBuffers(model, buffers)
    if not request["known"]:
        parameters = fingerprints(model)
        watched, inputs = copy.deepcopy(model), draw(namespace, first)
        with OperatorLog(FILE) as log:
            forward(watched, inputs, first["seed"])
        operators, buffers = log.operators, module_buffers.changed(model, watched)
    reply = {
        "end": "ran",
        "arguments": exchange.encode(arguments, inputs_buffer),
        "constants": _constants(program.tree, namespace),
        "imports": _imports(program.tree),
        "parameters": parameters,
        "operators": operators,
        "work": _work(operators, made.operators),
        "module_buffers": buffers,
        "has_tensors": bool(kept_state.tensors_of(model)) or any(
            isinstance(value, _tensor) for value in namespace.values()),
        "trials": [_trial(namespace, model, trial, inputs_buffer, outputs_buffer, request["oracle"])
                   for trial in trials],
    }
    broken = admit.seal_broken()
    return {"end": "tampered", "detail": broken} if broken else reply


def _cost_within(program, budget, training):
    """((FLOPs, bytes) of a run within the budget, None), or (None, the error or None) when it fails or
    exceeds the budget. Runs without data if possible."""
    def run():
        namespace, _, model = construct(program, training)
        with CostMode(budget["flops"], budget["bytes"]) as cost:
            outputs = forward(model, draw(namespace, {"seed": 0, "values": "own"}), 0)
        return (cost.flops, cost.bytes) if outputs else None

    try:
        with torch.device("meta"), torch.no_grad(), admit.ReadableSteps():
            return run(), None
    except OverBudget:
        return None, None
    except Exception as error:
        if not (isinstance(error, NotImplementedError) or admit.NO_DATA.search(str(error))):
            return None, error
    try:
        return run(), None
    except OverBudget:
        return None, None
    except Exception as error:
        return None, error


def _with_integers(namespace, inputs):
    """Inputs of torch's device "meta", with those of integers as the task draws them, where all of its
    inputs fit the memory."""
    leaves = [item for item in exchange.leaves(inputs) if isinstance(item, _tensor)]
    integers = [item for item in leaves if not (item.is_floating_point() or item.is_complex())]
    sizes = [sum(item.numel() * item.element_size() for item in items) for items in (leaves, integers)]
    if not integers or sizes[0] > _MOST_DRAWN or sizes[1] > _MOST_INTEGERS:
        return inputs
    with torch.device("cpu"):
        drawn = exchange.leaves(draw(namespace, {"seed": 0, "values": "own"}))
    return exchange.mapped(lambda item: _integers_of(next(drawn), item), inputs)


def _integers_of(drawn, item):
    alike = (isinstance(item, _tensor) and isinstance(drawn, _tensor)
             and (drawn.dtype, drawn.shape) == (item.dtype, item.shape))
    return drawn if alike and not (drawn.is_floating_point() or drawn.is_complex()) else item


def _shapes(request):
    buffer = exchange.Buffer(guard.FIRST_FILE, writable=True)
    program = program_of(_resized(request))
    with torch.device("meta"), torch.no_grad(), admit.ReadableSteps():
        namespace, arguments, model = construct(program, request["training"])
        inputs = draw(namespace, {"seed": 0, "values": "own"})
        try:
            outputs = [exchange.Shapes().put(item) for item in forward(model, inputs, 0)]
        except Exception:
            outputs = []
    return {"end": "shapes", "arguments": exchange.encode(arguments, None),
            "constants": _constants(program.tree, namespace), "imports": _imports(program.tree),
            "inputs": exchange.encode(_with_integers(namespace, inputs), exchange.Shapes(buffer)),
            "outputs": outputs}


def _fit(request):
    sizes, problem = Sizes(request["code"]), None
    for index, proposal in enumerate(request["proposals"]):
        program = program_of(sizes.apply(proposal))
        cost, error = _cost_within(program, request["budget"], request["training"])
        if cost is not None:
            return {"end": "fit", "chosen": index, "flops": cost[0], "bytes": cost[1],
                    "problem": ""}
        problem = problem or error
    return {"end": "fit", "chosen": None, "flops": None, "bytes": None, "problem": "" if problem is None else
            f"{type(problem).__name__}: {faults.clean(str(problem))}"}


def handle(request):
    kinds = {"reference": _run_trials, "fit": _fit, "shapes": _shapes, "sizes": lambda request: {
        "end": "sizes", "sites": Sizes(request["code"]).describe()}}
    try:
        return kinds[request["kind"]](request)
    except exchange.BufferFull:
        return {"end": "too_large"}
    except exchange.NotExchangeable as error:
        return {"end": "not_exchangeable", "detail": str(error)}
    except task_policy.Refused as error:
        return {"end": "refused", "detail": str(error), "line": error.line}
    except (MemoryError, Exception) as error:
        if isinstance(error, MemoryError):
            return {"end": "memory_limit"}
        return {"end": "fault", "type": type(error).__name__, "detail": faults.clean(str(error))}
