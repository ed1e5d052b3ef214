#!/usr/bin/python3
"""Seeds and dictionaries of the fuzzers.

    test/fuzz/seeds.py config FOLDER         writes the seeds of the configuration's target into it
    test/fuzz/seeds.py --dictionary TARGET   prints a dictionary for a target of test/fuzz, as libFuzzer
                                             takes it: names of settings, methods, fields, ...

The seeds of the other targets were captured or written by hand, each with a name that says what it
is; found inputs are added to the same folders.
"""

import argparse
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
OPTION = re.compile(r'OPTION\(\s*(\w+),\s*"([a-z-]+)",\s*(?:"([^"]*)"|NULL)')

VALUES = {
    "access-log": "off",
    "admin-access-log": "on",
    "admin-listen": "127.0.0.1:9180",
    "cors-origin": "https://panels.example.org",
    "database": "postgresql://displayd:secret@db.example.org:5432/displayd?sslmode=require",
    "egress-allow": "192.168.1.0/24",
    "listen": "[::1]:8080",
    "first-link": "off",
    "log-format": "json",
    "log-level": "debug",
    "metrics-token-file": "/etc/displayd/metrics-token",
    "mqtt": "mqtts://broker.example.org:8884",
    "mqtt-account": "ada@example.org",
    "mqtt-password-file": "/etc/displayd/mqtt-password",
    "mqtt-username": "panels",
    "oidc": "https://id.example.org",
    "oidc-client": "displayd",
    "oidc-name": "Home",
    "oidc-secret-file": "/etc/displayd/oidc-secret",
    "panel-frame": "http://home.example.org:8123",
    "panel-stay": "600",
    "plain-http-sign-in": "on",
    "public-url": "https://panels.example.org/displays/",
    "rate-limit": "100",
    "registration": "closed",
    "renderers": "2",
    "sandbox": "required",
    "secret-key-file": "secret-key",
    "session-pooler": "on",
    "state-dir": "/var/lib/displayd",
    "tls-certificate": "/etc/displayd/wall.crt",
    "tls-key": "/etc/displayd/wall.key",
    "tls-listen": "0.0.0.0:8443",
    "trust-proxy": "10.0.0.0/8",
    "workers": "4",
}
# Settings that need others.
BESIDE = {
    "oidc": ("oidc-client",),
    "oidc-client": ("oidc",),
    "oidc-name": ("oidc", "oidc-client"),
    "oidc-secret-file": ("oidc", "oidc-client"),
    "tls-certificate": ("tls-listen", "tls-key"),
    "tls-key": ("tls-listen", "tls-certificate"),
    "tls-listen": ("tls-certificate", "tls-key"),
}


def settings():
    """Names of displayd's settings by kind, read from src/main/config.c."""
    text = (ROOT / "src/main/config.c").read_text(encoding="utf-8")
    text = re.sub(r'"\s*\n\s*"', "", text)
    return {name: (kind, argument) for kind, name, argument in OPTION.findall(text)}


def variable(name):
    return "DISPLAYD_" + name.upper().replace("-", "_")


def one_setting(name):
    """A single setting in each of the three ways."""
    names = (name, *BESIDE.get(name, ()))
    yield f"argument-{name}", "".join(f"--{one}={VALUES[one]}\n" for one in names)
    yield f"variable-{name}", "".join(f"{variable(one)}={VALUES[one]}\n" for one in names)
    yield f"line-{name}", "\n" + "".join(f"{one} = {VALUES[one]}\n" for one in names)


