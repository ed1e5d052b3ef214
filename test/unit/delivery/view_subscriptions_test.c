/* Tests what pages learn about panels: from this worker's panels, and by hints to and from other
 * workers. */
#include "base/limits.h"
#include "modules.h"
#include "served.h"
#include "view_hint.h"

#include <stdio.h>

#define OTHER "0190163d-8694-739b-aea5-966c26f8ad91"
#define THIRD "0190163d-8694-739b-aea5-966c26f8ad92"

struct page {
	struct view_subscriber subscriber;
	unsigned views;
	unsigned settings, rotations; /* changes */
};

static struct id account = {.bytes = {7}};

static void on_view(struct view_subscriber *subscriber)
{
	container_of(subscriber, struct page, subscriber)->views++;
}

static void on_change(struct view_subscriber *subscriber, enum view_change change)
{
	struct page *page = container_of(subscriber, struct page, subscriber);

	*(change == VIEW_SETTINGS ? &page->settings : &page->rotations) += 1;
}

static bool try_open(struct page *page, struct id device_id, struct id owner)
{
	*page = (struct page){.subscriber = {.on_view = on_view, .on_change = on_change}};
	return delivery_subscribe_view(served, &page->subscriber, device_id, owner);
}

static void open_page(struct page *page, const struct script_device *device)
{
	assert_true(try_open(page, device->id, account));
	run_turns();
}

static void close_page(struct page *page)
{
	delivery_unsubscribe_view(&page->subscriber);
}

static const struct panel_view *view_of(const struct page *page)
{
	return delivery_view(&page->subscriber);
}

static bool is_entry(const struct view_picture *picture, const char *id)
{
	return str_equal(picture->installation_id, str_from(id));
}

static const char *name_of(struct id id)
{
	static char text[ID_TEXT_LENGTH + 1];

	id_format(id, text);
	return text;
}

/* Returns how many hints of this kind about this device were sent since the previous call. */
static unsigned sent(const char *kind, const struct script_device *device)
{
	struct str rest = str_from(hints_sent());
	struct str word, start;
	char text[64];
	unsigned count = 0;

	start = (struct str){
	    text, (size_t)snprintf(text, sizeof(text), "%s:%s:", kind, name_of(device->id))};
	while (str_next(&rest, ' ', &word))
		count += str_starts_with(word, start);
	return count;
}

/* Another worker reports: connection w or p, rank, and the entry. */
static void other_shows(const struct script_device *device, const char *sender, int connection,
			int rank, const char *entry)
{
	hint("shows:%s:%s:%d:1:60:1:0:%d:1::%s:0::", name_of(device->id), sender, connection, rank,
	     entry);
	run_turns();
}

/* No worker answers: the database is queried, and knows the time. */
static void answer_last_online(const struct script_device *device, int64_t us)
{
	struct db_query *query = asked(STATEMENT_DEVICES_LAST_ONLINE);

	begin_rows(2);
	add_bytes(device->id.bytes, ID_BYTES);
	add_integer(us - 946684800000000); /* PostgreSQL counts from 2000 */
	answer(query);
	run_turns();
}

#define SCENE(name) TEST_IN(name, serve_begin, serve_end)

SCENE(a_page_of_the_same_worker_is_told_at_once)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	struct page page, second;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	open_page(&page, device);
	assert_int_equal(page.views, 1);
	assert_int_equal(view_of(&page)->connection, SHOWN_WEB_SOCKET);
	assert_true(view_of(&page)->is_acknowledged);
	assert_true(is_entry(&view_of(&page)->now, "one"));
	assert_true(view_of(&page)->now.has_hash && view_of(&page)->next.has_hash);
	assert_true(is_entry(&view_of(&page)->next, "two"));
	panel_says(socket, "{\"queued\":1}");
	panel_says(socket, "{\"displaying\":1}");
	assert_int_equal(page.views, 2);
	assert_true(is_entry(&view_of(&page)->now, "two"));
	/* A second page finds this state. No other worker watches, so no hint is sent. */
	open_page(&second, device);
	assert_non_null(view_of(&second));
	assert_int_equal(sent("shows", device), 0);
	close_page(&page);
	close_page(&second);
}

