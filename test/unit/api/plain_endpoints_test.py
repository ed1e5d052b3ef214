"""Endpoints that tools/list_endpoints.py and tools/statement_endpoints.py make, and the faults that they find."""

import pytest

from generate_operations_test import LAMPS, SHARED, SOURCE, Description


@pytest.fixture
def description(tmp_path):
    return Description(tmp_path)


LIST = """
  "/v1/lamps":
    get:
      operationId: listLamps
      x-displayd-endpoint: lamp_list
      x-displayd-key-devices: none
      x-displayd-list: {cursor: l, gzip: true}
      summary: List lamps
      description: All lamps.
      parameters:
        - {$ref: "#/components/parameters/Limit"}
        - {name: q, in: query, schema: {type: string}}
        - {name: broken, in: query, schema: {type: string, enum: ["true", "false"]}}
      responses: {"200": {description: The lamps.}}
"""
LIST_SQL = """-- Lists lamps.
-- params: account_id uuid, wanted text, with_broken bool
-- row: lamp, rank int8
-- effect: read
-- work: bounded
-- list: rank
SELECT ...
"""
LIST_C = """/* Made by tools/list_endpoints.py. */
#include "lamps/operations.h"
#include "base/limits.h"
#include "task/access.h"
#include "task/list.h"

extern const struct access access_api_key;

/* GET /v1/lamps */
static void ask_lamp_list(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct list_choice *choice = task_state(task);

	statement_lamp_list(query, &(struct lamp_list_parameters){
		.account_id = task_account_id(task),
		.wanted = choice->texts[0],
		.with_broken = choice->is_on,
	}, range);
}

static const struct task_list lamp_list = {
	.letter = 'l',
	.parameters = {{"q"}, {"broken", .is_switch = true}},
	.ask = ask_lamp_list,
	.order = &lamp_list_order,
	.unshown_columns = 1,
	.is_compressed = true,
	.record = &lamp_record,
};

static struct step_result reply_lamp_list(struct task *task)
{
	return task_reply_list(task, &lamp_list);
}

ENDPOINT_LAMP_LIST(.handler = reply_lamp_list, .state_size = sizeof(struct list_choice));
"""


def make_list(description, said=LIST, sql=LIST_SQL):
    description.write("api/public/lamps.yaml", LAMPS + said)
    description.write("sql/lamp_list.sql", sql)
    shared = SHARED.replace("  parameters:\n", "  parameters:\n    Limit: {name: limit, in: query, schema: {type: integer}}\n")
    description.write("api/shared.yaml", shared)
    return description.c()[0]


def test_list_without_c(description):
    done = make_list(description)
    assert done.returncode == 0, done.stderr
    assert (description.folder / "plain.c").read_text() == LIST_C


@pytest.mark.parametrize("old, new, reason", [
    ("cursor: l, ", "", "a list with parts has 'list:', a cursor and a limit"),
    ("gzip", "zip", "x-displayd-list has cursor, envelope, gzip, kept, name, record only"),
    ("account_id uuid", "lamp_id uuid", "nobody knows where 'lamp_id' comes from"),
])
def test_list_that_does_not_fit(description, old, new, reason):
    done = make_list(description, LIST.replace(old, new), LIST_SQL.replace(old, new))
    assert done.returncode == 1 and reason in done.stderr


def test_list_with_c_of_its_own(description):
    description.write("lamps/list.c", "ENDPOINT_LAMP_LIST(.handler = reply);\n")
    done = make_list(description)
    assert done.returncode == 1 and "lamps/list.c: endpoint_lamp_list" in done.stderr