def config_seeds():
    known = settings()
    named = [name for name in known if name in VALUES]
    missing = {name for name, (kind, _) in known.items() if kind != "SWITCH"} - {*named, "config"}
    assert not missing, f"settings without a value here: {missing}"
    seeds = {}
    for name in named:
        seeds.update(one_setting(name))
    for name, (kind, _) in known.items():
        if kind == "SWITCH":
            seeds[f"switch-{name}"] = f"--{name}\n"
    everything = "".join(f"{name} = {VALUES[name]}\n" for name in named)
    seeds["everything"] = "\n# all of it\n" + everything
    seeds["everything-shown"] = "--check-config\n\n" + everything
    seeds["strongest-wins"] = "--workers\n3\nDISPLAYD_WORKERS=2\n\nworkers = 1\n"
    seeds["lists"] = (
        "DISPLAYD_LISTEN=127.0.0.1:0, [::]:8080\tunix:/run/displayd.sock\n"
        "DISPLAYD_TRUST_PROXY=unix,::1,10.0.0.0/8,2001:db8::/32\n\n"
        + "".join(f"egress-allow = 10.0.0.{number}\n" for number in range(8)))
    seeds["proxy"] = "\nlisten = proxy:127.0.0.1:8081\ntrust-proxy = 127.0.0.1\n"
    seeds["odd-lines"] = "\n\t rate-limit\t=  7 \r\n#\n\n \t\npublic-url=http://[::1]:1/a///\n"
    seeds["returns"] = "\nstate-dir = /a \r \r\n\r\n"
    seeds["database-as-list"] = "\ndatabase = host=/run dbname='a b' password=secret\n"
    seeds["empty-variable"] = "DISPLAYD_DATABASE=\nDISPLAYD_CONFIG=\n"
    seeds["bare-on-off"] = "--access-log\n--session-pooler\n--log-level\nwarn\n"
    faults = {
        "twice": "\nworkers = 1\nworkers = 2\n", "no-value": "\nworkers =\n", "no-name": "\n= 1\n",
        "no-equals": "\nworkers\n", "mistyped": "\nworker = 1\n", "unknown": "--nothing\n",
        "word": "displayd\n", "no-certificate": "--tls-listen=127.0.0.1:1\n",
        "no-key": "--tls-listen=127.0.0.1:1\n--tls-certificate=a\n", "nul": "\nworkers\0 = 1\n",
        "argument-only": "\ncheck-config = on\n", "too-many": "\n" + "cors-origin = http://a\n" * 17,
        "same-listener": "--listen=127.0.0.1:1\n--admin-listen=127.0.0.1:1\n",
        "proxy-untrusted": "--listen=proxy:127.0.0.1:1\n",
        "bits-behind-prefix": "--trust-proxy=10.0.0.1/8\n",
        "number-too-large": "--workers=18446744073709551616\n",
        "long-socket": "--listen=unix:/" + "a" * 120 + "\n",
        "url-with-user": "--public-url=https://me@example.org\n",
    }
    seeds.update({f"fault-{name}": text for name, text in faults.items()})
    return seeds


# ---- dictionaries ----

def config_words():
    for name, (_, argument) in settings().items():
        yield from (f"--{name}", f"{name} = ", variable(name) + "=")
        yield from (argument or "").split("|")
    yield from VALUES.values()
    yield from ("--", "unix:/", "proxy:", "localhost:", "[::1]:", "http://", "https://", "\n\n", "/8")


