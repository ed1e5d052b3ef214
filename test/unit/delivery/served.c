#include "served.h"
#include "base/arena.h"

#include <stdio.h>

struct delivery *served;

int serve_begin(void **state)
{
	script_begin(state);
	forget_devices();
	served = delivery_create(&script_loop, script_db, script_shared, 0);
	return 0;
}

int serve_end(void **state)
{
	delivery_drain(served);
	answer_all(STATEMENT_DEVICE_SEEN, DB_OK);
	answer_all(STATEMENT_SHOWING_DISPLAYED, DB_OK);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	close_sockets();
	run_turns();
	delivery_destroy(served);
	return script_end(state);
}

static void on_done(struct panel_lookup *lookup, struct panel *panel)
{
	struct asked_lookup *asked_lookup = container_of(lookup, struct asked_lookup, lookup);

	asked_lookup->panel = panel;
	asked_lookup->is_done = true;
	asked_lookup->times++;
}

void look_up(struct asked_lookup *asked_lookup, const char *reference, const char *key)
{
	struct device_reference parsed = device_reference_parse(str_from(reference));
	struct panel *panel = NULL;

	*asked_lookup = (struct asked_lookup){.lookup = {.done = on_done}};
	if (!delivery_find(served, &asked_lookup->lookup, &parsed, str_from(key), &panel))
		return;
	asked_lookup->panel = panel;
	asked_lookup->is_done = true;
}

void look_up_device(struct asked_lookup *asked_lookup, const struct script_device *device)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(device->id, text);
	look_up(asked_lookup, text, device->key);
}

/* Looks it up, and answers the load that is needed. */
static struct panel *found(struct asked_lookup *asked_lookup, const struct script_device *device)
{
	look_up_device(asked_lookup, device);
	if (!asked_lookup->is_done)
		answer_loads();
	assert_true(asked_lookup->is_done);
	assert_non_null(asked_lookup->panel);
	return asked_lookup->panel;
}

struct panel *panel_of_device(const struct script_device *device)
{
	struct asked_lookup asked_lookup;

	return found(&asked_lookup, device);
}

struct script_socket *connect_device(const struct script_device *device)
{
	struct asked_lookup asked_lookup;
	struct panel *panel = found(&asked_lookup, device);

	delivery_connect(served, panel, &asked_lookup.lookup, NULL);
	answer_loads();
	return script_socket;
}

const char *poll(const struct script_device *device)
{
	static char text[200];
	struct panel *panel = panel_of_device(device);
	struct panel_lookup lookup = {.done = on_done};
	struct poll_picture picture;
	struct arena arena = {0};

	assert_true(delivery_poll(served, panel, &lookup, /* is_peek= */ false, &arena, &picture));
	snprintf(text, sizeof(text), "%.*s %lld", (int)picture.webp.length, picture.webp.data,
		 (long long)picture.dwell_s);
	arena_finish(&arena);
	return text;
}
