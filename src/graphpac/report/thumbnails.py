"""Small pictures of rows, inside the page itself."""

from __future__ import annotations

import base64
import io

from graphpac._typing import AnyArray

LARGEST_SIDE = 64  # pixels; a larger picture is made smaller


def thumbnail(image: AnyArray) -> str:
    """Turn an image of bytes, gray or of three colors, into an address that holds it."""
    from PIL import Image

    picture = Image.fromarray(image)
    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    out = io.BytesIO()
    picture.save(out, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode("ascii")
