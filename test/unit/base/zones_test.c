#include "base/zones.h"

#include "../cmocka_test.h"
#include "../temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *zone;
	int64_t wall_s;
	int offset_s;
} vectors[] = {
#include "zone_vectors.h"
};

enum { VECTORS = sizeof(vectors) / sizeof(vectors[0]) };

TEST(offsets_are_those_of_python)
{
	assert_true(VECTORS > 40);
	for (unsigned i = 0; i < VECTORS; i++) {
		const struct zone *zone = zones_find(str_from(vectors[i].zone));

		assert_non_null(zone);
		assert_int_equal(zone_offset_s(zone, vectors[i].wall_s), vectors[i].offset_s);
	}
}

TEST(only_exact_names_are_known)
{
	static const char *const names[] = {
	    "",		  "Nowhere/Here",  "../../etc/passwd", "/etc/passwd",	"Europe",
	    "Europe/",	  "europe/zagreb", "posix/UTC",	       "right/UTC",	"localtime",
	    "Factory",	  "posixrules",	   "tzdata.zi",	       "Europe//Paris", "./UTC",
	    "Etc/../UTC", "CEST",	   "CET-1CEST"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(zones_find(str_from(names[i])));
	assert_non_null(zones_find(STR("UTC")));
	assert_non_null(zones_find(STR("US/Eastern")));
	assert_non_null(zones_find(STR("America/Argentina/Buenos_Aires")));
	assert_ptr_equal(zones_find(STR("Asia/Tokyo")), zones_find(STR("Asia/Tokyo")));
}

static int libc_offset_s(int64_t wall_s)
{
	time_t moment = (time_t)wall_s;
	struct tm local;

	localtime_r(&moment, &local);
	return (int)local.tm_gmtoff;
}

static void agree(const char *name, const struct zone *zone, int64_t wall_s)
{
	int ours_s = zone_offset_s(zone, wall_s), libc_s = libc_offset_s(wall_s);

	if (ours_s != libc_s)
		fail_msg("%s at %lld: %d, not %d", name, (long long)wall_s, ours_s, libc_s);
}

/* Compares from 1900 to 2100, at and beside every change that checks every 27 days can find. */
static void compare_with_libc(const char *name, const struct zone *zone)
{
	const int64_t first_s = -2208988800, last_s = 4102444800, step_s = 27 * 86400 + 4567;
	int before_s = libc_offset_s(first_s);

	for (int64_t s = first_s + step_s; s < last_s; s += step_s) {
		int now_s = libc_offset_s(s);

		agree(name, zone, s);
		if (now_s != before_s) {
			int64_t low = s - step_s, high = s;

			while (high - low > 1) {
				int64_t middle = low + (high - low) / 2;

				*(libc_offset_s(middle) == before_s ? &low : &high) = middle;
			}
			agree(name, zone, low);
			agree(name, zone, high);
		}
		before_s = now_s;
	}
}

/* Calls act for the name of every zone below the folder. */
static unsigned walk(const char *folder, const char *prefix)
{
	char path[600];
	unsigned found = 0;
	DIR *opened;
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/%s", folder, prefix);
	opened = opendir(path);
	assert_non_null(opened);
	while ((entry = readdir(opened))) {
		char name[300];
		struct stat status;
		const struct zone *zone;

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "posix") == 0 ||
		    strcmp(entry->d_name, "right") == 0)
			continue;
		snprintf(name, sizeof(name), "%.60s%.200s", prefix, entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (stat(path, &status) < 0)
			continue; /* localtime, if the system has none */
		zone = zones_find(str_from(name));
		if (S_ISDIR(status.st_mode)) {
			snprintf(name, sizeof(name), "%.60s%.200s/", prefix, entry->d_name);
			found += walk(folder, name);
		} else if (zone) {
			snprintf(path, sizeof(path), ":%s", name);
			setenv("TZ", path, 1);
			tzset();
			compare_with_libc(name, zone);
			found++;
		}
	}
	closedir(opened);
	return found;
}

