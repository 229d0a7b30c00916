import torch


def check_namespaces(m):
    assert m.nested(True).tolist() == list(range(1, 41))
    assert m.nested(False).tolist() == list(range(0, 80, 2))


def check_launch_bounds_wherever_they_stand(m):
    assert m.bounds().tolist() == [64 - i + 1 + 64 for i in range(64)]


def check_macros_that_make_kernels(m):
    x = torch.randn(200)
    assert torch.allclose(m.cubed(x), x**3, atol=1e-6)
    assert torch.equal(m.clipped(x), x.clamp(-1, 1))


def check_templates_of_values_and_packs(m):
    i = torch.arange(16.0)
    assert torch.equal(m.folded(0), i + 6)
    assert torch.equal(m.folded(1), i * 4)
    assert torch.allclose(m.folded(2), i * i)


def check_functor_with_members(m):
    x = torch.randn(333)
    assert torch.equal(m.functor(x, 0.25), x + 0.25)


def check_classes(m):
    x = torch.rand(10)
    side = torch.arange(8.0)
    area = torch.where(side % 2 == 1, side * side, side * side / 2)
    assert torch.allclose(m.classes(x), x.sum() + area, rtol=1e-5)


def check_recursion(m):
    numbers = [0, 1]
    while len(numbers) < 15:
        numbers.append(numbers[-1] + numbers[-2])
    assert m.recursive().tolist() == numbers


def check_variables_of_the_device(m):
    wanted = [3000 + t % 4 + 0.5 + [2, 3, 5, 7, 11][t % 5] * 10 + [100, 200, 300][t % 3]
              for t in range(20)]
    assert m.state(3).tolist() == wanted
    assert m.state(0).tolist() == [w - 3000 for w in wanted]


def check_unions_bit_fields_and_jumps(m):
    y = m.unions(torch.tensor([1.0, -1.5, 2.0, -3.0, 100.0]))
    assert y.tolist() == [1 + 7, -8, 2 + 4 + 7, -13, 4 + 7]


def check_memory_of_a_kernels_own(m):
    assert m.heap().tolist() == [6 * t for t in range(32)]


def check_null_arguments(m):
    assert m.null_arguments(True).tolist() == [1.0] * 4
    assert m.null_arguments(False).tolist() == [0.0] * 4


def check_clocks(m):
    assert m.clocks().tolist() == [1] * 32


def check_template_templates(m):
    for dtype in (torch.int32, torch.float64):
        x = torch.randint(-9, 9, (20,)).to(dtype)
        assert torch.equal(m.operations(x, True), -x)
        assert torch.equal(m.operations(x, False), x)


def check_streams(m):
    assert torch.equal(m.streams(4), torch.full((4, 100), 3.0))


def check_strides_over_three_axes(m):
    x = torch.randn(7, 9, 11)
    assert torch.equal(m.volume(x), x.permute(2, 1, 0))