SCENE(what_others_hold_is_told_by_hints)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	assert_int_equal(sent("watch", device), 1);
	assert_null(view_of(&page));
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	assert_int_equal(page.views, 1);
	assert_true(is_entry(&view_of(&page)->now, "one"));
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one"); /* repeated */
	assert_int_equal(page.views, 1);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "two");
	assert_int_equal(page.views, 2);
	/* Renewed long before the lease of 30 s ends. */
	pass_ms(12 * 1000);
	assert_int_equal(sent("watch", device), 1);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "two");
	pass_ms(12 * 1000);
	assert_int_equal(sent("watch", device), 1);
	close_page(&page);
	pass_ms(60 * 1000);
	assert_int_equal(sent("watch", device), 0);
}

SCENE(where_nobody_answers_it_is_offline)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	pass_ms(1500);
	answer_last_online(device, 1000);
	assert_int_equal(page.views, 1);
	assert_int_equal(view_of(&page)->connection, SHOWN_OFFLINE);
	assert_int_equal(view_of(&page)->last_online_us, 1000);
	/* A repetition is not reported, another time is. */
	pass_ms(12 * 1000);
	answer_last_online(device, 1000);
	assert_int_equal(page.views, 1);
	pass_ms(24 * 1000);
	answer_last_online(device, 2000);
	assert_int_equal(page.views, 2);
	/* A late answer still counts. */
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	assert_int_equal(view_of(&page)->connection, SHOWN_WEB_SOCKET);
	close_page(&page);
}

SCENE(a_holder_that_died_is_missed)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	sent("watch", device);
	pass_ms(12 * 1000);
	/* The state is requested once more; the first answer counts. */
	pass_ms(1500);
	assert_int_equal(sent("watch", device), 2);
	other_shows(device, THIRD, SHOWN_POLLING, 1, "two");
	assert_true(is_entry(&view_of(&page)->now, "two"));
	pass_ms(12 * 1000);
	pass_ms(3000);
	answer_last_online(device, 3000);
	assert_int_equal(view_of(&page)->connection, SHOWN_OFFLINE);
	close_page(&page);
}

SCENE(a_holder_that_lost_its_panel_says_so)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	sent("watch", device);
	hint("shows:%s:%s:0:0:0:0:0:0:0:::0::", name_of(device->id), THIRD);
	run_turns();
	assert_int_equal(sent("watch", device), 0); /* it did not have the panel */
	hint("shows:%s:%s:0:0:0:0:0:0:0:::0::", name_of(device->id), OTHER);
	run_turns();
	/* The panel may already be elsewhere: until that is known, the page shows the old state. */
	assert_int_equal(sent("watch", device), 1);
	assert_int_equal(page.views, 1);
	other_shows(device, THIRD, SHOWN_WEB_SOCKET, 1, "one");
	pass_ms(1500);
	assert_int_equal(asked_count(STATEMENT_DEVICES_LAST_ONLINE), 0);
	assert_int_equal(view_of(&page)->connection, SHOWN_WEB_SOCKET);
	close_page(&page);
}

SCENE(the_newest_link_counts_and_links_before_polls)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	other_shows(device, OTHER, SHOWN_POLLING, 5, "polled");
	other_shows(device, THIRD, SHOWN_POLLING, 4, "older");
	assert_true(is_entry(&view_of(&page)->now, "polled"));
	other_shows(device, THIRD, SHOWN_POLLING, 6, "newer");
	assert_true(is_entry(&view_of(&page)->now, "newer"));
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 1, "link");
	other_shows(device, THIRD, SHOWN_POLLING, 9, "polled");
	assert_true(is_entry(&view_of(&page)->now, "link"));
	close_page(&page);
}

