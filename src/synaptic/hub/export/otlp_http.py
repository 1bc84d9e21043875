"""One request to a collector: no redirect is followed, no setting of the environment counts, no answer is endless."""

import time
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
import requests

MOST_ANSWER = 65_536
MOST_PAUSE = 3600.0


class CollectorAnswer(msgspec.Struct, frozen=True):
    """What a collector said."""

    status: int
    body: bytes = b""
    pause: float = 0.0
    """Seconds after which it wants to be asked again; 0: it did not say."""


class RefusedRequestError(Exception):
    """It was not taken. No error of `requests`: the exporter would try again by itself, and the shipper does that."""


class CollectorSession(requests.Session):
    """What the exporters send with. They take 3xx for a success and keep what a collector said to themselves."""

    def __init__(self) -> None:
        super().__init__()
        # No proxy that a repository could have named, and no ~/.netrc in the place of the user's own header.
        self.trust_env = False
        self.answer: CollectorAnswer | None = None
        self.trouble = ""

    def request(self, *given: Any, **options: Any) -> requests.Response:
        """As `requests` does it. Raises RefusedRequestError for all that is no success."""
        self.answer, self.trouble = None, ""
        options.update(allow_redirects=False, stream=True)
        try:
            response = self._try_twice(given, options)
            self.answer = _read_answer(response)
        except (requests.RequestException, OSError) as error:
            self.trouble = _describe(error)
            raise RefusedRequestError(self.trouble) from error
        if not 200 <= self.answer.status < 300:
            raise RefusedRequestError(f"status {self.answer.status}")
        return response

    def _try_twice(self, given: tuple[Any, ...], options: dict[str, Any]) -> requests.Response:
        """A connection that was kept open may be gone; a new one is no second try."""
        try:
            return super().request(*given, **options)
        except requests.Timeout:
            raise
        except requests.ConnectionError:
            return super().request(*given, **options)


def _read_answer(response: requests.Response) -> CollectorAnswer:
    try:
        body = response.raw.read(MOST_ANSWER, decode_content=True)
    except Exception as error:  # of the library's own kinds: an answer that is cut, or no gzip
        body = b""
        if 200 <= response.status_code < 300:
            raise requests.ConnectionError(f"the answer broke off ({type(error).__name__})") from error
    finally:
        if not response.raw.isclosed():
            response.close()
    return CollectorAnswer(response.status_code, body, _read_pause(response.headers.get("retry-after", "")))


def _read_pause(text: str) -> float:
    """Seconds, or the date until which nothing is wanted."""
    text = text.strip()
    if text.isascii() and text.isdecimal() and len(text) < 8:
        return min(float(text), MOST_PAUSE)
    try:
        return min(max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0), MOST_PAUSE)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _describe(error: Exception) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not believed"
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    return "no connection" if isinstance(error, requests.ConnectionError) else type(error).__name__
