"""What is kept on disk, between solvers and estimators: files of arrays, checkpoints."""

from graphpac.io.checkpoint import Checkpoint, Run, open_checkpoint

__all__ = ["Checkpoint", "Run", "open_checkpoint"]
