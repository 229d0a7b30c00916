"""The exceptions of the package."""


class DatasetError(Exception):
    """The folder is not a dataset of a version that this package knows, or the dataset is damaged.
    The message names the file."""
