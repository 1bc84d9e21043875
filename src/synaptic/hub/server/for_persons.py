"""What persons ask."""

from starlette.routing import Route

ROUTES: list[Route] = []
