"""Secret settings of apps, as domain/secret_settings.h encrypts them."""

import ctypes
import hashlib
import os


def key_of(server):
    with open(os.path.join(server.state_dir, "secret-key"), encoding="ascii") as file:
        return bytes.fromhex(file.read())


def crypt(key, device, entry, text=None, sealed=None):
    """Encrypts and decrypts like domain/secret_settings.h."""
    sodium = ctypes.CDLL("libsodium.so.23")
    own = hashlib.blake2b(b"seal " + bytes.fromhex(device.replace("-", "")) + entry.encode(), key=key,
                          digest_size=32).digest()
    nonce, data = (os.urandom(24), text) if text else (bytes(sealed)[1:25], bytes(sealed)[25:])
    result = ctypes.create_string_buffer(len(data) + 16)
    call = sodium.crypto_secretbox_easy if text else sodium.crypto_secretbox_open_easy
    assert call(result, data, ctypes.c_ulonglong(len(data)), nonce, own) == 0
    return b"\x01" + nonce + result.raw if text else result.raw[:len(data) - 16]
