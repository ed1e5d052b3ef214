/* A renderer of apps as a child of displayctl: it is started in the sandbox, asked, and ended. What
 * goes over its socket is described in subprojects/render-starlark/message.go. Blocks. */
#pragma once

#include "ctl/exchange/exchange.h"

struct app_network;
struct renderer;

/* The one for TypeScript answers with a tree of widgets, which the one for Starlark paints. */
enum renderer_kind { RENDERER_STARLARK, RENDERER_TYPESCRIPT };

/* Starts one and waits until it is ready. NULL with a sentence in ret_why (at most ret_why's
 * RENDERER_WHY_MAX bytes) if there is none in this build, or if it does not start. */
enum { RENDERER_WHY_MAX = 512 };
struct renderer *renderer_start(enum renderer_kind kind, char ret_why[static RENDERER_WHY_MAX])
    __attribute__((warn_unused_result));

/* NULL is fine. */
void renderer_stop(struct renderer *renderer);

/* Return the active layers of the sandbox, and the name of its library. */
const char *renderer_layers(const struct renderer *renderer);
const char *renderer_library(const struct renderer *renderer);

/* Sends the requests of the renderer's scripts there; it must outlive the renderer. Without a
 * network, scripts have none. */
void renderer_use_network(struct renderer *renderer, struct app_network *network);

/* Sends the request and waits for its answer, at most until timeout_ms and some more have passed.
 * 0, or -1 with a sentence in ret_why: the process is gone then, and the script is to blame; or
 * head is no UTF-8. */
int renderer_ask(struct renderer *renderer, yyjson_mut_doc *head, struct str script,
		 int64_t timeout_ms, struct renderer_answer *ret_answer,
		 char ret_why[static RENDERER_WHY_MAX]) __attribute__((warn_unused_result));
