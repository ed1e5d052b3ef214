"""Pictures that callers push: typical drawings, no two equal."""

import base64
import io
import json
import random

WIDTH, HEIGHT = 64, 32


def _png(image):
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def photo(number):
    """Returns soft colours without edges, as in a scaled photo: a PNG of about 3.5 KB."""
    from PIL import Image

    chance = random.Random(number)
    small = Image.frombytes("RGB", (8, 4), chance.randbytes(8 * 4 * 3))
    return _png(small.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC))


def drawing(number):
    """Returns areas of one colour, a gradient and a speckled band: a PNG of about 1.5 KB."""
    from PIL import Image

    chance = random.Random(number)
    image = Image.new("RGB", (WIDTH, HEIGHT), tuple(chance.randbytes(3)))
    for _ in range(12):
        x, y = chance.randrange(56), chance.randrange(14)
        colour = tuple(chance.randbytes(3))
        image.paste(colour, (x, y, x + chance.randrange(2, 8), y + chance.randrange(2, 6)))
    start = chance.randrange(128)
    for y in range(18, HEIGHT):
        for x in range(WIDTH):
            speckled = chance.randrange(64) if y >= 24 else 0
            image.putpixel((x, y), (start + x, 2 * x + speckled, 255 - start + speckled // 2))
    return _png(image)


def stills(count):
    """Returns PNG files of 1 to 5 KB, of alternating kinds."""
    made = [photo(n) if n % 2 else drawing(n) for n in range(count)]
    outside = [len(png) for png in made if not 1000 <= len(png) <= 5000]
    if outside:
        raise ValueError(f"pictures of another size: {outside}")
    return made


def animation(frames, seed=0):
    """Returns a GIF in which a bar, text-like blocks and sparks move: every frame differs."""
    from PIL import Image

    chance = random.Random(seed)
    images = []
    for number in range(frames):
        image = Image.new("RGB", (WIDTH, HEIGHT), (0, 0, 30))
        image.paste((200, 40, 40), (number % WIDTH, 4, number % WIDTH + 6, 12))
        image.paste((40, 200, 40), (0, 20, 1 + number * 63 // frames, 24))
        for _ in range(20):
            place = chance.randrange(WIDTH), chance.randrange(HEIGHT)
            image.putpixel(place, (255, 255, chance.randrange(256)))
        images.append(image)
    file = io.BytesIO()
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=50, loop=0)
    return file.getvalue()


def noise_animation(seed=0):
    """Returns a GIF of 190 KB and 208 frames, each of which changes 500 pixels anywhere: the most
    work possible with so many bytes."""
    import hostile

    return hostile.gif_sparse(random.Random(seed), 256, 500)


def push_body(data):
    """Returns the body of a push of this picture."""
    return json.dumps({"image": base64.b64encode(data).decode()})
