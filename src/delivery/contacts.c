#include "contacts.h"

#include <string.h>

enum { WAIT_MS = 200 };

struct contact {
	struct id id;
	uint64_t until_ms;
};

void contacts_end(const struct contacts *contacts, struct panel *panel)
{
	if (!panel->awaits_contact)
		return;
	panel->awaits_contact = false;
	contacts->on_end(contacts->context, panel);
}

static void on_deadline(struct deadline *deadline)
{
	struct contacts *contacts = container_of(deadline, struct contacts, deadline);

	while (buffer_length(&contacts->waiting)) {
		struct contact oldest;
		struct panel *panel;

		memcpy(&oldest, buffer_view(&contacts->waiting).data, sizeof(oldest));
		if (oldest.until_ms > loop_now_ms(contacts->loop)) {
			deadline_set_at(contacts->loop, deadline, oldest.until_ms);
			return;
		}
		buffer_consume(&contacts->waiting, sizeof(oldest));
		panel = panels_find(contacts->panels, oldest.id);
		if (panel)
			contacts_end(contacts, panel);
	}
}

void contacts_begin(struct contacts *contacts, struct panel *panel)
{
	struct contact contact = {.id = panel->id,
				  .until_ms = loop_now_ms(contacts->loop) + WAIT_MS};

	panel->awaits_contact = true;
	buffer_append(&contacts->waiting, &contact, sizeof(contact));
	if (!deadline_is_set(&contacts->deadline))
		deadline_set_at(contacts->loop, &contacts->deadline, contact.until_ms);
}

void contacts_init(struct contacts *contacts)
{
	deadline_init(&contacts->deadline, on_deadline);
}

void contacts_drain(struct contacts *contacts)
{
	struct str waiting = buffer_view(&contacts->waiting);
	const struct contact *contact = (const struct contact *)waiting.data;

	deadline_clear(contacts->loop, &contacts->deadline);
	for (size_t i = 0; i < waiting.length / sizeof(*contact); i++) {
		struct panel *panel = panels_find(contacts->panels, contact[i].id);

		if (panel)
			contacts_end(contacts, panel);
	}
	buffer_clear(&contacts->waiting);
}

void contacts_finish(struct contacts *contacts)
{
	deadline_clear(contacts->loop, &contacts->deadline);
	buffer_finish(&contacts->waiting);
}
