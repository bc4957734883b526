"""Text of others on pages and terminals: characters that turn their neighbours around are shown as escapes."""

import re
from typing import Any

# Unicode's directional embeddings, overrides and isolates; marks that change the direction of nothing else may stay.
DIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """The text with each such character as six characters, such as ``\\u202e``."""
    return DIRECTIONAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(value: Any) -> Any:
    """A value as templates show it: a text, or HTML of jinja's, escaped, anything else as it is."""
    return type(value)(escaped(value)) if isinstance(value, str) else value
