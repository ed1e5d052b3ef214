import pytest

from harness import Panel, Server


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def start():
    """Starts panels, and ends them after the test."""
    panels = []

    def start_panel(*arguments, **options):
        panels.append(Panel(*arguments, **options))
        return panels[-1]

    yield start_panel
    for panel in panels:
        panel.stop()


@pytest.fixture
def panel(server, start):
    """A panel and its open connection."""
    running = start("--url", server.url())
    connection = server.take().accept()
    assert "client_info" in connection.take_text()
    return running, connection
