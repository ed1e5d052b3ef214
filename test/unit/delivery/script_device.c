#include "panel_rows.h"
#include "script.h"

enum { DEVICES_MAX = 300 };

static struct script_device devices[DEVICES_MAX];
static unsigned device_count;

void forget_devices(void)
{
	device_count = 0;
}

struct id id_of(unsigned number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	id.bytes[15] = 1;
	return id;
}

struct script_device *add_device(void)
{
	struct script_device *device = &devices[device_count];

	assert_true(device_count < DEVICES_MAX);
	*device = (struct script_device){.id = id_of(++device_count),
					 .key = "key-of-panel-1234567890",
					 .generation = 1,
					 .brightness = 60,
					 .interval_s = 15};
	return device;
}

void add_installation(struct script_device *device, const char *id, const char *picture)
{
	device->generation++;
	device->installations[device->installation_count++] = (struct script_installation){
	    .id = id,
	    .position = device->generation,
	    .generation = device->generation,
	    .picture = picture,
	};
}

void add_app(struct script_device *device, const char *id, const struct script_app *app)
{
	add_installation(device, id, NULL);
	device->installations[device->installation_count - 1].app = app;
}

static const struct script_device *device_of(struct id id)
{
	for (unsigned i = 0; i < device_count; i++) {
		if (id_equal(devices[i].id, id) && !devices[i].is_gone)
			return &devices[i];
	}
	return NULL;
}

/* PostgreSQL counts timestamps from 2000. */
static void add_timestamp(int64_t wall_us)
{
	add_integer(wall_us - INT64_C(946684800) * 1000000);
}

static bool is(const char *column, const char *name)
{
	return strcmp(column, name) == 0;
}

/* NULL: no picture newer than the known one. */
static const char *new_picture(const struct script_device *device, int64_t known)
{
	return device->push.generation > known ? device->push.picture : NULL;
}

static void add_push_column(const struct script_device *device, const char *column,
			    const char *picture)
{
	if (device->push.generation == 0)
		add_null();
	else if (is(column, "push_generation"))
		add_integer(device->push.generation);
	else if (is(column, "push_installation_id"))
		add_value_text(device->push.installation);
	else if (is(column, "push_picture"))
		add_value_text(picture);
	else if (is(column, "push_duration_s"))
		add_integer(device->push.duration_s);
	else if (is(column, "push_created_at"))
		add_timestamp(device->push.created_us);
	else if (device->push.displayed_us)
		add_timestamp(device->push.displayed_us);
	else
		add_null();
}

/* Returns false for other columns. */
static bool add_sleep_column(const struct script_device *device, const char *column)
{
	if (is(column, "sleep_enabled"))
		add_bool(device->sleep_end_minute != 0);
	else if (is(column, "sleep_start_minute"))
		add_integer(device->sleep_start_minute);
	else if (is(column, "sleep_end_minute"))
		add_integer(device->sleep_end_minute);
	else
		return false;
	return true;
}

/* Neither sleep nor dimming was set. Returns false for other columns. */
static bool add_set_column(const char *column)
{
	if (is(column, "is_sleep_set") || is(column, "is_set_asleep") || is(column, "is_dim_set") ||
	    is(column, "is_set_dimmed"))
		add_bool(false);
	else if (is(column, "sleep_set_until") || is(column, "dim_set_until"))
		add_null();
	else
		return false;
	return true;
}

static void add_key_hash(const char *key)
{
	uint8_t hash[KEY_HASH_BYTES];

	key_hash(str_from(key), hash);
	add_bytes(hash, sizeof(hash));
}

/* Returns false for other columns. */
static bool add_way_column(const struct script_device *device, const char *column)
{
	if (is(column, "link_key_hash"))
		add_key_hash(device->key);
	else if (is(column, "second_key_hash") && device->second_key)
		add_key_hash(device->second_key);
	else if (is(column, "alias"))
		add_value_text(device->alias);
	else if (is(column, "order_generation") && device->order_generation)
		add_integer(device->order_generation);
	else if (is(column, "is_alias_open"))
		add_bool(device->alias);
	else if (is(column, "is_alias_guessable"))
		add_bool(false);
	else if (is(column, "alias_key_hash") || is(column, "second_key_hash") ||
		 is(column, "order_generation"))
		add_null();
	else
		return false;
	return true;
}

