/* Reads many devices from a file, and collects all faults with their lines.
 *
 *   name,serial,mac,account      the first row names the columns, in any order; name is required
 *   Kitchen,S-1,,ada@example.org */
#pragma once

#include "ctl/ctl.h"
#include "domain/device_lines.h"
#include "domain/device_reference.h"
#include "domain/key.h"

enum { CTL_DEVICE_FILE_BYTES_MAX = 4 * 1024 * 1024 };

struct device_wish {
	unsigned line;
	struct id id;
	struct str account;
	struct str name;
	struct str serial; /* empty: none */
	struct str mac;	   /* empty: none; in normal form */
	char key[LINK_KEY_LENGTH + 1];
	char key_hash[2 * KEY_HASH_BYTES + 1]; /* in hexadecimal */
};

struct device_fault {
	unsigned line;
	unsigned number; /* position among the faults, in the order of finding */
	struct str text;
};

struct device_file {
	const char *path;
	struct arena *arena;
	struct device_wish *wishes;
	unsigned count;
	struct device_fault *faults;
	unsigned fault_count;
};

/* Reads the file. account: for rows without one. Returns CTL_DONE, also if rows have faults; else
 * another code after printing the reason. Free ret with device_file_finish() in either case. */
enum ctl_exit device_file_read(struct ctl *ctl, const char *path, struct str account,
			       struct device_file *ret);
/* Prints all faults to stderr, ordered by line. Returns CTL_DONE if there are none, else CTL_USAGE.
 */
enum ctl_exit device_file_end(struct device_file *file);
void device_file_finish(struct device_file *file);

/* Adds a fault of a line. */
__attribute__((format(printf, 3, 4))) void
device_file_fault(struct device_file *file, unsigned line, const char *format, ...);
