"""Removal of secrets from text: passwords in addresses, and values of secret environment variables.

Logs and run.json are published with the results, so both are filtered by `hidden`.
"""

import os
import re
from urllib.parse import urlsplit, urlunsplit

# Words that name a secret in a variable's name: HF_TOKEN, AWS_SECRET_ACCESS_KEY; not TOKENIZERS_PARALLELISM.
SECRET = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|APIKEY|KEY)(_|$)")
SHORTEST = 8  # a shorter value is probably a flag, and may occur in any text
PASSWORD = re.compile(r"(?<=://)[^\s/@]+@")


def hidden(text: str) -> str:
    """The text without passwords in addresses and without values of secret environment variables."""
    secret = {
        value: name for name, value in os.environ.items() if SECRET.search(name) and len(value) >= SHORTEST
    }
    for value in sorted(secret, key=len, reverse=True):
        text = text.replace(value, f"[{secret[value]}]")
    return PASSWORD.sub("", text)


def shown(url: str) -> str:
    """An address without user, password, query and fragment, for messages."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
