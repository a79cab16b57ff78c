/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream pass. A block that runs writes one record (HSW_EXECUTED): the cursor moves over all of
 * it at once, when the block begins; its words are filled in as they become known, each before the
 * access it belongs to, so that they are right when that access faults. How the block was left is
 * a byte of the record, written before each exit.
 *
 * While the record is being filled in, the segment it lies in must stay ours: a helper that fills
 * the segment moves the record to the next one (walk/append.c, shared/ring.c).
 */
#include "stream/stream.h"

#include "shared/listeners.h"
#include "shared/ring.h"
#include "walk/ir.h"

#define LEFT_BYTE 4 /* of the record: how the block was left */

static struct hs_description description;
static UInt id;          /* of the block, 0: not in the stream */
static UInt next_access; /* of the description */
static UInt next_exit;
static UChar *is_written; /* by word: those that several accesses share */

/* ---- filling in ---- */

static void write_word(struct hs_superblock *b, UInt word, IRExpr *value) {
    hs_stmt(b, IRStmt_Store(Iend_LE, hs_add(b, b->record, 8 + 8 * (ULong)word), value));
}

static void write_left(struct hs_superblock *b, UInt how) {
    hs_stmt(b,
            IRStmt_Store(Iend_LE, hs_add(b, b->record, LEFT_BYTE), IRExpr_Const(IRConst_U8(how))));
}

static void begin(struct hs_superblock *b) {
    ULong length = (8 + 8 * (ULong)description.block.words + 15) & ~15ull;
    ULong first = HSW_WORD(HSW_EXECUTED, (ULong)HSW_UNFINISHED << 32 | id);
    b->record = hs_cursor(b);
    b->record_length = length;
    hs_stmt(b, IRStmt_Store(Iend_LE, b->record, hs_const(first)));
    hs_set_cursor(b, hs_add(b, b->record, length));
}

static IRExpr *widened(struct hs_superblock *b, const IRExpr *bit) {
    return hs_unop(b, Iop_1Uto64, Ity_I64, (IRExpr *)bit);
}

static void write_values(struct hs_superblock *b, UInt first, IRExpr *value) {
    IRExpr *word[HS_WORDS];
    UInt n = hs_value_words(b, value, word);
    for (UInt i = 0; i < n; i++)
        write_word(b, first + i, word[i]);
}

/* What is known before the access takes place. */
static void write_access(struct hs_superblock *b, const struct hs_access *access) {
    if (access->base != IRTemp_INVALID && !is_written[access->wire.word]) {
        is_written[access->wire.word] = 1;
        write_word(b, access->wire.word, IRExpr_RdTmp(access->base));
    }
    if (access->values)
        write_values(b, access->wire.value, (IRExpr *)access->values);
    if (access->guard)
        write_word(b, access->wire.guard, widened(b, access->guard));
}

/* What a compare-and-swap did is known only behind it. */
static void write_cas(struct hs_superblock *b, const struct hs_access *store, const IRCAS *cas) {
    IRExpr *word[HS_WORDS];
    UInt first = store->wire.value, size;
    write_word(b, store->wire.guard, widened(b, hs_cas_succeeded(b, cas)));
    hs_value_words(b, cas->dataLo, word);
    if (cas->oldHi == IRTemp_INVALID) {
        write_word(b, first, word[0]);
        return;
    }
    size = store->wire.size / 2;
    if (size == 8) {
        write_word(b, first, word[0]);
        hs_value_words(b, cas->dataHi, word);
        write_word(b, first + 1, word[0]);
    } else {
        IRExpr *low = word[0], *high;
        hs_value_words(b, cas->dataHi, word);
        high = hs_shift(b, Iop_Shl64, word[0], 8 * size);
        write_word(b, first, hs_binop(b, Iop_Or64, low, high));
    }
}

/* ---- the pass ---- */

static Bool examine(struct hs_superblock *b) {
    id = 0;
    if (b->level != HS_HEAP_AND_STREAM)
        return False;
    b->appends = True;
    return True;
}

