#!/usr/bin/env python3
"""mend.py INPUT OUTPUT: changes lines of quickjs.c that give local times and places of errors wrong.

Each change names the lines that it replaces, and how often they are there: another version of the engine
is looked at again.
"""

import sys

# The engine takes a local time for one of UTC when it looks for its offset: an hour is wrong, or half a day,
# around each change of the clocks.
LOCAL_TIME = [(
    "        tv += getTimezoneOffset(ti) * 60000;\n",
    "        tv -= render_local_offset_ms(ti);\n", 1)]

# Columns of tokens are those of the white space before them, or of other tokens.
COLUMNS = [(
    "    s->token.col_num = max_int(1, s->mark - s->eol);\n    s->buf_ptr = p;\n",
    "    s->token.col_num = (int)(s->token.ptr - s->token.line_start) + 1;\n    s->buf_ptr = p;\n", 1)]

# An instruction has the place of the last token that had one: a call that of its last argument, a text with
# values in it that of the last value, a loop without any that of what is before it. They get the place of what
# is called, and of where they begin.
PLACES = [(
    """    /* specific label handling */
""", """    emit_source_loc(s);
    /* specific label handling */
""", 1), (
    """    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;

    call_type = FUNC_CALL_NORMAL;
""", """    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;
    int called_line = s->token.line_num, called_col = s->token.col_num;

    call_type = FUNC_CALL_NORMAL;
""", 1), (
    """    if (is_for_of) {
        if (js_parse_assign_expr(s))
            return -1;
    } else {
        if (js_parse_expr(s))
            return -1;
    }
""", """    int list_line = s->token.line_num, list_col = s->token.col_num;
    if (is_for_of) {
        if (js_parse_assign_expr(s))
            return -1;
    } else {
        if (js_parse_expr(s))
            return -1;
    }
    emit_source_loc_at(s, list_line, list_col);
""", 1), (
    """    assign_addr = s->cur_func->byte_code.size;
    if (s->token.val == '{') {
""", """    assign_addr = s->cur_func->byte_code.size;
    emit_source_loc(s);
    if (s->token.val == '{') {
""", 1), (
    """            /* apply function call */
                switch(opcode) {
""", """            /* apply function call */
                emit_source_loc_at(s, called_line, called_col);
                switch(opcode) {
""", 1), (
    """            emit_func_call:
                switch(opcode) {
""", """            emit_func_call:
                emit_source_loc_at(s, called_line, called_col);
                switch(opcode) {
""", 1), (
    """        parse_property:
            if (s->token.val == TOK_PRIVATE_NAME) {
""", """        parse_property:
            called_line = s->token.line_num;
            called_col = s->token.col_num;
            emit_source_loc(s);
            if (s->token.val == TOK_PRIVATE_NAME) {
""", 1), (
    """            int prev_op;

        parse_array_access:
            prev_op = get_prev_opcode(fd);
""", """            int prev_op;

        parse_array_access:
            called_line = s->token.line_num;
            called_col = s->token.col_num;
            prev_op = get_prev_opcode(fd);
""", 1), (
    """            if (js_parse_expect(s, ']'))
                return -1;
            if (prev_op == OP_get_super) {
""", """            if (js_parse_expect(s, ']'))
                return -1;
            emit_source_loc_at(s, called_line, called_col);
            if (prev_op == OP_get_super) {
""", 1), (
    """        emit_source_loc(s);
        if (js_parse_expr_binary(s, level - 1, parse_flags))
            return -1;
        emit_op(s, opcode);
""", """        int operand_line = s->token.line_num, operand_col = s->token.col_num;
        emit_source_loc(s);
        if (js_parse_expr_binary(s, level - 1, parse_flags))
            return -1;
        emit_source_loc_at(s, operand_line, operand_col);
        emit_op(s, opcode);
""", 1), (
    """    if (js_parse_cond_expr(s, parse_flags))
        return -1;

    op = s->token.val;
    if (op == '=' ||""", """    int target_line = s->token.line_num, target_col = s->token.col_num;
    if (js_parse_cond_expr(s, parse_flags))
        return -1;

    op = s->token.val;
    if (op == '=' ||""", 1), (
    """        put_lvalue(s, opcode, scope, name, label, PUT_LVALUE_KEEP_TOP, false);
    } else if (op >= TOK_LAND_ASSIGN""", """        emit_source_loc_at(s, target_line, target_col);
        put_lvalue(s, opcode, scope, name, label, PUT_LVALUE_KEEP_TOP, false);
    } else if (op >= TOK_LAND_ASSIGN""", 1), (
    """    depth = 0;
    while (s->token.val == TOK_TEMPLATE) {
""", """    int text_line = s->token.line_num, text_col = s->token.col_num;
    depth = 0;
    while (s->token.val == TOK_TEMPLATE) {
""", 1), (
    """        emit_op(s, OP_call_method);
        emit_u16(s, depth - 1);
""", """        emit_source_loc_at(s, text_line, text_col);
        emit_op(s, OP_call_method);
        emit_u16(s, depth - 1);
""", 1)]

