"""Reads the datasets that kernelmill writes; see Dataset."""

from kernelmill.dataset import Dataset, Message, Row
from kernelmill.errors import DatasetError

__all__ = ["Dataset", "DatasetError", "Message", "Row"]
