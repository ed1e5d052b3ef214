"""Worker threads: a full queue is reported, and stills do not wait for animations."""

import os
import signal

from world import images, request_bytes, state_of, wait_until

STILL = images.text(images.png())
# Slow to convert: every frame is noise with its own palette.
SLOW = images.text(images.animation("GIF", [images.noise(n).quantize(200) for n in range(12)], 50))

PICTURES = 100


def push(account, device, name, picture=SLOW):
    return request_bytes("POST", device.path + "/push", key=account.key,
                         body={"image": picture, "installationId": name, "background": True})


def test_full_queue(start):
    """More pushes at once than fit in the queue: each is stored or answered with 503."""
    world = start(workers=1)
    account = world.account()
    devices = [account.device() for _ in range(2)]
    [worker] = world.workers()
    os.kill(worker, signal.SIGSTOP)
    wait_until(lambda: state_of(worker) == "T", "a stopped worker")
    clients = {}
    for number in range(120):
        device = devices[number % 2]
        client = world.client()
        client.send(push(account, device, str(number)))
        clients[(device.id, str(number))] = client
    os.kill(worker, signal.SIGCONT)
    # Meanwhile a still has its own queue.
    assert account.device().push().ok() == {}
    stored = set()
    refused = 0
    for name, client in clients.items():
        answer = client.answer()
        if answer.status == 200:
            stored.add(name)
        else:
            assert "image" in answer.problem(503)["detail"]
            assert int(answer["Retry-After"]) >= 1
            refused += 1
        client.close()
    assert refused > 0 and stored
    listed = {(device.id, name) for device in devices for name in device.ids()}
    assert listed == stored


def test_still_does_not_wait_for_animations(start):
    world = start(workers=1)
    account = world.account()
    device, other = account.device(), account.device()
    clients = [world.client() for _ in range(20)]
    for number, client in enumerate(clients):
        client.send(push(account, device, str(number)))
    for _ in range(5):
        assert other.push().ok() == {}
    # The last animation has not been converted yet.
    assert str(len(clients) - 1) not in device.ids()
    for client in clients:
        assert client.answer().ok() == {}
        client.close()


def test_large_pictures_leave_room_for_others(start):
    """More large pictures at once than an account may have in memory: each is answered, or refused with 503.
    Another account has its own share."""
    world = start(workers=1)
    devices = [world.account().device() for _ in range(2)]
    for device in devices:
        assert device.push(installationId="x", background=True).ok() == {}
        assert device.poll().status == 200
    many, other = [request_bytes("GET", f"{device.path}/picture?scale=16&look=led", key=device.account.key)
                   for device in devices]
    [worker] = world.workers()
    os.kill(worker, signal.SIGSTOP)
    wait_until(lambda: state_of(worker) == "T", "a stopped worker")
    clients = [world.client() for _ in range(PICTURES + 1)]
    for client in clients[:-1]:
        client.send(many)
    clients[-1].send(other)
    os.kill(worker, signal.SIGCONT)
    answers = [client.answer() for client in clients]
    for client in clients:
        client.close()
    assert answers[-1].status == 200
    refused = [answer for answer in answers if answer.status != 200]
    for answer in refused:
        assert answer.problem(503)["code"] in ("memory_full", "server_busy")
        assert int(answer["Retry-After"]) >= 1
    assert 0 < len(refused) < PICTURES
