/* panelimage [--size WIDTHxHEIGHT] [--adapt] [--limit BYTES] IN OUT - converts one image.
 * panelimage [--size WIDTHxHEIGHT] --probe IN - describes a WebP without decoding it.
 *
 * "-" is standard input or output. The size is that of the panel, by default 64x32. An animation
 * that has more bytes than the limit is made smaller if that is possible. --adapt: the image may
 * have half or twice the panel's width and height. Prints "FORMAT FRAMES DURATION_MS LOOP_COUNT
 * BYTES" to standard error; exit status 1 with the reason if the image is refused, 2 for wrong use
 * or a file that cannot be read or written. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "panelimage/panelimage.h"

enum { EXIT_REFUSED = 1, EXIT_TROUBLE = 2 };

/* Bytes up to which memory stays mapped for the next frame: libwebp takes 1 MiB for each. */
enum { KEPT_BYTES = 4 * 1024 * 1024 };

struct file {
	/* The limit and one byte, to detect a file that is too large. */
	uint8_t data[PANELIMAGE_OUTPUT_MAX_BYTES + 1];
	size_t size;
};

static int complain(const char *path)
{
	fprintf(stderr, "panelimage: %s: %s\n", path, strerror(errno));
	return -1;
}

static int read_file(const char *path, struct file *ret)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	int rc = 0;

	if (!in)
		return complain(path);
	ret->size = fread(ret->data, 1, sizeof(ret->data), in);
	if (ferror(in))
		rc = complain(path);
	if (in != stdin)
		fclose(in);
	return rc;
}

static int write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
	bool written;

	if (!out)
		return complain(path);
	written = fwrite(data, 1, size, out) == size;
	/* A full disk may be reported only now. */
	if (fclose(out) != 0 || !written)
		return complain(path);
	return 0;
}

static void print_info(const struct panelimage_info *info, size_t size)
{
	static const char *const format[] = {
	    [PANELIMAGE_FORMAT_UNKNOWN] = "unknown",
	    [PANELIMAGE_FORMAT_PNG] = "png",
	    [PANELIMAGE_FORMAT_GIF] = "gif",
	    [PANELIMAGE_FORMAT_WEBP] = "webp",
	};

	fprintf(stderr, "%s %u %u %u %zu\n", format[info->format], info->frame_count,
		info->duration_ms, info->loop_count, size);
}

static int main_refuse(const struct panelimage_error *error)
{
	fprintf(stderr, "%s\n", error->text);
	return EXIT_REFUSED;
}

static int probe(const struct file *file, struct panelimage_size panel)
{
	struct panelimage_error error;
	struct panelimage_info info;

	if (panelimage_probe_webp(file->data, file->size, panel, &info, &error))
		return main_refuse(&error);
	print_info(&info, file->size);
	return EXIT_SUCCESS;
}

static int convert(const struct file *file, struct panelimage_size panel, bool is_adapted,
		   size_t limit, const char *out)
{
	struct panelimage_conversion *conversion;
	struct panelimage_error error;
	struct panelimage_result result;
	int rc;

	conversion = is_adapted
			 ? panelimage_conversion_new_adapted(file->data, file->size, panel, &error)
			 : panelimage_conversion_new(file->data, file->size, panel, &error);
	if (!conversion)
		return main_refuse(&error);
	panelimage_conversion_limit(conversion, limit);
	if (panelimage_conversion_finish(conversion, &result, &error))
		return main_refuse(&error);
	rc = write_file(out, result.data, result.size);
	if (rc == 0)
		print_info(&result.info, result.size);
	panelimage_result_finish(&result);
	return rc == 0 ? EXIT_SUCCESS : EXIT_TROUBLE;
}

/* Reads digits up to a character, which *text is moved behind. */
static bool read_number(const char **text, char last, uint32_t *ret)
{
	unsigned long number;
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	number = strtoul(*text, &end, 10);
	if (errno || number > UINT32_MAX || *end != last)
		return false;
	*text = end + 1;
	*ret = (uint32_t)number;
	return true;
}

static bool read_size(const char *text, struct panelimage_size *ret)
{
	return read_number(&text, 'x', &ret->width) && read_number(&text, '\0', &ret->height);
}

static int usage(void)
{
	fprintf(stderr, "usage: panelimage [--size WIDTHxHEIGHT] [--adapt] [--limit BYTES] IN OUT\n"
			"       panelimage [--size WIDTHxHEIGHT] --probe IN\n");
	return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
	struct panelimage_size panel = {64, 32};
	uint32_t limit = PANELIMAGE_OUTPUT_MAX_BYTES;
	struct file *file;
	int status = EXIT_TROUBLE;
	bool probing, is_adapted;

	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	if (argc > 2 && strcmp(argv[1], "--size") == 0) {
		if (!read_size(argv[2], &panel))
			return usage();
		argc -= 2;
		argv += 2;
	}
	is_adapted = argc > 1 && strcmp(argv[1], "--adapt") == 0;
	argc -= is_adapted;
	argv += is_adapted;
	if (argc > 2 && strcmp(argv[1], "--limit") == 0) {
		const char *text = argv[2];

		if (!read_number(&text, '\0', &limit))
			return usage();
		argc -= 2;
		argv += 2;
	}
	if (argc != 3)
		return usage();
	probing = strcmp(argv[1], "--probe") == 0;
	file = malloc(sizeof(*file));
	if (!file)
		return EXIT_TROUBLE;
	if (read_file(argv[probing ? 2 : 1], file) == 0)
		status =
		    probing ? probe(file, panel) : convert(file, panel, is_adapted, limit, argv[2]);
	free(file);
	return status;
}