# A jump looks at the clock where it leads to: behind what is before the loop. Its place is known then.
POLL = "if (unlikely(js_poll_interrupts(ctx)))\n"
JUMPS = [(
    f"            {jump}\n            {POLL}                goto exception;\n",
    f"            sf->cur_pc = pc;\n            {POLL}                goto exception;\n            {jump}\n", 1)
    for jump in ("pc += (int32_t)get_u32(pc);", "pc += (int16_t)get_u16(pc);", "pc += (int8_t)pc[0];")
] + [(
    f"                if ({taken}) {{\n                    {jump}\n                }}\n"
    f"                {POLL}                    goto exception;\n",
    f"                sf->cur_pc = pc;\n                {POLL}                    goto exception;\n"
    f"                if ({taken}) {{\n                    {jump}\n                }}\n", 1)
    for taken in ("res", "!res") for jump in ("pc += (int32_t)get_u32(pc - 4) - 4;", "pc += (int8_t)pc[-1] - 1;")]

# The engine looks at the time after ten thousand calls or jumps. If its functions take long, that is too late: an alarm
# makes it look at the next one.
ALARM = [(
    "    if (unlikely(--ctx->interrupt_counter <= 0)) {\n        return __js_poll_interrupts(ctx);\n",
    "    if (unlikely(--ctx->interrupt_counter <= 0 || render_alarm_rang)) {\n        return __js_poll_interrupts(ctx);\n", 1)]

# The error that something is no function says what.
NAMES = [(
    """static JSValue JS_ThrowTypeErrorNotAFunction(JSContext *ctx)
{
    return JS_ThrowTypeError(ctx, "not a function");
}
""", """/* Finds where the current function of the script is. Returns its bytecode, or NULL. */
static JSFunctionBytecode *find_current_place(JSContext *ctx, int *line, int *col)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    JSFunctionBytecode *b = sf ? JS_GetFunctionBytecode(sf->cur_func) : NULL;

    if (!b || !sf->cur_pc)
        return NULL;
    *line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, col);
    return *line > 0 ? b : NULL;
}

static JSValue throw_not_a(JSContext *ctx, JSValueConst value, const char *what)
{
    char words[RENDER_CALLED_MAX], buf[512];
    int line, col;
    JSFunctionBytecode *b = find_current_place(ctx, &line, &col);

    if (b && b->filename && render_name_called(ctx, JS_AtomGetStr(ctx, buf, sizeof(buf), b->filename), line, col, words))
        return JS_ThrowTypeError(ctx, "%s is not a %s", words, what);
    render_name_value(ctx, value, words);
    return JS_ThrowTypeError(ctx, "%s is not a %s", words, what);
}

static JSValue JS_ThrowTypeErrorNotAFunction(JSContext *ctx, JSValueConst value)
{
    return throw_not_a(ctx, value, "function");
}
""", 1), (
    "            return JS_ThrowTypeErrorNotAFunction(caller_ctx);\n",
    "            return JS_ThrowTypeErrorNotAFunction(caller_ctx, func_obj);\n", 1), (
    "            return JS_ThrowTypeErrorNotAFunction(ctx);\n",
    "            return throw_not_a(ctx, func_obj, \"constructor\");\n", 1), (
    "    JS_ThrowTypeErrorNotAFunction(ctx);\n    return -1;\n",
    "    JS_ThrowTypeErrorNotAFunction(ctx, obj);\n    return -1;\n", 1), (
    "            JS_ThrowTypeErrorNotAFunction(ctx);\n            JS_FreeValue(ctx, method);\n",
    "            JS_ThrowTypeErrorNotAFunction(ctx, method);\n            JS_FreeValue(ctx, method);\n", 1), (
    "        JS_FreeValue(ctx, method);\n        return JS_ThrowTypeErrorNotAFunction(ctx);\n",
    "        JS_ThrowTypeErrorNotAFunction(ctx, method);\n        JS_FreeValue(ctx, method);\n        return JS_EXCEPTION;\n", 1), (
    "static JSValue JS_ThrowTypeErrorNotAConstructor(JSContext *ctx,\n",
    "static JSValue throw_not_a(JSContext *ctx, JSValueConst value, const char *what);\n"
    "static JSValue JS_ThrowTypeErrorNotAConstructor(JSContext *ctx,\n", 1), (
    "fini:\n    return JS_ThrowTypeError(ctx, \"not a constructor\");\n",
    "fini:\n    return throw_not_a(ctx, func_obj, \"constructor\");\n", 1)]

CHANGES = LOCAL_TIME + COLUMNS + PLACES + JUMPS + ALARM + NAMES

# Functions that the renderer has for the engine (clock.c, alarm.h, called.c).
HEAD = """#include "quickjs.h"
#include <signal.h>
#include <stdint.h>
int64_t render_local_offset_ms(int64_t local_ms);
extern volatile sig_atomic_t render_alarm_rang;
enum { RENDER_CALLED_MAX = 120 };
bool render_name_called(JSContext *ctx, const char *file, int line, int column, char *to);
void render_name_value(JSContext *ctx, JSValueConst value, char *to);
#line 1 "quickjs.c"
"""

with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read()
for old, new, count in CHANGES:
    if source.count(old) != count:
        sys.exit(f"quickjs.c has other lines than these:\n{old}")
    source = source.replace(old, new)
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(HEAD)
    file.write(source)
