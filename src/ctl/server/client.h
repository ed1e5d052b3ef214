/* displayctl as a client of the server of its state directory, as the operator (task/access.h), or
 * of that of --server (server/remote.h).
 *
 *   ctl_ask_rows() -> server_socket_ask()    again while the server starts or restarts
 *
 * A command whose request failed has said why, in the server's words, and has an exit code: 2 for a
 * value that is not valid, 3 for what does not exist, 4 for what is refused, 5 if there is no
 * server or no database. */
#pragma once

#include "ctl/server/text.h"
#include "domain/inventory.h"

/* Sentence for an answer, instead of the server's. */
struct ctl_sentence {
	int status;
	const char *begins; /* of the problem's detail that is meant; NULL: any */
	struct str text;    /* texts of users may be in it; data NULL: nothing is said */
};

enum { CTL_SENTENCES_MAX = 3 };

/* Says a fault of a member of the body in another way than by the option of its name. */
struct ctl_fault {
	const char *member; /* NULL: the end */
	const char *begins; /* of the fault's detail that is meant; "": any */
	enum ctl_exit code;
	struct str name; /* instead of the option's, before the detail */
	struct str text; /* instead of both; data NULL: none */
};

/* Header field of an answer. */
struct ctl_field {
	const char *name; /* NULL: the end */
	struct str value; /* in the arena; data NULL: the answer has none */
};

struct ctl_request {
	const char *method; /* NULL: GET */
	struct str path;    /* with its query; ctl_encode() for parts of it */
	struct str
	    account;	 /* e-mail address of the account whose things are meant; data NULL: none */
	struct str body; /* JSON; data NULL: none */
	struct ctl_sentence sentences[CTL_SENTENCES_MAX];
	const struct ctl_fault *faults; /* NULL: none */
	struct ctl_field *fields;	/* to be read from an answer that is good; NULL: none */
	struct str *cookies;		/* value for a Cookie field, from such an answer; NULL */
	bool may_repeat;		/* it does no harm to send it again, as it is with a GET */
	int patience_ms;		/* for the answer; 0: the usual time */
	/* For ctl_ask_bytes(): gets the answer's body. False: it wants no more. */
	bool (*take)(void *context, const void *data, size_t size);
	void *take_context;
};

/* Asks, and reads the answer as rows of the record, from an array. CTL_DONE, or the reason was
 * said. A GET, and what may be repeated, is repeated while the server or its database starts;
 * anything else is sent once, when the server is ready. */
enum ctl_exit ctl_ask_rows(struct ctl *ctl, const struct ctl_request *request,
			   const struct record *record, struct ctl_rows *ret_rows);

/* The same for an object. record may be NULL: then what the object has does not matter. */
enum ctl_exit ctl_ask_row(struct ctl *ctl, const struct ctl_request *request,
			  const struct record *record, void *ret_row);

/* The same for an answer whose bytes the request takes as they come, if it does. */
enum ctl_exit ctl_ask_bytes(struct ctl *ctl, const struct ctl_request *request);

/* Asks, and prints the row or the rows of the answer with the record that reads them. */
enum ctl_exit ctl_show(struct ctl *ctl, const struct ctl_request *request,
		       const struct record *record);
enum ctl_exit ctl_list(struct ctl *ctl, const struct ctl_request *request,
		       const struct record *record);

/* Reads rows from the text of a JSON array, which is a member of an answer. */
enum ctl_exit ctl_read_rows(struct ctl *ctl, struct str json, const struct record *record,
			    struct ctl_rows *ret_rows);

/* Asks for things of all accounts, as the operator, or of --account; over --server for the caller's
 * own, by ask_own. account_at: offset of the row's e-mail address. */
enum ctl_exit
ctl_ask_inventory(struct ctl *ctl, const char *path, const struct record *record, size_t account_at,
		  enum ctl_exit (*ask_own)(struct ctl *ctl, struct ctl_rows *ret_rows),
		  struct ctl_rows *ret_rows);

/* Finds a device by ID, serial number or MAC address, or by its name if no other has it; in
 * upper or lower case. CTL_DONE, or the reason was said. */
enum ctl_exit ctl_find_listed_device(struct ctl *ctl, struct str name,
				     struct inventory_device *ret_device);
/* A device in a list, as it is printed. */
extern const struct record ctl_listed_device_record;
/* Lists devices: rows of struct inventory_device, which have no more than ID and name if only an
 * API key asks. */
enum ctl_exit ctl_ask_devices(struct ctl *ctl, struct ctl_rows *ret_rows);
/* For the first argument of a command: another removed that device meanwhile. */
struct ctl_sentence ctl_no_device(struct ctl *ctl);