SCENE(pages_of_others_are_told_while_they_watch)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	/* No page watches. */
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	assert_int_equal(sent("shows", device), 0);
	hint("watch:%s:%s", name_of(device->id), OTHER);
	run_turns();
	assert_int_equal(sent("shows", device), 1);
	panel_says(socket, "{\"queued\":1}");
	assert_int_equal(sent("shows", device), 0); /* nothing that a page shows */
	panel_says(socket, "{\"displaying\":1}");
	assert_int_equal(sent("shows", device), 1);
	/* The next page requests again, and gets the same state. */
	hint("watch:%s:%s", name_of(device->id), THIRD);
	run_turns();
	assert_int_equal(sent("shows", device), 1);
	close_socket(socket);
	run_turns();
	assert_int_equal(sent("shows", device), 1); /* it has left */
	/* The panel comes back to this worker. */
	socket = connect_device(device);
	assert_int_equal(sent("came", device), 1);
	hint("watch:%s:%s", name_of(device->id), OTHER);
	run_turns();
	assert_true(sent("shows", device) > 0);
	pass_ms(36 * 1000);
	sent("shows", device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	assert_int_equal(sent("shows", device), 0);
}

SCENE(a_panel_that_polls_is_told_of)
{
	struct script_device *device = add_device();
	struct page page;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	open_page(&page, device);
	poll(device);
	run_turns();
	assert_int_equal(view_of(&page)->connection, SHOWN_POLLING);
	assert_false(view_of(&page)->is_acknowledged);
	assert_true(is_entry(&view_of(&page)->now, "one"));
	assert_true(is_entry(&view_of(&page)->next, "two"));
	poll(device);
	run_turns();
	assert_true(is_entry(&view_of(&page)->now, "two"));
	/* The panel stays away: 15 s and a minute of grace, and then nobody answers. */
	pass_ms(75 * 1000 + 10 * 1000);
	answer_all(STATEMENT_DEVICE_SEEN, DB_OK);
	answer_last_online(device, 1000);
	assert_int_equal(view_of(&page)->connection, SHOWN_OFFLINE);
	close_page(&page);
}

/* A hint about an earlier poll at another worker may arrive after the panel has polled elsewhere.
 */
SCENE(a_late_report_of_an_earlier_poll_does_not_count)
{
	const struct cursors *cursors = &served->cursors;
	const struct cursors other = {.table = cursors->table, .worker = cursors->worker + 1};
	const struct poll_cursor cursor = {.position = -1, .turns_seen = -1};
	struct script_device *device = add_device();
	char one[ID_TEXT_LENGTH + 1], second[ID_TEXT_LENGTH + 1];
	struct page page;

	id_format(cursors_name_worker(&other), one);
	id_format(cursors_name_worker(&other), second);
	cursor_set(&other, device->id, &cursor, &(struct cursor_moment){.wall_us = 6});
	open_page(&page, device);
	other_shows(device, one, SHOWN_POLLING, 5, "earlier");
	assert_null(view_of(&page));
	other_shows(device, second, SHOWN_POLLING, 6, "last");
	assert_true(is_entry(&view_of(&page)->now, "last"));
	other_shows(device, OTHER, SHOWN_POLLING, 7, "elsewhere");
	assert_true(is_entry(&view_of(&page)->now, "elsewhere"));
	close_page(&page);
	/* The clock of another instance may be behind. */
	open_page(&page, device);
	other_shows(device, OTHER, SHOWN_POLLING, 5, "elsewhere");
	assert_non_null(view_of(&page));
	close_page(&page);
}

SCENE(while_hints_have_no_room_nothing_is_lost)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	struct page page;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	hint("watch:%s:%s", name_of(device->id), OTHER);
	run_turns();
	sent("shows", device);
	set_hint_room(LIMIT_HINT_BYTES / 2 - 1);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	device = add_device();
	open_page(&page, device);
	pass_ms(100);
	assert_int_equal(sent("watch", device), 0);
	set_hint_room(LIMIT_HINT_BYTES);
	pass_ms(100);
	assert_int_equal(sent("watch", device), 1);
	close_page(&page);
}

