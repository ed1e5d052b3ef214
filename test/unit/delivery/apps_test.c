/* Entries of apps: a render reaches all panels of a worker at once, renders are requested shortly
 * before the entry's turn, and nothing removes a picture. */
#include "panels.h"
#include "served.h"

static struct script_app clock_app;
static struct upcoming_app demanded;
static unsigned demands;

static void on_due(struct upcoming_subscriber *subscriber, const struct upcoming_app *app)
{
	(void)subscriber;
	demanded = *app;
	demands++;
}

static struct upcoming_subscriber subscriber = {.on_due = on_due};

static int begin(void **state)
{
	serve_begin(state);
	clock_app = (struct script_app){
	    .render_key = "the place of a clock in Zagreb..",
	    .app_id = id_of(500),
	    .version_id = id_of(501),
	    .generation = 1,
	};
	demands = 0;
	delivery_subscribe_upcoming(served, &subscriber);
	return 0;
}

static int end(void **state)
{
	answer_all(STATEMENT_RENDER_KEYS_STALE, DB_UNAVAILABLE);
	answer_all(STATEMENT_RENDER_KEYS, DB_UNAVAILABLE);
	return serve_end(state);
}

static const char place_text[] = "74686520706c616365206f66206120636c6f636b20696e205a61677265622e2e";

/* A new render has this picture; other workers learn it by a hint. */
static void render(const char *picture)
{
	clock_app.picture = picture;
	clock_app.has_nothing = !picture;
	clock_app.due_in_ms = 60 * 1000;
	clock_app.render_generation++;
	if (picture)
		clock_app.picture_generation = clock_app.render_generation;
	hint("render:%s:%lld", place_text, (long long)clock_app.render_generation);
	run_turns();
}

static unsigned demands_since(void)
{
	unsigned count = demands;

	demands = 0;
	return count;
}

#define SCENE(function) TEST_IN(function, begin, end)

SCENE(a_new_app_is_demanded_at_once_and_shown_when_it_comes)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	assert_int_equal(demands_since(), 1);
	assert_memory_equal(demanded.render_key, clock_app.render_key, RENDER_KEY_BYTES);
	assert_true(id_equal(demanded.version_id, clock_app.version_id));
	assert_true(id_equal(demanded.account_id, id_of(1000 * 1000)));
	sent_to(socket);
	render("12:00");
	answer_places(&clock_app);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <12:00> {\"immediate\":true} ");
	assert_int_equal(demands_since(), 0);
}

SCENE(a_demand_is_repeated_while_nothing_comes)
{
	struct script_device *device = add_device();

	add_app(device, "clock", &clock_app);
	connect_device(device);
	pass_ms(4900);
	assert_int_equal(demands_since(), 1);
	pass_ms(200);
	assert_int_equal(demands_since(), 1);
}

SCENE(many_panels_have_one_demand_and_one_read)
{
	struct script_socket *sockets[5];

	for (unsigned i = 0; i < array_length(sockets); i++) {
		struct script_device *device = add_device();

		add_app(device, "clock", &clock_app);
		sockets[i] = connect_device(device);
		sent_to(sockets[i]);
	}
	assert_int_equal(demands_since(), 1);
	render("12:00");
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS), 1);
	answer_places(&clock_app);
	for (unsigned i = 0; i < array_length(sockets); i++)
		assert_string_equal(sent_to(sockets[i]),
				    "{\"dwell_secs\":15} <12:00> {\"immediate\":true} ");
	assert_int_equal(asked_count(STATEMENT_PANEL_PICTURE), 0);
}

SCENE(it_is_rendered_again_shortly_before_its_turn)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} {\"brightness\":60} <first> ");
	assert_int_equal(demands_since(), 1); /* never rendered, so at once */
	render("12:00");
	answer_places(&clock_app);
	pass_ms(15 * 1000);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <12:00> ");
	/* The picture is shown now, and valid for a minute. */
	pass_ms(44 * 1000);
	assert_int_equal(demands_since(), 0);
	pass_ms(10 * 1000);
	assert_int_equal(demands_since(), 1);
}

static int64_t turn_of(int64_t seconds)
{
	return script_wall_us() / 1000000 + seconds;
}

/* Renders for that moment. */
static void render_for(const char *picture, int64_t moment_s)
{
	clock_app.is_each_turn = true;
	clock_app.moment_s = moment_s;
	render(picture);
	clock_app.due_in_ms = 0;
	answer_places(&clock_app);
}

