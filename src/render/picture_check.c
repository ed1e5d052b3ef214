#include "picture_check.h"

static bool step(struct lane_job *job)
{
	struct picture_check *check = container_of(job, struct picture_check, job);
	struct str view = buffer_view(&check->bytes);

	if (!check->conversion)
		check->conversion = panelimage_conversion_new_own(
		    (const uint8_t *)view.data, view.length, check->size, &check->error);
	if (!check->conversion) {
		check->has_failed = true;
		return false;
	}
	panelimage_conversion_limit(check->conversion, check->max_bytes);
	switch (panelimage_conversion_step(check->conversion, &check->result, &check->error)) {
	case PANELIMAGE_MORE:
		return true;
	case PANELIMAGE_FAILED:
		check->has_failed = true;
		return false;
	case PANELIMAGE_DONE:
		break;
	}
	return false;
}

static void on_done(struct lane_job *job)
{
	struct picture_check *check = container_of(job, struct picture_check, job);

	check->done(check);
}

/* Looks only at the bytes of the container, which takes microseconds. */
static enum lane prepare(struct picture_check *check)
{
	struct str view = buffer_view(&check->bytes);
	uint8_t *data = (uint8_t *)check->bytes.data + check->bytes.start;
	size_t size = panelimage_cut_webp(data, view.length, check->max_bytes);

	check->is_cut = size < view.length;
	check->bytes.end = check->bytes.start + size;
	return panelimage_is_animation(data, size) ? LANE_LONG : LANE_SHORT;
}

int picture_check_start(struct loop *loop, struct picture_check *check, struct id account)
{
	enum lane lane = prepare(check);
	unsigned retry_after_s;

	check->job = (struct lane_job){
	    .account = account,
	    .size = buffer_length(&check->bytes),
	    .run = step,
	    .done = on_done,
	};
	return lanes_submit(loop, lane, &check->job, &retry_after_s);
}

void picture_check_finish(struct picture_check *check)
{
	panelimage_conversion_free(check->conversion);
	panelimage_result_finish(&check->result);
	buffer_finish(&check->bytes);
	check->conversion = NULL;
}
