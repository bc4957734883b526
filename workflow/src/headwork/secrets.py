"""What must not be read by others: addresses with passwords, and the values of variables that hold secrets.

Logs and run.json are published with the results, so both go through `hidden`.
"""

import os
import re
from urllib.parse import urlsplit, urlunsplit

from headwork.errors import InputError

# Words that name a secret in a variable's name: HF_TOKEN, AWS_SECRET_ACCESS_KEY; not TOKENIZERS_PARALLELISM.
SECRET = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|APIKEY|KEY)(_|$)")
SHORTEST = 8  # a shorter value is a switch, and may stand in any sentence
PASSWORD = re.compile(r"(?<=://)[^\s/@]+@")


def hidden(text: str) -> str:
    """The text with passwords in addresses, and values of this process's secret variables, left out."""
    secret = {
        value: name for name, value in os.environ.items() if SECRET.search(name) and len(value) >= SHORTEST
    }
    for value in sorted(secret, key=len, reverse=True):
        text = text.replace(value, f"[{secret[value]}]")
    return PASSWORD.sub("", text)


def shown(url: str) -> str:
    """An address as messages and notes show it: without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def refuse_password(url: str) -> None:
    """Raise `InputError` if an address holds a user or a password: the config is published with the results."""
    if "@" in urlsplit(url).netloc:
        raise InputError(
            f"{shown(url)}: an address in the config must not hold a user or a password; put them into ~/.netrc"
        )