SCENE(each_turn_has_a_render_of_its_own)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	int64_t begin_s = turn_of(0);

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	assert_int_equal(demands_since(), 1);
	render_for("0", demanded.moment_s);
	for (int i = 1; i <= 20; i++) {
		char text[24];

		pass_ms(6 * 1000);
		assert_int_equal(demands_since(), 1);
		assert_true(demanded.is_each_turn);
		assert_in_range(demanded.moment_s, begin_s + 15 * i, begin_s + 15 * i + 1);
		snprintf(text, sizeof(text), "%d", i);
		sent_to(socket);
		render_for(text, demanded.moment_s);
		pass_ms(9 * 1000);
		assert_non_null(strstr(sent_to(socket), text));
		assert_int_equal(demands_since(), 0);
	}
}

SCENE(a_turn_that_comes_late_shows_the_last_picture)
{
	struct script_device *device = add_device();
	int64_t moment_s;

	add_app(device, "clock", &clock_app);
	connect_device(device);
	render_for("0", demanded.moment_s);
	pass_ms(15 * 1000);
	moment_s = demanded.moment_s;
	assert_true(demands_since() > 1); /* without an answer: again, for the same turn */
	pass_ms(3 * 1000);
	assert_int_equal(demands_since(), 0);
	pass_ms(3 * 1000);
	assert_int_equal(demands_since(), 1);
	assert_in_range(demanded.moment_s, moment_s + 14, moment_s + 16);
}

SCENE(panels_of_one_place_have_turns_of_their_own)
{
	struct script_device *devices[2] = {add_device(), add_device()};
	struct script_socket *sockets[2];
	int64_t moments[2];

	for (int i = 0; i < 2; i++) {
		add_app(devices[i], "clock", &clock_app);
		sockets[i] = connect_device(devices[i]);
		if (i == 0)
			render_for("0", demanded.moment_s);
		sent_to(sockets[i]);
		pass_ms(i == 0 ? 2000 : 0);
	}
	demands_since();
	pass_ms(5500);
	assert_int_equal(demands_since(), 2);
	moments[1] = demanded.moment_s;
	moments[0] = moments[1] - 2;
	sent_to(sockets[0]);
	sent_to(sockets[1]);
	render_for("first", moments[0]);
	render_for("second", moments[1]);
	pass_ms(9500);
	assert_non_null(strstr(sent_to(sockets[0]), "<first>"));
	assert_non_null(strstr(sent_to(sockets[1]), "<second>"));
}

SCENE(an_app_with_nothing_to_show_is_passed_over)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	clock_app.picture_generation = clock_app.render_generation = 1;
	add_installation(device, "one", "first");
	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	sent_to(socket);
	render(NULL);
	answer_places(&clock_app);
	pass_ms(120 * 1000);
	assert_null(strstr(sent_to(socket), "dwell_secs"));
	assert_true(demands_since() >= 1); /* until it has a picture */
	render("12:02");
	answer_places(&clock_app);
	pass_ms(15 * 1000);
	assert_non_null(strstr(sent_to(socket), "<12:02>"));
}

SCENE(a_deployed_version_is_demanded_and_the_old_picture_stays)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	render("12:00");
	answer_places(&clock_app);
	sent_to(socket);
	demands_since();
	clock_app.version_id = id_of(502);
	clock_app.generation = 2;
	clock_app.render_generation = 0;
	clock_app.due_in_ms = 0;
	hint("app:00000000-0000-0000-0000-000000000000:2");
	run_turns();
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS), 0); /* another app */
	hint("app:f4010000-0000-0000-0000-000000000001:2");
	run_turns();
	answer_places(&clock_app);
	assert_int_equal(demands_since(), 1);
	assert_true(id_equal(demanded.version_id, id_of(502)));
	pass_ms(60 * 1000);
	assert_string_equal(sent_to(socket), "");
}

SCENE(settings_that_were_changed_leave_the_old_picture)
{
	static struct script_app elsewhere;
	struct script_device *device = add_device();
	struct script_socket *socket;
	char id[ID_TEXT_LENGTH + 1];

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	render("12:00");
	answer_places(&clock_app);
	sent_to(socket);
	elsewhere = (struct script_app){.render_key = "the place of a clock in Vienna..",
					.app_id = id_of(500),
					.version_id = id_of(501),
					.generation = 1};
	device->installations[0].app = &elsewhere;
	device->generation++;
	id_format(device->id, id);
	demands_since();
	hint("device:%s:%lld", id, (long long)device->generation);
	answer_loads();
	assert_int_equal(demands_since(), 1);
	assert_memory_equal(demanded.render_key, elsewhere.render_key, RENDER_KEY_BYTES);
	pass_ms(30 * 1000);
	assert_string_equal(sent_to(socket), "");
}

