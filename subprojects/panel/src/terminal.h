/* Takes over the terminal, draws on it, and restores it, also when the process is stopped,
 * continued, or ended by a failed assertion. */
#pragma once

#include <stdbool.h>
#include <uv.h>

struct terminal;

struct terminal_events {
	/* Called if the size has changed or the process was continued: everything must be drawn
	 * anew. */
	void (*on_redraw)(void *context);
	/* Called when the last text is written: there is room for another one. */
	void (*on_room)(void *context);
};

/* Takes over the terminal of standard output; at most one per process. Returns 0 or a negative
 * errno. */
int terminal_open(uv_loop_t *loop, const struct terminal_events *events, void *context,
		  struct terminal **ret_terminal);

/* Restores the terminal at once and frees terminal, which may be NULL. */
void terminal_close(struct terminal *terminal);

/* Gets the size in cells; 0x0 if it is unknown. */
void terminal_size(const struct terminal *terminal, int *ret_columns, int *ret_rows);

/* Returns false while a text is being written to a slow terminal: then nothing may be written. */
bool terminal_has_room(const struct terminal *terminal);

/* Writes a text of malloc()ed memory and takes ownership of it. Call it only if there is room. */
void terminal_write(struct terminal *terminal, char *text, size_t size);
