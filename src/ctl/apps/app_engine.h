/* The processes that render an app, whatever its language.
 *
 *   Starlark     script -> renderer -> picture
 *   TypeScript   script -> esbuild -> renderer -> tree of widgets -> renderer for Starlark ->
 * picture
 *
 * Blocks. */
#pragma once

#include "renderer.h"

struct app_engine;
struct app_network;

/* Starts what the language needs. NULL with a sentence in ret_why. */
struct app_engine *app_engine_start(bool is_typescript, char ret_why[static RENDERER_WHY_MAX])
    __attribute__((warn_unused_result));

/* NULL is fine. */
void app_engine_stop(struct app_engine *engine);

/* Scripts reach the network through it, which must outlive the engine. Before, there is none. */
void app_engine_use_network(struct app_engine *engine, struct app_network *network);

/* "LIBRARY in a sandbox of: LAYERS", of each process. */
void app_engine_describe(const struct app_engine *engine, struct buffer *text);

/* Sends a request as renderer_ask() does, with the language's own time limit, if what is "render"
 * or "schema". An engine for TypeScript serves requests about one script only. */
int app_engine_ask(struct app_engine *engine, yyjson_mut_doc *head, struct str script,
		   struct renderer_answer *ret_answer, char ret_why[static RENDERER_WHY_MAX])
    __attribute__((warn_unused_result));

/* Frees what the answer holds. */
void app_engine_finish_answer(struct renderer_answer *answer);
