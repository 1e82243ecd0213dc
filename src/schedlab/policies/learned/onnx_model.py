"""Models as ONNX files: scheduling with them needs ONNX Runtime, and nothing that trains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from schedlab import _core
from schedlab.errors import InputError
from schedlab.policies.learned.agent import GreedyAgent, Observations
from schedlab.policies.learned.document import MODEL, PROPERTY, read_document, understanding
from schedlab.policies.learned.onnx_runtime import onnxruntime
from schedlab.policies.learned.settings import QueueSettings
from schedlab.sections import build
from schedlab.workload.readers import Source

_FATAL = 4


class OnnxAgent(GreedyAgent):
    """Decides greedily by a network that ONNX Runtime computes."""

    def __init__(self, session: onnxruntime.InferenceSession, *, masked: bool) -> None:
        super().__init__(masked=masked)
        self._session = session
        self._inputs = [each.name for each in session.get_inputs()]

    def scores(self, observation: Observations) -> Observations:
        """Return one number per row and action."""
        first: Observations = self._session.run(None, dict.fromkeys(self._inputs, observation))[0]
        return first


@dataclass(frozen=True)
class OnnxModel:
    """A network in ONNX Runtime, and the rules under which it decides."""

    session: onnxruntime.InferenceSession
    settings: QueueSettings
    masked: bool

    def agent(self) -> OnnxAgent:
        """Return the network, after a check that it scores situations of the rules."""
        agent = OnnxAgent(self.session, masked=self.masked)
        passes = _core.QueuePasses(self.settings.options(self.settings.time_scale_s or 1.0))
        try:
            tried = np.zeros((2, passes.observation_size), np.float32)
            found = np.shape(agent.scores(tried))
        except Exception as error:
            size = passes.observation_size
            raise InputError(
                f"its network does not take the {size:,} numbers of a situation: {_reason(error)}"
            ) from None
        if found != (2, passes.actions):
            raise InputError(
                f"its network gives scores of shape {found} for two situations; "
                f"must be {(2, passes.actions)}"
            )
        return agent


def read_onnx(path: str | Path) -> OnnxModel:
    """Return the model of a file that ``schedlab learn export`` wrote."""
    session, properties = _open(Source.load(path))
    if PROPERTY not in properties:
        raise InputError(
            f'{path}: has no property "{PROPERTY}" that says what it scores; '
            "use a file that schedlab learn export wrote"
        )
    document = read_document(path, f'property "{PROPERTY}"', properties[PROPERTY], MODEL)
    with understanding(path):
        rules = build(QueueSettings, document["environment"], "[environment]")
        settings = replace(rules, time_scale_s=float(document["time_scale_s"]))
        masked = document["masked"]
        if not isinstance(masked, bool):
            raise InputError(f"masked is {masked!r}; must be true or false")
        return OnnxModel(session, settings, masked)


def _open(source: Source) -> tuple[onnxruntime.InferenceSession, dict[str, str]]:
    """Return a session with the network, and the file's metadata."""
    options = onnxruntime.SessionOptions()
    # One situation is too little work for threads, and sums of one thread are always the same.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL
    try:
        session = onnxruntime.InferenceSession(
            source.raw, options, providers=["CPUExecutionProvider"], enable_fallback=False
        )
        return session, session.get_modelmeta().custom_metadata_map
    except Exception as error:
        raise InputError(f"{source.path}: is damaged, or no ONNX file: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Return the first line of an error; those of ONNX Runtime have no class in common."""
    return str(error).partition("\n")[0].rpartition(" : ")[2]