TEST(all_zones_agree_with_libc)
{
	struct zones_count count = zones_load(ZONES_FOLDER);

	assert_true(count.loaded > 300);
	assert_int_equal(count.refused, 0);
	assert_int_equal(walk(ZONES_FOLDER, ""), count.loaded);
}

/* Checks all zones, one second before and after each change. */
TEST(changes_are_what_offsets_say)
{
	enum { MAX = 1000 };
	static const char *const names[] = {"UTC",
					    "Europe/Zagreb",
					    "America/New_York",
					    "Africa/Casablanca",
					    "Asia/Kathmandu",
					    "Pacific/Apia",
					    "Australia/Lord_Howe"};
	static const int64_t from_s = -2208988800, until_s = 4102444800;

	for (size_t z = 0; z < sizeof(names) / sizeof(*names); z++) {
		const struct zone *zone = zones_find(str_from(names[z]));
		struct zone_change changes[MAX];
		unsigned count = zone_changes(zone, from_s, until_s, changes, MAX);
		unsigned at = 0;

		assert_in_range(count, 1, MAX - 1);
		assert_int_equal(changes[0].at_s, from_s);
		for (int64_t wall_s = from_s; wall_s < until_s; wall_s += 12 * 3600 + 1) {
			while (at + 1 < count && changes[at + 1].at_s <= wall_s)
				at++;
			assert_int_equal(changes[at].offset_s, zone_offset_s(zone, wall_s));
		}
		for (unsigned i = 1; i < count; i++) {
			assert_int_equal(zone_offset_s(zone, changes[i].at_s), changes[i].offset_s);
			assert_int_equal(zone_offset_s(zone, changes[i].at_s - 1),
					 changes[i - 1].offset_s);
		}
		assert_int_equal(zone_changes(zone, from_s, until_s, changes, 1), 1);
	}
	assert_int_equal(zone_changes(NULL, 0, 10, (struct zone_change[1]){{0}}, 1), 1);
}

static void write_file(const char *folder, const char *name, const char *bytes, size_t length)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

TEST(malformed_files_are_counted)
{
	char folder[TEMPORARY_SIZE], inner[100], command[200], bytes[4096];
	struct zones_count count;
	FILE *utc = fopen(ZONES_FOLDER "/UTC", "r");
	size_t length = fread(bytes, 1, sizeof(bytes), utc);

	fclose(utc);
	assert_non_null(mkdtemp(temporary_path(folder, "zones")));
	snprintf(inner, sizeof(inner), "%s/In", folder);
	mkdir(inner, 0700);
	write_file(folder, "Whole", bytes, length);
	write_file(inner, "Whole", bytes, length);
	write_file(inner, "Half", bytes, length / 2);
	write_file(inner, "Text", "no zone", 7);
	write_file(inner, "Empty", "", 0);
	write_file(inner, "Dot.tab", bytes, length);
	snprintf(command, sizeof(command), "%s/Folder", inner);
	assert_int_equal(symlink("..", command), 0); /* an endless path */
	count = zones_load(folder);
	assert_true(count.loaded >= 2);
	assert_true(count.refused >= 1);
	assert_non_null(zones_find(STR("In/Whole")));
	assert_null(zones_find(STR("In/Half")));
	assert_null(zones_find(STR("In/Text")));
	assert_null(zones_find(STR("In/Dot.tab")));
	assert_null(zones_find(STR("Europe/Zagreb")));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	count = zones_load("/nowhere");
	assert_int_equal(count.loaded, 0);
	assert_null(zones_find(STR("UTC")));
}

TEST(names_are_sorted)
{
	unsigned count;
	const char *const *names;

	zones_load(ZONES_FOLDER);
	names = zones_names(&count);
	assert_true(count > 400);
	for (unsigned i = 0; i < count; i++) {
		assert_non_null(zones_find(str_from(names[i])));
		assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
	}
	zones_load("/nowhere");
	zones_names(&count);
	assert_int_equal(count, 0);
}

RUN_TESTS(NULL, NULL)
