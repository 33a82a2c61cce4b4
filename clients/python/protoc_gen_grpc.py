"""grpcio-tools as a plugin of buf: it has its generator of services only within a protoc of its own."""

import pathlib
import sys
import tempfile

from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc


def generate(request: plugin_pb2.CodeGeneratorRequest) -> plugin_pb2.CodeGeneratorResponse:
    """Runs the generator on the files that are asked for, in a folder that is gone afterwards."""
    services = {file.name for file in request.proto_file if file.service}
    wanted = [name for name in request.file_to_generate if name in services]
    response = plugin_pb2.CodeGeneratorResponse()
    response.supported_features = response.FEATURE_PROTO3_OPTIONAL
    if not wanted:
        return response
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        out.mkdir()
        files = pathlib.Path(folder, "files")
        files.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        arguments = ["protoc", f"--descriptor_set_in={files}", f"--grpc_python_out={out}"]
        if protoc.main(arguments + wanted) != 0:
            response.error = "grpcio-tools has failed; what it says is above"
            return response
        for path in sorted(out.rglob("*.py")):
            name = path.relative_to(out).as_posix()
            response.file.add(name=name, content=path.read_text())
    return response


request = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
sys.stdout.buffer.write(generate(request).SerializeToString())
