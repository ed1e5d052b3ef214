#include "engine.h"

#include "alarm.h"
#include "run.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Part of the 8 MiB that the launcher allows. Some 8,000 calls fit, nearly as in other engines. */
enum { STACK_BYTES = 6 << 20 };

/* Yields to a process that answers requests and waits for this core. The kernel would switch to it
 * when it is woken, but if it had used a little more than its share by then, only at the next tick
 * of the clock. */
static int interrupt(JSRuntime *runtime, void *opaque)
{
	enum { LOOKS_MAX = 1000 };
	struct run *run = opaque;

	(void)runtime;
	sched_yield();
	render_alarm_rang = 0;
	if (!fault_is_late(run))
		return false;
	if (run->late_stack || ++run->late_looks > LOOKS_MAX)
		return true;
	run->late_stack = location_stack(run);
	/* Between two functions of the script: its next one has the line. */
	render_alarm_rang = !run->late_stack;
	return run->late_stack != NULL;
}

/* The engine seeds its random numbers with the time at which a context is made. */
static void set_seed(uint64_t seed)
{
	uint64_t mixed = seed + UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	clock_set((int64_t)((mixed ^ mixed >> 31) >> 22), NULL, 0);
}

/* Reads the head in a context of its own, because the script's context needs the seed that the head
 * contains. */
static bool make_context(struct run *run)
{
	run->context = JS_NewContext(run->runtime);
	if (!run->context)
		fault_set(run, FAULT_LIMIT, "no memory");
	else
		JS_SetContextOpaque(run->context, run);
	return run->context;
}

static void run_script(struct run *run)
{
	JSContext *reader = run->context;

	set_seed(run->request.seed);
	if (!make_context(run)) {
		run->context = reader;
		return;
	}
	clock_set(run->request.now_ms, run->request.changes, run->request.change_count);
	run->cpu_deadline_us = cpu_us() + run->request.timeout_ms * 1000;
	run->deadline_us = run->started_us + fault_wall_ms(&run->request) * 1000;
	alarm_start(run->request.timeout_ms, fault_wall_ms(&run->request));
	JS_SetInterruptHandler(run->runtime, interrupt, run);
	JS_SetHostPromiseRejectionTracker(run->runtime, script_note_rejection, run);
	/* The engine adds it to the first context only. */
	if (JS_AddIntrinsicDOMException(run->context) < 0 || panel_define(run) < 0 ||
	    console_define(run) < 0 || fetch_define(run) < 0 || missing_define(run) < 0)
		fault_take_exception(run);
	else
		script_run(run);
	JS_SetInterruptHandler(run->runtime, NULL, NULL);
	JS_SetHostPromiseRejectionTracker(run->runtime, NULL, NULL);
	JS_FreeValue(run->context, run->surroundings);
	script_forget_rejections(run);
	fetch_finish(run);
	sites_finish(run);
	run->context = reader;
}

static void write_head(struct run *run, int64_t cpu_before_us, struct bytes *head)
{
	bytes_add_text(head, "{");
	if (run->fault.length) {
		bytes_add_text(head, "\"error\":");
		bytes_add(head, run->fault.data, run->fault.length);
		bytes_add_text(head, ",");
	}
	if (run->log.count) {
		bytes_add_text(head, "\"log\":[");
		bytes_add(head, run->log.lines.data, run->log.lines.length);
		bytes_add_text(head, "],");
	}
	if (run->hosts.length) {
		bytes_add_text(head, "\"hosts\":[");
		bytes_add(head, run->hosts.data, run->hosts.length);
		bytes_add_text(head, "],");
	}
	if (files_interval_s(&run->files) >= 0)
		bytes_add_format(head, "\"interval_s\":%d,", files_interval_s(&run->files));
	if (run->log.dropped)
		bytes_add_format(head, "\"log_dropped\":%u,", run->log.dropped);
	bytes_add_format(head, "\"elapsed_us\":%lld,\"cpu_us\":%lld,\"memory_bytes\":%zu}",
			 (long long)(clock_monotonic_us() - run->started_us),
			 (long long)(cpu_us() - cpu_before_us), run->heap->most);
}

void engine_serve(const struct frame *request, struct bytes *ret_head, struct bytes *ret_blob)
{
	struct heap heap = {.limit = HEAP_MAX};
	int64_t cpu_before_us = cpu_us();
	struct run run = {.heap = &heap,
			  .surroundings = JS_UNDEFINED,
			  .started_us = clock_monotonic_us(),
			  .request = {.timezone = JS_UNDEFINED,
				      .locale = JS_UNDEFINED,
				      .config = JS_UNDEFINED,
				      .handler = JS_UNDEFINED,
				      .parameter = JS_UNDEFINED}};

	run.runtime = JS_NewRuntime2(&heap_functions, &heap);
	if (!run.runtime || !files_read(&run.files, request->blob, SOLE_FILE)) {
		fault_set(&run, FAULT_LIMIT, "no memory");
	} else {
		JS_SetMaxStackSize(run.runtime, STACK_BYTES);
		JS_SetModuleLoaderFunc(run.runtime, module_normalize, module_load, NULL);
		if (make_context(&run)) {
			if (request_read(&run, request->head.data, request->head.length) == 0)
				run_script(&run);
			request_finish(&run);
		}
	}
	alarm_stop();
	write_head(&run, cpu_before_us, ret_head);
	if (run.fault.length)
		bytes_finish(&run.tree);
	*ret_blob = run.tree;
	ret_head->failed |= run.fault.failed || run.log.lines.failed || run.hosts.failed;
	free(run.late_stack);
	bytes_finish(&run.fault);
	bytes_finish(&run.log.lines);
	bytes_finish(&run.hosts);
	files_finish(&run.files);
	heap_finish(&heap);
}
