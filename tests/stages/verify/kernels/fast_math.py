import torch


def check_functions_are_the_fast_ones(m):
    y = m.same(torch.rand(64) * 4 + 0.1)
    assert torch.equal(y[0::2], y[1::2]), (y[0::2] - y[1::2]).abs().amax(1)


def check_what_is_not_normal_is_zero(m):
    y = m.tiny(torch.tensor([1.5e-38, 1e-39]))
    assert (y == 0).all(), y


def check_powers_of_negative_numbers(m):
    y = m.powers(torch.tensor([2.0, -2.0, 0.0]))
    assert abs(y[0] - 8) < 1e-5 and y[1].isnan() and y[2] == 0, y