static void add_device_column(const struct script_device *device, const char *column,
			      unsigned number, const char *picture)
{
	if (is(column, "is_push_held") || is(column, "is_push_waking"))
		add_bool(false);
	else if (strncmp(column, "push_", 5) == 0)
		add_push_column(device, column, picture);
	else if (is(column, "pinned_installation_id") || is(column, "board") ||
		 is(column, "firmware_generation") || is(column, "leader_id"))
		add_null();
	else if (is(column, "own_brightness") || is(column, "own_sleep"))
		add_bool(false);
	else if (is(column, "size"))
		add_value_text("64x32");
	else if (is(column, "brightness_curve") || is(column, "place_json") ||
		 is(column, "plan_json"))
		add_value_text("");
	else if (is(column, "night_installation_id"))
		add_value_text(device->night);
	else if (is(column, "turned_at"))
		add_null();
	else if (add_set_column(column) || add_sleep_column(device, column) ||
		 add_way_column(device, column))
		return;
	else if (is(column, "number"))
		add_integer(number);
	else if (is(column, "id"))
		add_bytes(device->id.bytes, ID_BYTES);
	else if (is(column, "account_id"))
		add_bytes(id_of(1000 * 1000 + device->account).bytes, ID_BYTES);
	else if (is(column, "name"))
		add_value_text("Panel");
	else if (is(column, "is_disabled"))
		add_bool(device->is_disabled);
	else if (is(column, "has_connected"))
		add_bool(!device->is_new);
	else if (is(column, "generation"))
		add_integer(device->generation);
	else if (is(column, "brightness"))
		add_integer(device->brightness);
	else if (is(column, "timezone"))
		add_value_text("UTC");
	else if (is(column, "schedule_interval_s"))
		add_integer(device->interval_s);
	else if (is(column, "auto_dim") || is(column, "dim_enabled") ||
		 is(column, "allows_own_key"))
		add_bool(false);
	else if (is(column, "night_brightness"))
		add_integer(10);
	else
		add_integer(0); /* volume, and counts of minutes or microseconds */
}

static void add_device_row(const struct script_device *device, enum statement statement,
			   unsigned number, const char *picture, bool repeats_picture)
{
	for (unsigned i = 0; i < statements[statement].column_count; i++) {
		const char *column = statements[statement].column_names[i];

		if (is(column, "repeats_picture"))
			add_bool(repeats_picture);
		else
			add_device_column(device, column, number, repeats_picture ? NULL : picture);
	}
}

static void answer_devices(struct db_query *query)
{
	struct id ids[64];
	int64_t known[64];
	unsigned count = id_array(query, 0, ids);
	const char *before = NULL;

	int8_array(query, 1, known);
	begin_rows(statements[STATEMENT_PANEL_LOAD].column_count);
	for (unsigned i = 0; i < count; i++) {
		const struct script_device *device = device_of(ids[i]);
		const char *picture;

		if (!device)
			continue;
		picture = new_picture(device, known[i]);
		add_device_row(device, STATEMENT_PANEL_LOAD, i + 1, picture,
			       picture && before && strcmp(picture, before) == 0);
		before = picture;
	}
	answer(query);
}

static const struct script_installation *pushed_installation(const struct script_device *device)
{
	for (unsigned i = 0; i < device->installation_count; i++) {
		if (device->installations[i].generation == device->generation)
			return &device->installations[i];
	}
	return NULL;
}

static void add_push_row(const struct script_device *device, unsigned number)
{
	const struct script_installation *installation = pushed_installation(device);

	add_integer(number);
	add_integer(device->generation);
	add_value_text(installation ? installation->id : NULL);
	add_value_text(installation ? installation->picture : device->push.picture);
	add_bool(false); /* repeats_picture */
	add_integer(installation ? 0 : device->push.duration_s);
	add_bool(device->push.generation != device->generation);
	add_bool(false); /* is_held */
	add_bool(false); /* is_waking */
	add_integer(0);	 /* expires_in_ms */
}

/* Answers for devices with nothing new but a push. */
static void answer_pushes(struct db_query *query)
{
	struct id ids[64];
	int64_t known[64];
	unsigned count = id_array(query, 0, ids);

	int8_array(query, 1, known);
	begin_rows(statements[STATEMENT_PANEL_PUSHES].column_count);
	for (unsigned i = 0; i < count; i++) {
		const struct script_device *device = device_of(ids[i]);

		if (device && device->generation == known[i] + 1 &&
		    (device->push.generation == device->generation || pushed_installation(device)))
			add_push_row(device, i + 1);
	}
	answer(query);
}

/* Adds a column of the app, as in rows of installations and of render keys. Returns false if it is
 * not a column of an app. */
static bool add_app_column(const struct script_app *app, const char *column)
{
	if (is(column, "render_key"))
		add_bytes(app->render_key, sizeof(app->render_key));
	else if (is(column, "app_id"))
		add_bytes(app->app_id.bytes, ID_BYTES);
	else if (is(column, "version_id") && id_is_none(app->version_id))
		add_null();
	else if (is(column, "version_id"))
		add_bytes(app->version_id.bytes, ID_BYTES);
	else if (is(column, "app_generation"))
		add_integer(app->generation);
	else if (is(column, "render_generation"))
		add_integer(app->render_generation);
	else if (is(column, "picture_generation"))
		add_integer(app->picture_generation);
	else if (is(column, "has_nothing"))
		add_bool(app->has_nothing);
	else if (is(column, "is_whole"))
		add_bool(app->is_whole);
	else if (is(column, "due_in_ms"))
		add_integer(app->due_in_ms);
	else if (is(column, "is_each_turn"))
		add_bool(app->is_each_turn);
	else if (is(column, "moment_s"))
		add_integer(app->moment_s);
	else
		return false;
	return true;
}

