/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alias.h"
#include "findings.h"
#include "kernel.h"

static struct danglings *notes;

void dangling_begin(struct danglings *where) {
    notes = where;
    if (notes)
        notes->count = 0;
}

void dangling_note(uintptr_t slot, uintptr_t start) {
    struct block block;
    if (!notes || notes->count == MOST_DANGLING || !undress_header((char *)start, &block))
        return;
    notes->all[notes->count++] =
        (struct dangling){slot, start, block.size, block.site, block.other};
}

static void report(const struct dangling *each, const struct block *now) {
    uintptr_t holder;
    uint8_t *mark = heap_find(each->slot, &holder);
    struct lines text;
    text.used = 0;
    put_text(&text, "the word at");
    put_hex(&text, each->slot);
    if (mark) {
        put_text(&text, ",");
        put_number(&text, each->slot - holder);
        put_text(&text, " bytes into a live block,");
    }
    put_text(&text, " still refers to a block that was freed; its memory is now a block of");
    put_number(&text, now->size);
    put_text(&text, " bytes, which was allocated at the statement above");
    text.text[text.used] = 0;
    struct block old = {(char *)each->block, each->size, 0, each->made, each->freed};
    finding(ALIAS, (void *)each->slot, now->site, &old, MARK_QUARANTINE, text.text);
}

void alias_report(const struct danglings *before, uint16_t scan) {
    for (uint32_t i = 0; i < before->count; i++) {
        const struct dangling *each = &before->all[i];
        uintptr_t word, start;
        struct block block;
        uint8_t *mark = mark_of((void *)each->block);
        if (!mark || !is_live((uint8_t)scan_kind(*mark)) || !undress((char *)each->block, &block) ||
            !made_since(&block, scan) || block.site == each->made ||
            !kernel_read_memory(&word, (void *)each->slot, sizeof word) || word != each->block)
            continue;
        /* The slot must still be something that the program can find. */
        uint8_t *holder = heap_find(each->slot, &start);
        if (!holder || (*holder & SCAN_REACHED && settings.alias_in_blocks))
            report(each, &block);
    }
}
