"""A build backend that builds nothing: it takes the metadata that pip asks for from the PKG-INFO in the
source package, so that `pip download` fetches the package without running its code."""

import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    metadata = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in metadata.splitlines() if ": " in line[:20])
    name = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    folder = pathlib.Path(metadata_directory, name)
    folder.mkdir()
    (folder / "METADATA").write_text(metadata, encoding="utf-8")
    return name
