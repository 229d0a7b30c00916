"""Reads the standard documents of a dataset with the libraries that their standards have, and prints
what those see as one JSON object. An error of a library ends it.

    python tests/tools/standards/reference_tools.py DOCUMENTS DATASET PUBLIC_KEY

Runs in the environment of tools/setup/validators.txt. Nothing is fetched: mlcroissant reads the rows of
DATASET, of which it gets a copy of the description."""

import io
import json
import pathlib
import shutil
import sys
import tempfile


def croissant(documents, dataset):
    import mlcroissant

    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "dataset"
        shutil.copytree(dataset, copy)
        shutil.copy(documents / "croissant.json", copy)
        described = mlcroissant.Dataset(jsonld=str(copy / "croissant.json"))
        metadata = described.metadata
        text = lambda value: value.decode() if isinstance(value, bytes) else value  # noqa: E731
        rows = {}
        if metadata.record_sets:
            for row in described.records("rows"):
                rows[text(row["rows/content_id"])] = [
                    [text(message["rows/messages/" + part]) for part in ("role", "content")]
                    for message in row["rows/messages"]]
        return {"issues": [*metadata.ctx.issues.errors, *metadata.ctx.issues.warnings],
                "version": metadata.ctx.conforms_to.value,
                "files": {item.content_url: item.sha256 for item in metadata.file_objects},
                "licences": metadata.license,
                "limitations": metadata.data_limitations,
                "biases": metadata.data_biases,
                "rows": rows}


def spdx(documents):
    from spdx_python_model import v3_0_1

    objects = v3_0_1.SHACLObjectSet()
    with open(documents / "spdx.json", "rb") as file:
        v3_0_1.JSONLDDeserializer().read(file, objects)
    missing = sorted(objects.missing_ids)
    # This checks that what the model requires is there.
    v3_0_1.JSONLDSerializer().write(objects, io.BytesIO())
    document, = objects.foreach_type(v3_0_1.SpdxDocument)
    package, = document.rootElement
    relations = list(objects.foreach_type(v3_0_1.Relationship))
    short = lambda iri: iri.rpartition("/")[2]  # noqa: E731

    def related(start, kind):
        return [to for item in relations if item.from_ is start and short(item.relationshipType) == kind
                for to in item.to]

    def licences(start, kind):
        return sorted(getattr(to, "simplelicensing_licenseExpression", str(to))
                      for to in related(start, kind))

    return {"missing": missing,
            "profiles": sorted(map(short, document.profileConformance)),
            "type": type(package).__name__,
            "size": package.dataset_datasetSize,
            "required": [str(value) for value in (
                package.originatedBy[0].name, package.builtTime, package.releaseTime,
                package.software_downloadLocation, short(package.software_primaryPurpose))],
            "licences": licences(package, "hasConcludedLicense"),
            "files": {item.name: item.verifiedUsing[0].hashValue
                      for item in related(package, "contains")},
            "sources": {item.name: [item.software_packageVersion,
                                    licences(item, "hasDeclaredLicense")]
                        for item in related(package, "descendantOf")}}


def provenance(documents, public_key):
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from google.protobuf import json_format
    from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
    from in_toto_attestation.v1.statement import Statement
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import SSlibKey

    signed = json.loads((documents / "provenance.dsse.json").read_text(encoding="utf-8"))
    key_id = signed["signatures"][0]["keyid"]
    key = SSlibKey.from_crypto(load_pem_public_key(public_key.read_bytes()), key_id)
    envelope = Envelope.from_dict(signed)
    accepted = envelope.verify([key], 1)

    # A member that the standard does not name is an error.
    message = json_format.Parse(envelope.payload, statement_pb2.Statement())
    Statement.copy_from_pb(message).validate()
    predicate = json_format.ParseDict(json_format.MessageToDict(message.predicate),
                                      provenance_pb2.Provenance())
    definition = predicate.build_definition
    for item in definition.resolved_dependencies:
        ResourceDescriptor.copy_from_pb(item).validate()
    return {"keys": sorted(accepted),
            "type": envelope.payload_type,
            "statement": envelope.payload.decode(),
            "subjects": {item.name: item.digest["sha256"] for item in message.subject},
            "dependencies": {item.uri: dict(item.digest)
                             for item in definition.resolved_dependencies},
            "builder": predicate.run_details.builder.id}


def main():
    documents, dataset, public_key = map(pathlib.Path, sys.argv[1:])
    print(json.dumps({"croissant": croissant(documents, dataset), "spdx": spdx(documents),
                      "provenance": provenance(documents, public_key)}))


if __name__ == "__main__":
    main()
