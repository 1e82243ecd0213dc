"""schedlab learn export: a model for machines where nothing is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, print_json, print_notes

EXAMPLES = (
    "schedlab learn export out/small/model.zip",
    "schedlab learn export out/small/best.zip --out small.onnx",
    "schedlab simulate trace.swf --policy easy --policy learned:small.onnx",
)


def export(
    model: Annotated[Path, Argument(metavar="MODEL.zip", help="A file of schedlab learn train.")],
    output: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="FILE.onnx",
            help="The file to write.",
            show_default="MODEL.onnx beside it",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a trained policy as an ONNX file, which schedules without torch.

    Export needs the extra rl; scheduling with the file needs only the extra onnx.
    """
    from schedlab.atomic import require_writable
    from schedlab.cli.learn.train import require_trainers
    from schedlab.cli.progress import progress
    from schedlab.errors import ParameterError
    from schedlab.policies.learned.document import naming

    path = output or model.with_suffix(".onnx")
    if path.suffix != ".onnx":
        raise ParameterError(f"--out {path}: must end in .onnx, by which it is recognised")
    require_writable(path)
    require_trainers()
    with progress(f"exporting {model.name}"):
        from schedlab.rl.model_file import read_model
        from schedlab.rl.onnx_export import export_onnx

        trained = read_model(model)
        with naming(model):
            export_onnx(trained, path)
    if json:
        print_json({"model": str(model), "onnx": str(path)})
    else:
        print_notes((f"written: {path}",), to_stderr=False)
