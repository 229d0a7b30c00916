"""tampering_test.py with 300 flipped bytes."""

import unittest

import tampering_test


class ThreeHundredFlips(tampering_test.Tampering):
    flips = 300


if __name__ == "__main__":
    unittest.main(defaultTest="ThreeHundredFlips.test_every_flipped_byte_is_found")