SCENE(an_account_has_its_share_of_watches)
{
	enum { WATCHES = 16 };
	struct page pages[WATCHES];
	struct id other = {.bytes = {8}};
	struct page page;
	unsigned count = 0;

	delivery_set_limits(served, &(struct delivery_limits){.subscriptions = WATCHES});
	while (try_open(&pages[count], id_of(1000 + count), account))
		count++;
	assert_int_equal(count, WATCHES / 2);
	/* A device that is already watched needs no room, and another account still has some. */
	assert_true(try_open(&page, id_of(1000), account));
	close_page(&page);
	assert_true(try_open(&page, id_of(500), other));
	close_page(&page);
	for (unsigned i = 0; i < count; i++)
		close_page(&pages[i]);
}

SCENE(a_holder_that_says_it_is_here_needs_no_renewal)
{
	struct script_device *device = add_device();
	struct page page;
	unsigned count = 0;

	open_page(&page, device);
	hint("here:%s", OTHER);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	sent("watch", device);
	for (unsigned i = 0; i < 600; i++) {
		pass_ms(1000);
		hint("here:%s", OTHER);
		if (!sent("watch", device))
			continue;
		count++;
		other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	}
	assert_in_range(count, 1, 4);
	assert_int_equal(view_of(&page)->connection, SHOWN_WEB_SOCKET);
	/* It is not heard any more. */
	pass_ms(24 * 1000);
	answer_last_online(device, 3000);
	assert_int_equal(view_of(&page)->connection, SHOWN_OFFLINE);
	close_page(&page);
	assert_int_equal(sent("unwatch", device), 1);
}

SCENE(a_panel_that_comes_is_asked_for)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	pass_ms(1500);
	answer_last_online(device, 1000);
	sent("watch", device);
	hint("came:%s:%s", name_of(device->id), OTHER);
	assert_int_equal(sent("watch", device), 1);
	/* A worker has hints again: only panels that are missing are looked for. */
	pass_ms(1500);
	answer_last_online(device, 1000);
	sent("watch", device);
	hint("came:%s:%s", name_of((struct id){0}), THIRD);
	pass_ms(500);
	assert_int_equal(sent("watch", device), 1);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	hint("came:%s:%s", name_of((struct id){0}), THIRD);
	pass_ms(500);
	assert_int_equal(sent("watch", device), 0);
	close_page(&page);
}

SCENE(after_hints_were_lost_all_is_asked_again)
{
	struct script_device *device = add_device();
	struct page page;

	open_page(&page, device);
	other_shows(device, OTHER, SHOWN_WEB_SOCKET, 5, "one");
	sent("watch", device);
	set_hints_up(false);
	pass_ms(60 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICES_LAST_ONLINE), 0);
	assert_int_equal(view_of(&page)->connection, SHOWN_WEB_SOCKET);
	set_hints_up(true);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	pass_ms(500);
	assert_int_equal(sent("watch", device), 1);
	close_page(&page);
}

SCENE(changes_are_told)
{
	struct script_device *device = add_device();
	struct script_device *other = add_device();
	struct page page;

	open_page(&page, device);
	hint("push:%s:5", name_of(device->id));
	assert_int_equal(page.rotations, 1);
	hint("device:%s:6", name_of(device->id));
	hint("device:%s:6", name_of(other->id));
	hint("device:%s", name_of(device->id));
	assert_int_equal(page.settings, 1);
	assert_int_equal(page.rotations, 2);
	close_page(&page);
}

SCENE(a_name_that_was_told_outlives_its_picture)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	struct page page;
	uint8_t hash[PICTURE_HASH_BYTES];

	add_installation(device, "one", "first");
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	open_page(&page, device);
	memcpy(hash, view_of(&page)->now.hash, sizeof(hash));
	picture_hash(STR("first"), hash);
	assert_memory_equal(view_of(&page)->now.hash, hash, sizeof(hash));
	/* The entry gets another picture in the background: the panel still shows the old one. */
	device->installations[0].picture = "another";
	device->installations[0].generation = ++device->generation;
	delivery_device_changed(served, device->id, device->generation);
	answer_loads();
	assert_memory_equal(view_of(&page)->now.hash, hash, sizeof(hash));
	picture_hash(STR("another"), hash);
	assert_memory_equal(view_of(&page)->next.hash, hash, sizeof(hash));
	close_page(&page);
}

RUN_TESTS(NULL, NULL)
