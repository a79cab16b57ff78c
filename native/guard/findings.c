/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "findings.h"
#include "modules.h"

#define KINDS 4096
#define PROBES 32

static const char *const names[] = {
    [BAD_FREE] = "bad-free",
    [DOUBLE_FREE] = "double-free",
    [MISMATCHED_FREE] = "mismatched-free",
    [BAD_REALLOC] = "bad-realloc",
    [BROKEN_FENCE] = "broken-fence",
    [WRITTEN_AFTER_FREE] = "written-after-free",
    [CORRUPT_HEAP] = "corrupt-heap",
    [UNADDRESSABLE_READ] = "unaddressable-read",
    [UNADDRESSABLE_WRITE] = "unaddressable-write",
    [LEAK] = "leak",
    [ALIAS] = "alias",
};

static struct {
    uint64_t key; /* 0: free */
    uint32_t count;
} found[KINDS];

const char *mark_name(uint8_t mark) {
    static const char *const marks[] = {"-", "malloc", "new", "new[]", "freed", "gone"};
    return marks[mark <= MARK_FREED ? mark : 0];
}

void put_block(struct lines *lines, const struct block *block, uint8_t mark) {
    put_hex(lines, block ? (uintptr_t)block->user : 0);
    put_hex(lines, block ? block->size : 0);
    put_text(lines, " ");
    put_text(lines, block ? mark_name(mark) : "-");
    put_site(lines, block ? block->site : 0);
    put_site(lines, block && mark == MARK_QUARANTINE ? block->other : 0);
}

/* How often a finding was made with this time; 0: there are too many different ones. */
static uint32_t count(uint64_t key) {
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15ull >> 40) + probe) % KINDS;
        uint64_t expected = 0;
        if (__atomic_compare_exchange_n(&found[slot].key, &expected, key, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            expected == key) {
            return __atomic_add_fetch(&found[slot].count, 1, __ATOMIC_RELAXED);
        }
    }
    return 0;
}

static void put_count(struct lines *lines, uint64_t key, uint32_t times) {
    put_text(lines, "C");
    put_hex(lines, key);
    put_hex(lines, times);
    put_end(lines);
}

void finding(enum finding kind, const void *address, uint32_t site, const struct block *block,
             uint8_t mark, const char *text) {
    uint32_t allocated = block ? block->site : 0;
    uint64_t key = ((uint64_t)kind + 1) << 56 | (uint64_t)site << 24 | allocated;
    uint32_t times = count(key);
    struct lines lines;
    lines.used = 0;
    if (times == 1) {
        modules_write(&lines);
        put_text(&lines, "F");
        put_hex(&lines, key);
        put_text(&lines, " ");
        put_text(&lines, names[kind]);
        put_hex(&lines, (uintptr_t)address);
        put_site(&lines, site);
        put_block(&lines, block, mark);
        put_text(&lines, " ");
        put_text(&lines, text);
        put_end(&lines);
    } else if (times &&
               !(times & (times - 1))) { /* now and then: a crash may come before the end */
        put_count(&lines, key, times);
    }
    if (lines.used)
        output_flush(&lines);
}

void put_bytes(struct lines *lines, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char digits[4] = {' ', "0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15],
                          0};
        put_text(lines, digits);
    }
}

void finding_broken_fence(char *user, uint32_t site, struct block *block) {
    struct damage damage;
    uint8_t *mark = mark_of(user);
    block_recover(user, block, &damage);
    struct lines text;
    text.used = 0;
    bool before = damage.first < 0;
    int64_t end = before ? -damage.first : damage.last - (int64_t)block->size + 1;
    put_text(&text, "the fence");
    put_text(&text, before ? " before" : " behind");
    put_text(&text, " the block is broken,");
    put_number(&text, (uint64_t)end);
    put_text(&text, end == 1 ? " byte" : " bytes");
    put_text(&text, before ? " before its start:" : " beyond its end:");
    put_bytes(&text, damage.bytes, damage.count);
    text.text[text.used] = 0;
    finding(BROKEN_FENCE, user + damage.first, site, block, mark ? *mark : MARK_NONE, text.text);
}

void findings_count(struct lines *lines) {
    for (uint32_t slot = 0; slot < KINDS; slot++)
        if (found[slot].count > 1)
            put_count(lines, found[slot].key, found[slot].count);
}

bool findings_any(void) {
    for (uint32_t slot = 0; slot < KINDS; slot++)
        if (found[slot].count)
            return true;
    return false;
}

void findings_forget(void) {
    memset(found, 0, sizeof found);
}
