#include "image_job.h"
#include "base/limits.h"
#include "delivery/picture_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/base64.h>

static void image_job_fail(struct image_job *job, const char *text)
{
	snprintf(job->error.text, sizeof(job->error.text), "%s", text);
	job->is_converted = true;
	job->has_failed = true;
}

static void fail_size(struct image_job *job, size_t size)
{
	snprintf(job->error.text, sizeof(job->error.text), "image has %zu bytes, maximum %d", size,
		 PANELIMAGE_INPUT_MAX_BYTES);
	job->is_converted = true;
	job->has_failed = true;
}

/* Bytes that a base64 text decodes to. White space is only counted in long texts: most have none.
 */
static size_t decoded_size(struct str text)
{
	size_t length = text.length;

	if (length / 4 * 3 > PANELIMAGE_INPUT_MAX_BYTES) {
		length = base64_significant(text);
		while (text.length && strchr("= \t\r\n\f", text.data[text.length - 1]))
			length -= text.data[--text.length] == '=';
	}
	return length / 4 * 3 + length % 4 * 3 / 4;
}

static bool has_good_size(struct image_job *job)
{
	if (job->base64.length == 0)
		image_job_fail(job, "image is empty");
	else if (job->size > PANELIMAGE_INPUT_MAX_BYTES)
		fail_size(job, job->size);
	return !job->has_failed;
}

bool image_job_init(struct image_job *job, struct str media_type, struct str base64)
{
	*job = (struct image_job){
	    .media_type = media_type, .base64 = base64, .size = decoded_size(base64)};
	return has_good_size(job);
}

bool image_job_init_raw(struct image_job *job, struct str media_type, struct str bytes)
{
	*job = (struct image_job){.media_type = media_type,
				  .base64 = bytes,
				  .is_raw = true,
				  .bytes = (uint8_t *)bytes.data,
				  .size = bytes.length};
	return has_good_size(job);
}

static bool image_job_take(struct image_job *job, size_t bytes)
{
	if (!memory_budget_take(job->share, bytes, LIMIT_IMAGES_BYTES))
		return false;
	job->taken += bytes;
	return true;
}

bool image_job_take_memory(struct image_job *job, struct memory_budget *budget, struct id account,
			   struct arena *arena)
{
	size_t bytes = base64_decoded_max(job->size / 3 * 4 + 4);

	job->share = memory_budget_join(
	    budget, (struct str){(const char *)account.bytes, sizeof(account.bytes)});
	/* A still is hardly larger as a WebP than in its own format, and a WebP is copied. */
	if (!image_job_take(job, 2 * bytes))
		return false;
	if (!job->is_raw)
		job->bytes = arena_alloc(arena, bytes);
	return true;
}

static enum panel_size size_of_image(const struct image_job *job)
{
	return picture_panel_size((struct str){(const char *)job->bytes, job->size});
}

bool image_job_take_animation(struct image_job *job)
{
	unsigned canvases = size_of_image(job) == PANEL_SIZE_64X32 ? 1 : 2;

	return image_job_take(job, canvases * (size_t)PANELIMAGE_HELD_MAX_BYTES);
}

static void fail_base64(struct image_job *job)
{
	char text[BASE64_EXPLANATION_BYTES];

	base64_explain(job->base64, text);
	snprintf(job->error.text, sizeof(job->error.text), "image: the base64 %s", text);
	job->is_converted = true;
	job->has_failed = true;
}

static const char *format_name(enum panelimage_format format)
{
	switch (format) {
	case PANELIMAGE_FORMAT_PNG:
		return "image/png";
	case PANELIMAGE_FORMAT_GIF:
		return "image/gif";
	case PANELIMAGE_FORMAT_WEBP:
		return "image/webp";
	default:
		return NULL;
	}
}

static bool is_named(const struct image_job *job, const char *format)
{
	return job->media_type.length == 0 || !format ||
	       str_equal_ignore_case(job->media_type, str_from(format));
}

/* The image's bytes determine its format; a data URL must not name another one. */
static bool type_agrees(struct image_job *job)
{
	const char *name = format_name(panelimage_detect(job->bytes, job->size));

	if (is_named(job, name))
		return true;
	snprintf(job->error.text, sizeof(job->error.text), "image is %s, but its %s says %.*s",
		 name, job->is_raw ? "Content-Type" : "data URL", STR_ARG(job->media_type));
	job->is_converted = true;
	job->has_failed = true;
	return false;
}

static bool is_too_wide(struct image_job *job)
{
	if (job->takes_wide || size_of_image(job) == PANEL_SIZE_64X32)
		return false;
	image_job_fail(job, "image " IMAGE_TOO_WIDE);
	return true;
}

bool image_job_reuse(struct image_job *job, const struct panelimage_result *result)
{
	struct str webp = {(const char *)result->data, result->size};

	if (!is_named(job, format_name(result->info.format)) ||
	    (!job->takes_wide && picture_panel_size(webp) != PANEL_SIZE_64X32))
		return false;
	job->result = *result;
	job->result.data = malloc(result->size);
	if (!job->result.data)
		return false;
	memcpy(job->result.data, result->data, result->size);
	job->is_converted = true;
	return true;
}

bool image_job_convert(void *argument)
{
	struct image_job *job = argument;

	if (!job->conversion) {
		struct panelimage_size panel = picture_pixels(size_of_image(job));

		job->conversion =
		    panelimage_conversion_new(job->bytes, job->size, panel, &job->error);
		if (job->conversion)
			panelimage_conversion_limit(job->conversion, job->max_bytes);
		if (job->conversion && job->is_quick)
			panelimage_conversion_be_quick(job->conversion);
	}
	switch (job->conversion
		    ? panelimage_conversion_step(job->conversion, &job->result, &job->error)
		    : PANELIMAGE_FAILED) {
	case PANELIMAGE_MORE:
		return true;
	case PANELIMAGE_FAILED:
		job->has_failed = true;
		break;
	case PANELIMAGE_DONE:
		break;
	}
	panelimage_conversion_free(job->conversion);
	job->conversion = NULL;
	job->is_converted = true;
	return false;
}

bool image_job_begin(void *argument)
{
	struct image_job *job = argument;

	if (job->conversion)
		return image_job_convert(job);
	if (!job->is_raw && base64_decode(job->base64, job->bytes, &job->size)) {
		fail_base64(job);
		return false;
	}
	job->is_decoded = true;
	if (!type_agrees(job) || is_too_wide(job) || panelimage_is_animation(job->bytes, job->size))
		return false;
	return image_job_convert(job);
}

void image_job_finish(struct image_job *job)
{
	panelimage_conversion_free(job->conversion);
	panelimage_result_finish(&job->result);
	if (job->share)
		memory_budget_leave(job->share, job->taken);
}