static void add_pushed_column(const char *column)
{
	if (is(column, "render_key") || is(column, "app_id") || is(column, "version_id"))
		add_null();
	else if (is(column, "has_nothing") || is(column, "is_whole") || is(column, "is_each_turn"))
		add_bool(false);
	else
		add_integer(0); /* generations, and when it is due */
}

/* Adds the options of an installation that is always enabled, at all hours. Returns false if it is
 * not a column of the owner's options. */
static bool add_option_column(const char *column)
{
	if (is(column, "is_enabled"))
		add_bool(true);
	else if (is(column, "has_hours") || is(column, "plays_whole") || is(column, "pins_itself"))
		add_bool(false);
	else if (is(column, "color_filter"))
		add_value_text("inherit");
	else if (is(column, "display_s") || is(column, "start_minute") ||
		 is(column, "end_minute") || is(column, "recurrence_from") ||
		 is(column, "recurrence_days"))
		add_null();
	else if (is(column, "weekdays"))
		add_integer(WEEKDAYS_ALL);
	else
		return false;
	return true;
}

static void add_installation_column(const struct script_installation *installation,
				    const char *column, unsigned number, int64_t known)
{
	if (is(column, "number"))
		add_integer(number);
	else if (is(column, "id"))
		add_value_text(installation->id);
	else if (is(column, "position"))
		add_integer(installation->position);
	else if (is(column, "recurrence_from") && installation->recurs_from)
		add_integer(installation->recurs_from);
	else if (add_option_column(column) ||
		 (installation->app && add_app_column(installation->app, column)))
		return;
	else if (is(column, "picture_generation"))
		add_integer(installation->generation);
	else if (is(column, "picture"))
		add_value_text(installation->generation > known ? installation->picture : NULL);
	else
		add_pushed_column(column);
}

void answer_places(const struct script_app *app)
{
	const struct statement_entry *entry = &statements[STATEMENT_RENDER_KEYS];
	struct db_query *query = asked(STATEMENT_RENDER_KEYS);
	int64_t known[64];
	unsigned count = int8_array(query, 1, known);

	begin_rows(entry->column_count);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < entry->column_count; j++) {
			const char *column = entry->column_names[j];

			if (is(column, "number"))
				add_integer(i + 1);
			else if (is(column, "picture"))
				add_value_text(known[i] == app->picture_generation ? NULL
										   : app->picture);
			else
				assert_true(add_app_column(app, column));
		}
	}
	answer(query);
	run_turns();
}

static void answer_installations(struct db_query *query)
{
	const struct statement_entry *entry = &statements[STATEMENT_PANEL_INSTALLATIONS];

	struct id ids[64];
	int64_t known[64];
	unsigned count = id_array(query, 0, ids);

	int8_array(query, 1, known);
	begin_rows(entry->column_count);
	for (unsigned i = 0; i < count; i++) {
		const struct script_device *device = device_of(ids[i]);

		for (unsigned j = 0; device && j < device->installation_count; j++) {
			for (unsigned k = 0; k < entry->column_count; k++)
				add_installation_column(&device->installations[j],
							entry->column_names[k], i + 1, known[i]);
		}
	}
	answer(query);
}

void answer_load(void)
{
	if (asked_count(STATEMENT_PANEL_PUSHES)) {
		answer_pushes(asked(STATEMENT_PANEL_PUSHES));
		return;
	}
	answer_devices(asked(STATEMENT_PANEL_LOAD));
	answer_installations(asked(STATEMENT_PANEL_INSTALLATIONS));
}

void fail_load(void)
{
	if (asked_count(STATEMENT_PANEL_PUSHES)) {
		answer_nothing(asked(STATEMENT_PANEL_PUSHES), DB_UNAVAILABLE);
		return;
	}
	answer_nothing(asked(STATEMENT_PANEL_LOAD), DB_UNAVAILABLE);
	answer_nothing(asked(STATEMENT_PANEL_INSTALLATIONS), DB_UNAVAILABLE);
}

unsigned loads_asked(void)
{
	run_turns();
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD),
			 asked_count(STATEMENT_PANEL_INSTALLATIONS));
	return asked_count(STATEMENT_PANEL_LOAD) + asked_count(STATEMENT_PANEL_PUSHES);
}

void answer_loads(void)
{
	while (loads_asked())
		answer_load();
	run_turns();
}
