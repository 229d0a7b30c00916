import torch


def raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def check_methods(m):
    x = torch.randn(300)
    scale = m.Scale(2.0, offset=1.0)
    assert torch.equal(scale.run(x), 2 * x + 1)
    assert torch.equal(scale.run(x=x), scale(x))
    y, factor = scale.both(x)
    assert torch.allclose(y, 4 * x + 3) and factor == 2.0
    assert torch.allclose(scale.both(x, times=1)[0], 2 * x + 1)


def check_properties(m):
    scale = m.Scale(factor=3.0)
    assert (scale.factor, scale.changed, scale.level) == (3.0, 3.0, 3)
    scale.changed = 5.0
    scale.level = 4
    assert (scale.factor, scale.level) == (5.0, 4)
    raises(AttributeError, lambda: setattr(scale, "factor", 1.0))
    raises(AttributeError, lambda: setattr(scale, "own", 1.0))


def check_objects_are_arguments_and_results(m):
    x = torch.randn(6)
    double = m.Scale.twice(1.5)
    assert isinstance(double, m.Scale) and double.factor == 3.0
    sizes = m.Sizes(2, 3)
    assert sizes.rows == 2
    assert torch.equal(m.apply(double, sizes, x), (3 * x).view(2, 3))


def check_wrong_calls(m):
    assert "the factor is 0" in raises(RuntimeError, lambda: m.Scale(0.0))
    raises(TypeError, lambda: m.Scale())
    raises(TypeError, lambda: m.Scale("1"))
    raises(TypeError, lambda: m.apply(m.Sizes(1, 1), m.Sizes(1, 1), torch.ones(1)))
    raises(TypeError, lambda: m.apply(1, m.Sizes(1, 1), torch.ones(1)))
    raises(TypeError, lambda: m.Scale.__new__(m.Scale).run(torch.ones(1)))
    raises(AttributeError, lambda: m.Scale(1.0).absent)


def check_objects_live_as_long_as_they_are_used(m):
    method = m.Scale(2.0).run
    assert torch.equal(method(torch.ones(2)), torch.full((2,), 2.0))
    for _ in range(1000):
        m.Sizes(1, 2)
