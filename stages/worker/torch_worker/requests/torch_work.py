"""What torch's operators have computed in calls of a candidate although they only move data, as a record
of operators says it. corpora/operators/aten_names.h has these names too."""

_MADE_RESULT, _ENLARGING = "aten::_made_result", "_enlarging_copy"


def moves_of(runtime, layout):
    """[(kind, operator)] of runtime/torch_work/torch_moves.h. Inputs that are expanded have fewer elements than a
    copy of them, which enlarges nothing of the task's."""
    return [item for item in runtime.work_of_moves() if item[0] != _ENLARGING or layout != "expanded"]


def with_moves(operators, moves):
    """Adds what operators that move data have done together (runtime/torch_work/torch_moves.h)."""
    lines = {item["name"]: item["line"] for item in operators}
    return operators + [{"name": f"aten::{kind}", "line": lines.get(name, 0)}
                        for kind, name in moves]


def note_makers(trials):
    """Adds an operator to the record of each trial whose result torch has made of the inputs alone
    (stages/cuda_executor/runtime/torch_work/torch_results.h). A kernel may come to the same values: then another
    call that goes the same way through torch's operators has another result."""
    makers = [reply.pop("maker", ("", "")) for reply in trials]
    others = {trace for name, trace in makers if not name}
    for reply, (name, trace) in zip(trials, makers):
        if len(trials) > 1 and name and trace not in others:
            lines = {item["name"]: item["line"] for item in reply["operators"]}
            reply["operators"].append({"name": _MADE_RESULT, "line": lines.get(name, 0)})
