"""In by a token that is typed into a form, and out again."""

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from synaptic.hub.pages.door import STAY_SECONDS, HubBrowser
from synaptic.hub.pages.guarded import clean_address
from synaptic.hub.pages.page import get_pages, render_page
from synaptic.hub.server.bodies import read_body
from synaptic.hub.server.secrets import find_token
from synaptic.web.guarded import LARGEST_FORM

WRONG = "this token is not known, or was revoked"
MANY = "too many wrong tokens at once: try again in a moment"


async def show_login(request: Request) -> Response:
    """The form."""
    return await _render(request, request.query_params.get("next", ""), "")


async def log_in(request: Request) -> Response:
    """A cookie for a right token; a wrong one costs a second."""
    pages, form = get_pages(request), await _read_form(request)
    async with pages.hub.parts.database.connect() as connection:
        found = await find_token(connection, form.get("token", "").strip())
    wanted = form.get("next", "")
    if found is None:
        return await _render(request, wanted, WRONG if await pages.door.slow_down() else MANY)
    answer = RedirectResponse(clean_address(wanted), 303)
    _set_cookie(request, answer, pages.door.enter(found).cookie)
    return answer


async def log_out(request: Request) -> Response:
    """This browser is nobody's any more."""
    browser: HubBrowser = request.scope["browser"]
    get_pages(request).door.leave(browser)
    answer = Response(status_code=200, headers={"hx-redirect": "/login"})
    answer.delete_cookie(get_pages(request).door.cookie_name, path="/")
    return answer


def _set_cookie(request: Request, answer: Response, cookie: str) -> None:
    door = get_pages(request).door
    answer.set_cookie(
        door.cookie_name, cookie, max_age=int(STAY_SECONDS), path="/", secure=door.options.is_secure, httponly=True,
        samesite="strict",
    )  # fmt: skip


async def _read_form(request: Request) -> dict[str, str]:
    text = (await read_body(request, LARGEST_FORM)).decode("utf-8", "replace")
    try:
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=10)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in fields.items()}


async def _render(request: Request, wanted: str, trouble: str) -> Response:
    page = await render_page(request, "login.html", page="", wanted=wanted, trouble=trouble)
    page.status_code = 403 if trouble else 200
    page.headers["referrer-policy"] = "same-origin"  # without one browsers call the origin of a form `null`
    return page


ROUTES = [
    Route("/login", show_login, methods=["GET"]),
    Route("/login", log_in, methods=["POST"]),
    Route("/logout", log_out, methods=["POST"]),
]