WORDS = {
    "account": [],
    "backup": [],
    "config": config_words,
    "firmware_releases": ["tidbyt-gen1.bin", "tronbyt-s3-wide.bin", "_firmware.bin", "SHA256SUMS", "checksums.txt",
                          "sha256:", "#", "https://"],
    "forwarded": ["for=", "by=", "proto=", "host=", '"[2001:db8::1]:443"', "unknown", "_hidden", "f",
                  "10.0.0.1", "2001:db8::2", "::ffff:10.0.0.1", ":443", ", ", ";", '"', "\\"],
    "firmware": ["\xe9", "\x32\x54\xcd\xab", "XplaceholderWIFISSID", "XplaceholderWIFIPASSWORD", "XplaceholderREMOTEURL"],
    "http": ["GET ", "POST ", "HEAD ", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "Host: a\r\n", "\r\n\r\n",
             "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n",
             "Connection: close\r\n", "Connection: Upgrade\r\n", "Upgrade: websocket\r\n",
             "Sec-WebSocket-Version: 13\r\n", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
             "0\r\n\r\n", "5\r\nhello\r\n", "/w", "/e", "/l", "/r", "/p/a/b", "http://a/",
             "X-Forwarded-For: 10.0.0.1\r\n", "Forwarded: for=10.0.0.1\r\n", "\x81\x83\0\0\0\0abc",
             "\x88\x80\0\0\0\0", "\x82\xfe", "\x89\x80", "\x01\x80", "\x80\x80"],
    "id_token": ["RS256", "ES256", "EdDSA", "eyJ", ".", "P-256", "Ed25519", "AQAB"],
    "image": ["\x89PNG\r\n\x1a\n", "IHDR", "PLTE", "tRNS", "IDAT", "IEND", "acTL", "fcTL", "fdAT", "gAMA",
              "GIF89a", "GIF87a", "\x21\xf9\x04", "\x21\xff\x0bNETSCAPE2.0\x03\x01", "\x2c\0\0\0\0", ";",
              "RIFF", "WEBP", "VP8 ", "VP8L", "VP8X", "ANIM", "ANMF", "ALPH", "\x2f", "\x9d\x01\x2a"],
    "json": ["true", "false", "null", "\\u00e9", "\\ud83d", "1e400", "-0", "\xef\xbb\xbf"],
    "manifest": ["id: ", "name: ", "summary: ", "desc: ", "author: ", "category: ", "packageName: ", "tags: ", "- ",
                 "broken: true", "brokenReason: ", "---", "...", "&a", "*a", "|-", ">", "!!binary", "%YAML 1.1"],
    "mqtt": ["displayd/a/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/", "light/set", "message", "pinned/set", "plan/set",
             "interval/set", "entries/", "/set", "push", "next/set", "reboot/set", "update/set", "ON", "OFF", "PRESS",
             "INSTALL", "event: shown\n", "data: ", "%2F", "../"],
    "panel_report": [],
    "proxy": ["PROXY TCP4 ", "PROXY TCP6 ", "PROXY UNKNOWN", "\r\n", "\r\n\r\n\0\r\nQUIT\n", "\x21\x11",
              "\x21\x21", "\x20\0", "\x21\x31", "192.0.2.1", "2001:db8::1", " 65535", "\0\x0c", "\0\x24"],
    "tls": ["\x16\x03\x01", "\x16\x03\x03", "\x15\x03\x03\0\x02", "\x17\x03\x03", "\x14\x03\x03\0\x01\x01",
            "\x01\0\0", "\x03\x03", "\x13\x01", "\x13\x03", "\xc0\x2b", "\xcc\xa8", "\0\x2b", "\0\x0d",
            "\0\x33", "\0\x0a", "\0\0\0", "\0\x23", "\0\x10", "\0\x29", "http/1.1", "\0\x1d", "\0\x17"],
    "tronbyt": ["daily", "weekly", "monthly", "yearly", "22:00", "tidbyt_gen1", "Europe/Berlin", "warm"],
    "view_hint": ["shows:", "watch:", ":", "%3A", "%25", "0190163d-8694-739b-aea5-966c26f8ad91"],
    "websocket": ["\x81\x05hello", "\x01", "\x80", "\x88\x02\x03\xe8", "\x89\0", "\x8a\0", "\x82\x7e",
                  "\x82\x7f", "\xc1", "\x81\x85"],
}


def words_of_seeds(target):
    """Names of members and similar words in the seeds."""
    folder = FOLDER / f"{target}_corpus"
    if not folder.is_dir():
        return set()
    data = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    return {word.decode() for word in re.findall(rb'"[A-Za-z]{2,24}"', data)}


def dictionary(target):
    words = WORDS[target]() if callable(WORDS[target]) else WORDS[target]
    for word in sorted({*words, *words_of_seeds(target)} - {""}):
        text = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
                       for byte in word.encode("latin-1"))
        yield f'"{text}"'


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dictionary", choices=WORDS, metavar="TARGET")
    parser.add_argument("words", nargs="*", metavar="config FOLDER")
    arguments = parser.parse_args()
    if arguments.dictionary:
        print("\n".join(dictionary(arguments.dictionary)))
        return
    if len(arguments.words) != 2 or arguments.words[0] != "config":
        parser.error("config FOLDER, or --dictionary TARGET")
    folder = pathlib.Path(arguments.words[1])
    folder.mkdir(exist_ok=True)
    for name, text in config_seeds().items():
        (folder / name).write_bytes(text.encode())


if __name__ == "__main__":
    main()