/* By now all passes have examined the superblock, and said what they replace. */
static void prepare(struct hs_superblock *b) {
    if (b->level != HS_HEAP_AND_STREAM || !hs_describe(b, &description))
        return;
    description.block.stub = b->stub;
    description.block.stub_result = b->stub_uses.result;
    description.block.stub_where = b->stub_uses.where;
    description.block.stub_what = b->stub_uses.what;
    id = hs_block_id(b, &description);
    next_access = next_exit = 0;
    is_written = VG_(calloc)("hs.written", description.block.words + 1, 1);
}

static void start_instruction(struct hs_superblock *b) {
    if (b->first) {
        prepare(b);
        if (id)
            begin(b);
    }
    if (id && b->replaced >= 0 && b->statement == b->replaced)
        write_left(b, HSW_TO_THE_END);
}

static void before_statement(struct hs_superblock *b, const IRStmt *s) {
    if (!id)
        return;
    for (UInt i = next_access; i < description.n_accesses; i++) {
        if (description.accesses[i].statement != b->statement)
            break;
        write_access(b, &description.accesses[i]);
        if (s->tag != Ist_CAS)
            next_access = i + 1;
    }
    if (s->tag == Ist_Exit)
        write_left(b, next_exit++);
}

static void after_statement(struct hs_superblock *b, const IRStmt *s) {
    if (!id || s->tag != Ist_CAS)
        return;
    write_cas(b, &description.accesses[next_access + 1], s->Ist.CAS.details);
    next_access += 2;
}

static void end_block(struct hs_superblock *b) {
    if (!id)
        return;
    if (description.request_word != HSW_NO_WORD)
        write_word(b, description.request_word, hs_get(b, HS_OFFSET_RAX));
    write_left(b, HSW_TO_THE_END);
}

static void forget(void) {
    VG_(free)(is_written);
    is_written = NULL;
}

const struct hs_pass hs_stream_pass = {.examine = examine,
                                       .start_instruction = start_instruction,
                                       .before_statement = before_statement,
                                       .after_statement = after_statement,
                                       .end_block = end_block,
                                       .forget = forget};

/* ---- what is no instruction ---- */

static Bool streaming(void) {
    return hs_level == HS_HEAP_AND_STREAM;
}

static struct {
    Addr start;
    SizeT length;
} place; /* of copies */

static void placed_by(Addr start, SizeT length) {
    place.start = start;
    place.length = length;
}

static void moved(Addr to, Addr from, SizeT length, ULong site) {
    if (!streaming())
        return;
    hs_make_room();
    if (place.length)
        hs_append_here(HSW_WORD(HSW_PLACED_BY, place.start), place.length);
    hs_append_here(HSW_WORD(HSW_MOVED, from), length);
    hs_append_here(HSW_WORD(HSW_MOVED_TO, to), site);
}

static void result_from(Addr start, SizeT length) {
    if (streaming())
        hs_record(HSW_RESULT_FROM, start, length);
}

static void system_reads(Addr start, SizeT length) {
    if (streaming())
        hs_record(HSW_SYSTEM_READ, start, length);
}

static void system_wrote(Addr start, SizeT length) {
    if (streaming())
        hs_record(HSW_SYSTEM_WROTE, start, length);
}

static void system_called(UInt registers) {
    if (streaming())
        hs_record(HSW_SYSTEM_CALL, registers, 0);
}

static void left(Addr instruction) {
    place.length = 0;
    if (streaming())
        hs_record(HSW_FAULT, instruction, 0);
}

/* Only now does no generated code write records of the stream any more. */
static void level_changed(void) {
    static Bool streamed;
    if (streamed && !streaming())
        hs_record(HSW_STREAM_END, 0, 0);
    streamed = streaming();
}

static const struct hs_listener listener = {.moved = moved,
                                            .placed_by = placed_by,
                                            .result_from = result_from,
                                            .system_reads = system_reads,
                                            .system_reads_text = system_reads,
                                            .system_wrote = system_wrote,
                                            .system_called = system_called,
                                            .left = left,
                                            .level_changed = level_changed,
                                            .forked = hs_blocks_forget};

void hs_stream_start(void) {
    hs_listen(&listener);
}