SCENE(dark_and_offline_panels_cost_nothing)
{
	struct script_device *dark = add_device();
	struct script_device *offline = add_device();
	struct script_device *disabled = add_device();

	dark->brightness = 0;
	add_app(dark, "clock", &clock_app);
	connect_device(dark);
	add_app(offline, "clock", &clock_app);
	connect_device(offline);
	demands_since();
	close_sockets();
	clock_app.version_id = (struct id){0}; /* or the app */
	add_app(disabled, "clock", &clock_app);
	connect_device(disabled);
	pass_ms(600 * 1000);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	assert_int_equal(demands_since(), 0);
}

SCENE(what_is_shown_in_the_morning_is_rendered_before)
{
	struct script_device *device = add_device();

	device->sleep_start_minute = 11 * 60; /* it is 12:00 */
	device->sleep_end_minute = 12 * 60 + 20;
	clock_app.picture_generation = clock_app.render_generation = 1;
	clock_app.picture = "yesterday";
	add_app(device, "clock", &clock_app);
	connect_device(device);
	answer_places(&clock_app);
	pass_ms((20 * 60 - 15) * 1000);
	assert_int_equal(demands_since(), 0);
	pass_ms(7 * 1000);
	assert_true(demands_since() >= 1);
}

SCENE(a_night_entry_without_a_picture_is_demanded_again)
{
	struct script_device *device = add_device();

	device->sleep_start_minute = 12 * 60 + 1;
	device->sleep_end_minute = 12 * 60 + 50;
	device->night = "clock";
	add_installation(device, "one", "first");
	add_app(device, "clock", &clock_app);
	connect_device(device);
	pass_ms(120 * 1000);
	demands_since();
	pass_ms(21 * 1000);
	assert_in_range(demands_since(), 4, 5);
}

SCENE(a_panel_that_polls_gets_it_too)
{
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	add_app(device, "clock", &clock_app);
	assert_string_equal(poll(device), "first 15");
	assert_int_equal(demands_since(), 1);
	render("12:00");
	answer_places(&clock_app);
	assert_string_equal(poll(device), "12:00 15");
	assert_string_equal(poll(device), "first 15");
	pass_ms(600 * 1000); /* it has gone */
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	answer_all(STATEMENT_RENDER_KEYS, DB_UNAVAILABLE);
	assert_true(demands_since() <= 1);
}

/* Answers the oldest comparison: its first render keys, count of them, have changed. */
static void answer_stale(unsigned count)
{
	begin_rows(1);
	for (unsigned i = 1; i <= count; i++)
		add_integer(i);
	answer(asked(STATEMENT_RENDER_KEYS_STALE));
	run_turns();
}

SCENE(only_what_differs_is_read_again)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	int64_t known[4];

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	render("12:00");
	answer_places(&clock_app);
	sent_to(socket);
	pass_ms(110 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 0);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	assert_int_equal(int8_array(asked(STATEMENT_RENDER_KEYS_STALE), 2, known), 1);
	assert_int_equal(known[0], 1);
	answer_stale(0);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS), 0);
	clock_app.picture = "12:01"; /* and the hint is lost */
	clock_app.picture_generation = clock_app.render_generation = 2;
	pass_ms(120 * 1000);
	answer_stale(1);
	answer_places(&clock_app);
	pass_ms(15 * 1000);
	assert_non_null(strstr(sent_to(socket), "<12:01>"));
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
}

SCENE(a_comparison_keeps_no_hint_waiting)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_app(device, "clock", &clock_app);
	socket = connect_device(device);
	set_hints_up(false);
	set_hints_up(true);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	render("12:00");
	answer_places(&clock_app);
	assert_non_null(strstr(sent_to(socket), "<12:00>"));
	/* No other comparison is begun meanwhile. */
	set_hints_up(false);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	answer_stale(0);
	pass_ms(2000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	set_hints_up(true);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
}

SCENE(what_could_not_be_read_is_compared_soon)
{
	struct script_device *device = add_device();

	add_app(device, "clock", &clock_app);
	connect_device(device);
	render("12:00");
	answer_all(STATEMENT_RENDER_KEYS, DB_UNAVAILABLE);
	pass_ms(30 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	answer_all(STATEMENT_RENDER_KEYS_STALE, DB_UNAVAILABLE);
	pass_ms(30 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 1);
	answer_stale(0);
	pass_ms(30 * 1000);
	assert_int_equal(asked_count(STATEMENT_RENDER_KEYS_STALE), 0);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
}

RUN_TESTS(NULL, NULL)
