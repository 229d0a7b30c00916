"""What goes wrong with a dataset."""


class DatasetError(Exception):
    """A folder is no dataset of a version that this package knows, or it is damaged. The message
    names the file."""
