import torch


def refuses(kind, call, *arguments):
    try:
        call(*arguments)
    except kind:
        return
    raise AssertionError((call, arguments))


def check_scalars(m):
    x = torch.zeros(7, dtype=torch.float64)
    assert m.scalars(x, 1, -2, 0.5, 3, True, 4, 5).tolist() == [1, -2, 0.5, 3, 1, 4, 5]
    refuses(TypeError, m.scalars, x, 1.5, 0, 0.0, 0.0, True, 0, 0)
    refuses(TypeError, m.scalars, x, 1 << 40, 0, 0.0, 0.0, True, 0, 0)
    refuses(TypeError, m.scalars, x, 1, 0, 0.0, 0.0, True, -1, 0)
    refuses(TypeError, m.scalars, "x", 1, 0, 0.0, 0.0, True, 0, 0)


def check_text_and_lists(m):
    assert m.text("a", "ü", "c") == "aüc"
    x = torch.zeros(2)
    assert m.count([x, x], [1, 2, 3], (4, 5), [0.5]) == 4321
    refuses(TypeError, m.count, [x, 3], [], [], [])


def check_optional(m):
    x = torch.zeros(1)
    assert m.optional() == "---"
    assert m.optional(x, 5, c=x) == "a5c" and m.optional(None, None, None) == "---"


def check_results(m):
    x = torch.ones(2)
    y, seven, pair, yes, text = m.many(x)
    assert torch.equal(y,
                       x + 1) and seven == 7 and len(pair) == 2 and yes is True and text == "text"
    assert isinstance(m.many(x), tuple) and isinstance(pair, list)
    assert m.two(x)[0] == 0.5
    m.in_place(x, 2)
    assert x.tolist() == [3.0, 3.0]
    assert m.typed(x, torch.float16).dtype == torch.float16


def check_sequences_and_pointers(m):
    assert m.sum((1, 2), [3, 4.0], (0, 0, 5)) == 54321
    refuses(TypeError, m.sum, (1, 2, 3), (3, 4.0), (0, 0, 5))
    assert m.is_null(None)
    refuses(TypeError, m.is_null, torch.ones(1))


def check_errors(m):
    refuses(RuntimeError, m.throws)
    refuses(Exception, m.throws_standard)


def check_lambda(m):
    assert getattr(m, "lambda")(torch.ones(1)).item() == 3
    assert getattr(m, "lambda")(n=4, x=torch.ones(1)).item() == 4
