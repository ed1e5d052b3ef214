/* Asks the server of the state directory as the operator (task/access.h), or the server of --server
 * (server/remote.h).
 *
 *   ctl_ask_rows() -> server_socket_ask()    repeated while the server starts or restarts
 *
 * If a request fails, the function has printed the reason, mostly in the server's words, and
 * returns the exit code: 2 for an invalid value, 3 for a missing object, 4 for a refused request, 5
 * without a server or a database, 1 for anything else. */
#pragma once

#include "ctl/server/text.h"
#include "domain/inventory.h"
#include "http/problem.h"

/* Message that replaces the server's for one kind of answer. */
struct ctl_sentence {
	int status;
	const struct problem_kind *problem; /* NULL: any of this status */
	struct str text; /* "%" stands for the request's subject; data NULL: print nothing */
};

enum { CTL_SENTENCES_MAX = 3 };

/* Message for a fault of a member of the body, if the name of its option does not fit. */
struct ctl_fault {
	const char *member;		    /* NULL: the end */
	const struct problem_kind *problem; /* NULL: any */
	enum ctl_exit code;
	struct str name; /* replaces the option's name before the detail */
	struct str text; /* replaces name and detail; data NULL: neither */
};

/* Header field to read from an answer. */
struct ctl_field {
	const char *name; /* NULL: the end */
	struct str value; /* in the arena; data NULL: not in the answer */
};

struct ctl_request {
	const char *method; /* NULL: GET */
	struct str path;    /* with its query, encoded: see ctl_encode() */
	struct str account; /* e-mail address of the account to act for; data NULL: none */
	struct str body;    /* JSON; data NULL: none */
	struct str file;    /* path of the file that is the body, for messages; data NULL: none */
	struct ctl_sentence sentences[CTL_SENTENCES_MAX];
	/* Object that messages name: in sentences instead of "%", in the server's words after "no
	 * such device". data NULL: messages stay as they are. */
	struct str subject;
	const struct ctl_fault *faults; /* NULL: none */
	struct ctl_field *fields;	/* fields to read from a 2xx answer; NULL: none */
	struct str *cookies; /* value for a Cookie field, from such an answer; NULL: not wanted */
	bool may_repeat;     /* a write that can be sent twice without harm */
	int patience_ms;     /* time to wait for the answer; 0: the usual time */
	/* For ctl_ask_bytes(): receives parts of the answer's body. Returns false to stop. */
	bool (*take)(void *context, const void *data, size_t size);
	void *take_context;
};

/* Asks, and reads the answer, an array, as rows of the record. Returns CTL_DONE, or another code
 * after printing the reason. A GET, and a request with may_repeat, is repeated while the server or
 * its database starts. Other requests are sent once; to the state directory's server only when it
 * is ready. */
enum ctl_exit ctl_ask_rows(struct ctl *ctl, const struct ctl_request *request,
			   const struct record *record, struct ctl_rows *ret_rows);

/* Asks as ctl_ask_rows() does, and reads the answer, an object, into ret_row. If record is NULL,
 * the answer is ignored. */
enum ctl_exit ctl_ask_row(struct ctl *ctl, const struct ctl_request *request,
			  const struct record *record, void *ret_row);

/* Asks as ctl_ask_rows() does. The request's take(), if set, receives the answer's body. */
enum ctl_exit ctl_ask_bytes(struct ctl *ctl, const struct ctl_request *request);

/* Asks as ctl_ask_rows() does. *ret_json: the answer, as the server wrote it, in the arena. */
enum ctl_exit ctl_ask_json(struct ctl *ctl, const struct ctl_request *request,
			   struct str *ret_json);

/* Asks, and prints the answer with ctl_print_json(). */
enum ctl_exit ctl_show(struct ctl *ctl, const struct ctl_request *request);

/* Reads rows from the text of a JSON array, such as a member of an answer. Returns CTL_DONE, or
 * another code after printing the reason. */
enum ctl_exit ctl_read_rows(struct ctl *ctl, struct str json, const struct record *record,
			    struct ctl_rows *ret_rows);

/* Reads a row from the text of a JSON object in the same way. */
enum ctl_exit ctl_read_row(struct ctl *ctl, struct str json, const struct record *record,
			   void *ret_row);

/* Object that an argument names. */
struct ctl_found {
	struct str id;
	struct str segment; /* the ID in a path, encoded */
	struct str json;    /* the object, as a list shows it; data NULL: not read */
};

/* Finds the account with this e-mail address. Returns CTL_DONE, or another code after printing the
 * reason, as the following functions do. */
enum ctl_exit ctl_find_account(struct ctl *ctl, struct str email, struct ctl_found *ret_found);
/* Sets the request's path to ROOT/apps/APP, followed by rest; root: "/web/admin" or "/v1". app: ID
 * or slug. missing: message if there is no such app. */
enum ctl_exit ctl_name_app(struct ctl *ctl, const char *root, struct str app, struct str rest,
			   struct str missing, struct ctl_request *request);
/* Finds the app of the first argument, by ID or slug, as an administrator. */
enum ctl_exit ctl_find_app(struct ctl *ctl, struct ctl_found *ret_found);
/* Finds the image of panels' firmware for the board and the version of the arguments. */
enum ctl_exit ctl_find_firmware(struct ctl *ctl, struct ctl_found *ret_found);
/* Finds an entry of a device's rotation. */
enum ctl_exit ctl_find_installation(struct ctl *ctl, struct str device_id, struct str id,
				    struct ctl_found *ret_found);
/* Finds a device by ID, serial number or MAC address, or by its name if no other device has it, in
 * upper or lower case. */
enum ctl_exit ctl_find_listed_device(struct ctl *ctl, struct str name,
				     struct inventory_device *ret_device);
/* Returns the found device as JSON. With only an API key, it has an ID and a name. */
struct str ctl_device_json(struct ctl *ctl, const struct inventory_device *device);
/* Lists devices as rows of struct inventory_device. */
enum ctl_exit ctl_ask_devices(struct ctl *ctl, struct ctl_rows *ret_rows);

/* Runs a command as docs/api describes it, with further members of the body (NULL: none). */
enum ctl_exit ctl_plain_with(struct ctl *ctl, const struct ctl_member *more);
/* The same; *ret_json: the answer, which is not printed. */
enum ctl_exit ctl_ask_plain(struct ctl *ctl, const struct ctl_member *more, struct str *ret_json);