STATEMENT = """
  "/v1/lamps/{lampId}/switch":
    parameters: [{name: lampId, in: path, required: true, schema: {type: string}}]
    put:
      operationId: switchLamp
      x-displayd-endpoint: lamp_switch
      x-displayd-resource: device
      x-displayd-record: switch_record
      x-displayd-body-limit: page
      x-displayd-statement:
        {missing: {webhook_not_found: there is no such lamp}, values: {room_id: device_id, is_lit: true},
         changed: [lamps, admin, rooms of id], panel: true, refused: lamp_refused, kept: account}
      summary: Switch a lamp
      description: On or off.
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
      responses: {"200": {description: Switched.}}
"""
STATEMENT_SQL = """-- Switches a lamp.
-- params: id uuid, room_id uuid, is_lit bool, colour text, account_id uuid
-- row: generation int8
SELECT ...
"""
STATEMENT_C = """
/* Made by tools/statement_endpoints.py. */
#include "delivery/delivery.h"
#include "api/endpoints.h"
#include "api/operator_note.h"

/* PUT /v1/lamps/{lampId}/switch */
struct lamp_switch_state {
	struct switch body;
	struct lamp_switch_row row;
	struct id id;
};

static struct step_result lamp_switch_reply(struct task *task)
{
	struct lamp_switch_state *state = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_WEBHOOK_NOT_FOUND, "there is no such lamp");
	delivery_device_changed(api_delivery(task), task_device(task)->id, state->row.generation);
	web_changed(task, task_account_id(task), "lamps");
	web_changed(task, (struct id){0}, "admin");
	web_changed(task, state->id, "rooms");
	return task_reply_empty(task, 200);
}

static struct step_result lamp_switch_ask(struct task *task)
{
	struct lamp_switch_state *state = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &state->id))
		return task_fail(task, PROBLEM_WEBHOOK_NOT_FOUND, "there is no such lamp");
	statement_lamp_switch(task_new_query(task), &(struct lamp_switch_parameters){
		.id = state->id,
		.room_id = task_device(task)->id,
		.is_lit = true,
		.colour = state->body.colour,
		.account_id = task_account_id(task),
	}, &state->row);
	return task_query(task, lamp_switch_reply);
}

ENDPOINT_LAMP_SWITCH(.handler = lamp_switch_ask, .state_size = sizeof(struct lamp_switch_state)\
, .refused = lamp_refused, .kept_as = READ_ACCOUNT);
"""


def make_statement(description, said=STATEMENT, sql=STATEMENT_SQL):
    description.write("api/public/lamps.yaml", LAMPS + said)
    description.write("sql/lamp_switch.sql", sql)
    description.write("api/lamps.c", SOURCE)
    return description.c("api")[0]


def test_statement_without_c(description):
    done = make_statement(description)
    assert done.returncode == 0, done.stderr
    assert (description.folder / "plain.c").read_text().endswith(STATEMENT_C)
    switch = description.document()["paths"]["/v1/lamps/{lampId}/switch"]["put"]
    assert "webhook_not_found" in switch["x-problem-codes"]


def test_statement_whose_row_is_the_answer(description):
    said = STATEMENT.replace(" panel: true,", "").replace("{webhook_not_found: there is no such lamp}", "refuse")
    sql = STATEMENT_SQL.replace("generation int8", "lamp").replace("params: id uuid, ", "params: ")
    done = make_statement(description, said.replace(", rooms of id", ""), sql)
    assert done.returncode == 0, done.stderr
    made = (description.folder / "plain.c").read_text()
    assert "\treturn task_reply_record(task, 200, &lamp_record, &state->row);\n" in made
    assert "\t\treturn task_refuse(task);\n" in made and "id_parse" not in made


def test_statement_whose_record_has_the_struct_of_another(description):
    said = STATEMENT.replace(" panel: true,", "")
    schema = "components: {schemas: {Bulb: {type: object, description: A bulb., x-displayd-records: {bulb: {struct: lamp}}}}}\n"
    description.write("api/lamps.c", SOURCE)
    description.write("sql/lamp_switch.sql", STATEMENT_SQL.replace("generation int8", "bulb"))
    description.write("api/public/lamps.yaml", LAMPS + said + schema)
    done = description.c("api")[0]
    assert done.returncode == 0, done.stderr
    made = (description.folder / "plain.c").read_text()
    assert "\tstruct lamp row;\n" in made and "&bulb_record, &state->row" in made and '"domain/lamp.h"' in made


@pytest.mark.parametrize("old, new, reason", [
    ("panel", "panels", "x-displayd-statement has changed, kept, missing, name, panel, refused, values only"),
    ("-- row: generation int8\n", "", "has no row that may be missing"),
    ("      x-displayd-record: switch_record\n", "", "nobody knows where 'colour' comes from"),
    ("webhook_not_found", "lamp_not_found", "problems.yaml has no lamp_not_found"),
])
def test_statement_that_does_not_fit(description, old, new, reason):
    done = make_statement(description, STATEMENT.replace(old, new), STATEMENT_SQL.replace(old, new))
    assert done.returncode == 1 and reason in done.stderr
