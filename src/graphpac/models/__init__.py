"""Fitted models in files: what `predict` needs of a fit, saved and loaded again."""

from graphpac.models.loaded import LoadedClusterer
from graphpac.models.saving import SavedModel, load, save

__all__ = ["LoadedClusterer", "SavedModel", "load", "save"]
