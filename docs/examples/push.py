"""Shows a picture on the first device of an account: push.py PICTURE"""
import base64
import json
import os
import sys
import urllib.error
import urllib.request


def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["DISPLAYD_URL"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + os.environ["DISPLAYD_KEY"], "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}: {error.read().decode()}")
    except OSError as error:
        sys.exit(f"{request.full_url}: {error}")


missing = [name for name in ("DISPLAYD_URL", "DISPLAYD_KEY") if not os.environ.get(name)]
if missing or len(sys.argv) != 2:
    sys.exit("push.py PICTURE: missing " + " and ".join(missing + ["a picture"][len(sys.argv) - 1:]))
try:
    with open(sys.argv[1], "rb") as file:
        image = base64.b64encode(file.read()).decode()
except OSError as error:
    sys.exit(f"push.py PICTURE: cannot read {sys.argv[1]}: {error.strerror}")
devices = call("GET", "/v1/devices")
if not devices:
    sys.exit("the account has no device")
path = "/v1/devices/" + devices[0]["id"]
call("POST", path + "/push", {"image": image, "installationId": "example"})
device = call("PATCH", path, {"brightness": 40})
print(f"{device['name']} shows {sys.argv[1]} at {device['brightness']} %")
