#include "frames.h"

#include "events.h"

#include <errno.h>
#include <fcntl.h>
#include <spng.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int frames_open(struct frames *frames, const char *directory)
{
	*frames = (struct frames){.directory_fd = -1};
	if (!directory)
		return 0;
	if (mkdir(directory, 0755) != 0 && errno != EEXIST)
		return -errno;
	frames->directory_fd = open(directory, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	return frames->directory_fd < 0 ? -errno : 0;
}

void frames_close(struct frames *frames)
{
	if (frames->directory_fd >= 0)
		close(frames->directory_fd);
	frames->directory_fd = -1;
}

/* Returns the PNG, which the caller frees with free(); NULL if libspng fails. */
static void *encode(const struct pixels *pixels, size_t *ret_size)
{
	struct spng_ihdr header = {
	    .width = (uint32_t)pixels_width(pixels),
	    .height = (uint32_t)pixels_height(pixels),
	    .bit_depth = 8,
	    .color_type = SPNG_COLOR_TYPE_TRUECOLOR,
	};
	spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
	int error;
	void *png = NULL;

	if (!context)
		return NULL;
	error = spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
	if (!error)
		error = spng_set_ihdr(context, &header);
	if (!error)
		error = spng_encode_image(context, pixels->rgb, pixels_size(pixels), SPNG_FMT_PNG,
					  SPNG_ENCODE_FINALIZE);
	if (!error)
		png = spng_get_png_buffer(context, ret_size, &error);
	spng_ctx_free(context);
	return png;
}

static int write_file(int directory_fd, const char *name, const void *data, size_t size)
{
	int fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, data, size);
	if (close(fd) != 0 || written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -ENOSPC;
}

int frames_write(struct frames *frames, const struct pixels *pixels,
		 char ret_name[static FRAMES_NAME_MAX])
{
	static const char temporary[] = ".frame";
	size_t size;
	void *png = encode(pixels, &size);
	int error;

	if (!png)
		return -ENOMEM;
	snprintf(ret_name, FRAMES_NAME_MAX, "%06llu-%llu.png",
		 (unsigned long long)++frames->sequence,
		 (unsigned long long)(events_wall_us() / 1000));
	error = write_file(frames->directory_fd, temporary, png, size);
	free(png);
	if (!error && renameat(frames->directory_fd, temporary, frames->directory_fd, ret_name))
		error = -errno;
	return error;
}
