/* What the recorder says to the collector, and how. Shared by native/valgrind (C) and native/core
 * (C++); the one place where the raw stream is described.
 *
 * THE RING. The recorder starts one collector per recorded process and shares with it a memory file
 * (memfd) and a stream socket. The memory file holds one page of hsw_ring, then `segments` segments
 * of `segment_bytes`. The recorder fills one segment at a time by inline code; a full one is
 * announced on the socket and must not be touched until the collector gives it back:
 *
 *     recorder -> collector   hsw_message {HSW_FULL, segment, bytes used}
 *     collector -> recorder   hsw_message {HSW_FREE, segment, 0}
 *
 * `cursor` (the recorder's address of the next free byte) is stored after every record, so that at
 * end of file on the socket (exit, crash, SIGKILL, exec) the collector still reads the last,
 * unannounced segment up to the last whole record. A recorder that dies with HSW_FREE messages
 * unread makes the collector's last read fail with ECONNRESET, after all HSW_FULL messages: that is
 * end of file as well. End of file on the other side tells the recorder that nobody listens: it
 * then drops records, and the program runs on.
 *
 * RECORDS. Every record is 16 bytes: two little-endian words
 *
 *      63            40 39                                    0   63                             0
 *     +----------------+---------------------------------------+ +-------------------------------+
 *     | site or tag    | address                               | | value                         |
 *     +----------------+---------------------------------------+ +-------------------------------+
 *
 * The upper 24 bits below HSW_FIRST_TAG name a store site (defined by an earlier HSW_SITE) and the
 * record is a store of `value` (zero-extended) at `address`. Otherwise they are one of the tags
 * below. A record with a payload is followed by that many bytes, padded with zeros to 16, and by an
 * HSW_END record; so the 16 bytes before the cursor are always one whole record, and code may take
 * the last record back by moving the cursor (see HSW_CALL).
 */
#ifndef HEAPSTORY_WIRE_H
#define HEAPSTORY_WIRE_H

#define HSW_VERSION 1u
#define HSW_MAGIC 0x31676e6972777368ull /* "hswring1" */
#define HSW_RING_PAGE 4096u             /* segments start here */
#define HSW_ADDRESS_BITS 40
#define HSW_BAD_FREE_SITE (64 - HSW_ADDRESS_BITS)
#define HSW_ADDRESS_MASK ((1ull << HSW_ADDRESS_BITS) - 1)
#define HSW_FIRST_TAG 0xF00000u /* site ids are 1 .. HSW_FIRST_TAG-1; 0 is "unknown site" */
#define HSW_WORD(tag, address) ((unsigned long long)(tag) << HSW_ADDRESS_BITS | (address))

enum hsw_state {
    HSW_RUNNING = 1,
    HSW_EXITED = 2,    /* status: exit code */
    HSW_SIGNALLED = 3, /* status: signal number, 0 where the recorder could not tell */
    HSW_EXEC = 4       /* set before execve, back to HSW_RUNNING when it failed */
};

struct hsw_ring {
    unsigned long long magic;
    unsigned long long version;
    unsigned long long base;   /* address of this struct in the recorder */
    unsigned long long cursor; /* recorder's address of the next record */
    unsigned long long segment_bytes;
    unsigned segments;
    unsigned state;             /* enum hsw_state */
    int status;                 /* see hsw_state */
    int pid;                    /* of the recorded process */
    unsigned stop;              /* set by the collector: enough was recorded (--for) */
    unsigned stop_stream;       /* the same for the instruction stream (--stream-for) */
    unsigned long long dropped; /* records dropped because nobody listened */
    unsigned forked;            /* the process began in the middle of another one's run */
    unsigned unused;
};

enum hsw_message_kind { HSW_FULL = 1, HSW_FREE = 2 };

struct hsw_message {
    unsigned kind;
    unsigned segment;
    unsigned long long bytes;
};

enum hsw_tag {
    /* First record of every segment. address: segment, value: sequence number from 0. */
    HSW_START = HSW_FIRST_TAG,

    /* Closes a payload. value: see the record it belongs to. */
    HSW_END,

    /* Defines a site. address: of the instruction; value: HSW_SITE_VALUE(id, size, kind, flags).
     * Ids are given once and never reused; the same instruction translated again has a new one. */
    HSW_SITE,

    /* A call by own code, or an indirect call by other code. address: stack pointer on entry
     * (it points at the return address); value: site << 40 | target (0: a function of a shared
     * library that the dynamic linker has yet to find).
     * A return that finds the CALL with its own stack pointer right before the cursor takes it back
     * by moving the cursor, so calls during which nothing was recorded leave no record. */
    HSW_CALL,

    /* A return of own code whose call was not taken back. address: stack pointer before the return
     * (the one of the CALL); value: address of the return instruction. Other code's returns are not
     * recorded: frames below the stack pointer of a later record of the thread are gone. Where own
     * code leaves a function by a jump into a library, the return of its last call, at the latest;
     * value: address of the jump. */
    HSW_RET,

    /* The thread that runs from here on. address: thread id (1 is the first); value: its stack
     * pointer. */
    HSW_SWITCH,
    HSW_THREAD_END, /* address: thread id */

    /* address: block; value: size | enum hsw_allocator << 56. The statement is the call stack's. */
    HSW_ALLOC,
    HSW_FREE_BLOCK, /* address: block; value: enum hsw_allocator << 56 */
    /* A reallocation is two records: this one as HSW_ALLOC for the new block, then HSW_REALLOC_OLD
     * with the old address and size. If the address changed, an HSW_RANGE of kind HSW_RANGE_REALLOC
     * with the kept bytes follows at once and belongs to the same change. */
    HSW_REALLOC,
    HSW_REALLOC_OLD,
    /* A free of what is no live block; nothing changes. address: the lower bits of it; value: its
     * upper 24 bits | site of a client request, or 0 << HSW_BAD_FREE_SITE | enum hsw_allocator
     * << 56, HSW_BY_REALLOC where realloc was asked. */
    HSW_BAD_FREE,
    /* The next HSW_ALLOC or HSW_FREE_BLOCK is made by a client request. address: stack pointer;
     * value: address of the instruction. */
    HSW_REQUEST,

    /* A ranged store, one operation: address, value: length | enum hsw_range << 56; payload: the
     * bytes now there (no payload and no END for HSW_RANGE_FILL, whose next record is HSW_FILL).
     * END value: site. Only parts that lie in recorded pages are sent. A piece with HSW_RANGE_MORE
     * set in its kind is continued by the next record. */
    HSW_RANGE,
    HSW_FILL, /* second record of a fill. address: site; value: the byte */

    /* A file was mapped. address, value: length | protection << 56 (1 read, 2 write, 4 execute);
     * payload: struct hsw_map, then the path, NUL-terminated. */
    HSW_MAP,
    HSW_UNMAP, /* address, value: length */
    /* Writable data of a module that is recorded from here on. address, value: length. The bytes at
     * this moment follow as HSW_RANGE of kind HSW_RANGE_INITIAL (parts that are all zero may be
     * left out). */
    HSW_GLOBALS,

    /* Where a returned value goes first. address: the return address of a call in own code; value:
     * enum hsw_receiver << 56 | register << 48 | (offset & 0xffffffff). Register numbers are
     * DWARF's. */
    HSW_RECEIVER,

    /* address: stack pointer; value: enum hsw_cpoint << 56 | number of the --cpoint option;
     * payload: the name given by the program, or the option's text, NUL-terminated; the end
     * record's value is the address of the instruction. */
    HSW_CPOINT,
    HSW_ROOT, /* address: of the root; value: size; payload: its name */

    /* Words of stacks and registers that may point into the heap, at a C-point, exit or crash.
     * address: thread; value: enum hsw_scan << 56 | bytes of payload; payload: hsw_scan_word[].
     * Follows the record of the moment it belongs to. */
    HSW_SCAN,

    HSW_SIGNAL,    /* a handler starts. address: stack pointer interrupted; value: signal */
    HSW_SIGRETURN, /* and ends. address: stack pointer restored, the same unless it was changed */
    HSW_CRASH,     /* address: program counter; value: signal or 0 | stack pointer << 8 */
    HSW_EXIT,      /* address: 0; value: exit code */
    HSW_EXECVE,    /* about to exec. value: bytes of payload; payload: the path */

    /* The call stack when recording starts late (--from, a followed fork), outermost first.
     * address: thread; value: bytes of payload; payload: hsw_frame[]. An HSW_SWITCH before
     * HSW_BEGIN names the thread that runs. */
    HSW_STACK,
    /* Recording of the section starts. What came since HSW_SNAPSHOT was there before: HSW_MAP and
     * HSW_GLOBALS, HSW_ALLOC of the live blocks in order of birth, each with its whole contents as
     * HSW_RANGE_INITIAL, HSW_STACK per thread. */
    HSW_BEGIN,
    HSW_FINISH, /* and ends (--until, stop); only HSW_CRASH, HSW_EXIT and HSW_SCAN count after it */
    HSW_SNAPSHOT, /* what follows up to HSW_BEGIN is the starting snapshot */

    /* The program does something wrong, for the first time in this way at this place: what is alike
     * is counted by the tool and not sent again. address: stack pointer; value: bytes of payload;
     * payload: struct hsw_error_report. Counts also after HSW_FINISH. */
    HSW_ERROR,
    HSW_ERROR_TIMES, /* at the end, if more than once. address: number of the error; value: times */

    /* What recorded pages hold at the end of the recording. Where that is not what the records
     * before it say, something else wrote there. address; value: bytes of payload | enum hsw_holds
     * << 56; END value: an address in the first thread's own memory. */
    HSW_HOLDS,
    HSW_UNSEEN, /* from here on memory may be written unseen. address: enum hsw_unseen */

    /* A file was mapped, as code or as data. address, value: length; payload: its path,
     * NUL-terminated. Then memory was unmapped, or mapped anew, in which a file lay. address,
     * value: length. */
    HSW_FILE_MAPPED,
    HSW_FILE_UNMAPPED,

    /* Modes portable and internals only (docs/internals/portable.md). `id`: the tool's number of a
     * node, 32 bits, from 1 in order of HSW_NODE. `site` 0: the statement is the call stack's. */
    HSW_MODE, /* address: enum hsw_mode. Before all others of this group */
    /* A node begins. address: its start; value: id | site << 32 | enum hsw_node << 56. */
    HSW_NODE,
    /* Its extent, right after its HSW_NODE and again when it changed; the last one holds for the
     * node's whole life. address: of its first word, a multiple of 8; value: id | words << 32. */
    HSW_JOIN,
    /* Of a node of kind SPLIT, after its JOIN; a JOIN of the source follows. address: the border;
     * value: id | id of the source << 32. */
    HSW_SOURCE,
    /* A merge edge; the clusters or nodes of both become one cluster. address: site; value: id of
     * the node of the base | id of the node reached << 32. */
    HSW_MERGE,
    /* Members of a cluster leave it together. address: site; value: id of the lowest that leaves;
     * all that start above it leave as well. */
    HSW_SEPARATE,
    HSW_NODE_END, /* address: site; value: id | enum hsw_node_end << 32 */
    /* address: accessed; value: id of the base's node | site << 32 | enum hsw_suspicion << 56, with
     * HSW_POSSIBLE. HSW_SUSPECT follows: address: the base; value: id of the node accessed, 0: none
     * | bytes << 32. */
    HSW_SUSPICIOUS,
    HSW_SUSPECT,
    HSW_COUNTED,   /* at the end. address: enum hsw_counted; value: how often */
    HSW_CANDIDATE, /* at the end, a function that looks like an allocator's. address: its entry;
                    * value: blocks | bytes of code << 32 | enum hsw_candidate << 56 */

    /* The instruction stream. Its records stand between the others, in the order of the program. */
    /* A block of code, before it runs for the first time. address: its id, from 1; value: bytes of
     * payload; payload: struct hsw_block, its code padded to 8 bytes, hsw_access[], hsw_exit[]. The
     * same code translated again is the same block. */
    HSW_BLOCK,
    /* A block runs. address: how it was left (8 bits) << 32 | its id; then its words, beginning in
     * the record's second one, padded to 16 bytes: no END, the block says how many. It stands there
     * as a whole from the start, and is filled in: how it was left is HSW_UNFINISHED at first, the
     * number of an exit, or HSW_TO_THE_END. While it is unfinished, words that belong to accesses
     * which have not taken place mean nothing. Records of the same block's other effects follow;
     * where they fill the segment, the record moves behind them into the next one, and HSW_VOID is
     * what remains: the same length, and of no meaning. */
    HSW_EXECUTED,
    HSW_VOID,
    /* The block that the thread is in faulted, or the tool left it. address: of the instruction
     * before which that was. */
    HSW_FAULT,
    /* Memory was copied (or filled: address 0) by something that is no instruction. Two records:
     * HSW_MOVED, address: from, value: length; then HSW_MOVED_TO, address: to, value: site.
     * HSW_PLACED_BY before them says where the target's address was found out from (strcat: the
     * string that is there). address; value: length. */
    HSW_PLACED_BY,
    HSW_MOVED,
    HSW_MOVED_TO,
    /* What a system call of the thread does: reads, then (other threads may have run meanwhile)
     * writes. address; value: length. HSW_SYSTEM_CALL ends it. address: general registers that it
     * read, a bit for each in the order of their numbers (rax, rcx, rdx, rbx, ...); none: it was no
     * call, but the frame of a signal's handler. */
    HSW_SYSTEM_READ,
    HSW_SYSTEM_WROTE,
    HSW_SYSTEM_CALL,
    /* The result of the function that the tool did itself comes from memory as well. address;
     * value: length. */
    HSW_RESULT_FROM,
    HSW_STREAM_END /* no records of this group follow: --stream-until, or stop_stream */
};

#define HSW_SITE_VALUE(id, size, kind, flags)                                                      \
    ((unsigned long long)(id) | (unsigned long long)(size) << 24 |                                 \
     (unsigned long long)(kind) << 32 | (unsigned long long)(flags) << 40)

enum hsw_site_kind {
    HSW_SITE_STORE = 1,  /* size: bytes stored, 1 2 4 8 */
    HSW_SITE_MORE = 2,   /* a further word of the same instruction's store (vector, cmpxchg16b);
                          * comes alone where only the second page of a store is recorded */
    HSW_SITE_CALL = 3,   /* size: length of the call instruction */
    HSW_SITE_RANGED = 4, /* a replaced string function, a rep instruction, a system call */
    HSW_SITE_LOAD = 5    /* of records of the modes portable and internals */
};
enum hsw_site_flag { HSW_SITE_OWN = 1 };

enum hsw_allocator {
    HSW_MALLOC = 1,
    HSW_CALLOC = 2, /* zeroed */
    HSW_MEMALIGN = 3,
    HSW_NEW = 4,
    HSW_NEW_ARRAY = 5,
    HSW_CUSTOM = 6,       /* --alloc-fn, --free-fn */
    HSW_CUSTOM_SIZED = 9, /* of a wrapper: the block that malloc made below is of this size */
    HSW_CUSTOM_OWN = 10,  /* a block of its own, even where one of malloc's begins */
    HSW_CUSTOM_TOLD = 11, /* the same, but no function has returned it: the program says so; of
                           * HSW_FREE_BLOCK: the program says so of a block of malloc's */
    HSW_BY_REALLOC = 7,   /* of HSW_BAD_FREE */
    HSW_TRUTH = 0x80      /* flag: said for comparison only, makes no node (--truth) */
};

enum hsw_mode { HSW_ALLOCATIONS = 1, HSW_PORTABLE = 2, HSW_INTERNALS = 3 };

enum hsw_node {
    HSW_NODE_RETURNED = 1, /* by left-out code; what its words held before is not the node's */
    HSW_NODE_KEPT = 2,     /* the same, a reallocation in place: words keep their versions */
    HSW_NODE_SEEN = 3,     /* first accessed here */
    HSW_NODE_STORED = 4,   /* a pointer to it was stored first */
    HSW_NODE_SPLIT = 5     /* HSW_SOURCE follows; words keep their versions */
};

enum hsw_node_end {
    HSW_END_FREED = 1,
    HSW_END_REUSED = 2,
    HSW_END_UNMAPPED = 3,
    HSW_END_REALLOCATED = 4
};

enum hsw_suspicion {
    HSW_SUSPICION_OFFSET = 1, /* base + offset lies in another node */
    HSW_SUSPICION_RANGE = 2,  /* a ranged operation runs into another node */
    HSW_SUSPICION_WALK = 3,   /* a pointer walked into another node */
    HSW_SUSPICION_STALE = 4,  /* the node was given up; both ids are its */
    HSW_SUSPICION_FIELD = 5,  /* a ranged write over a field of its node (the address) that the code
                               * addresses by itself */
    HSW_POSSIBLE = 0x80       /* flag: possible, else certain */
};

enum hsw_counted {
    HSW_COUNTED_HIGH = 1,     /* accesses to heap above 128 GiB, which is not recorded */
    HSW_COUNTED_FAR = 2,      /* base and address far apart and a node between them: not learnt */
    HSW_COUNTED_SILENT = 3,   /* suspicious accesses beyond the first 16 of a statement */
    HSW_COUNTED_BAD_FREE = 4, /* free of what is no node's start */
    HSW_COUNTED_QUIET = 5,    /* checks that failed often, taught nothing and were switched off */
    HSW_COUNTED_CROWDED = 6   /* merges not made: a cluster has at most 256 nodes */
};

enum hsw_candidate {
    HSW_CANDIDATE_GIVES = 1, /* it returned addresses that nobody had returned before */
    HSW_CANDIDATE_TAKES = 2  /* it was given addresses that were returned again afterwards */
};

enum hsw_range {
    HSW_RANGE_COPY = 1,    /* memcpy, strcpy, rep movs, vector helpers */
    HSW_RANGE_FILL = 2,    /* memset, rep stos */
    HSW_RANGE_SYSCALL = 3, /* written by the kernel */
    HSW_RANGE_REALLOC = 4, /* part of the reallocation before it */
    HSW_RANGE_INITIAL = 5, /* contents before recording: no change, no event */
    HSW_RANGE_MORE = 0x80  /* flag: the next record continues this operation */
};

#define HSW_UNFINISHED 254u
#define HSW_TO_THE_END 255u
#define HSW_NO_WORD 0xffffu

enum hsw_jump {
    HSW_JUMP_PLAIN = 0,
    HSW_JUMP_CALL = 1,
    HSW_JUMP_RETURN = 2,
    HSW_JUMP_SYSTEM_CALL = 3,
    HSW_JUMP_CLIENT_REQUEST = 4,
    HSW_JUMP_OTHER = 5
};

struct hsw_block {
    unsigned long long address;
    unsigned short code, accesses, exits; /* how many bytes, accesses, exits */
    unsigned short words;                 /* of every execution */
    unsigned short stack_word;            /* the one that is the stack pointer on entry */
    unsigned short stub; /* instruction that the tool does itself, from 1; 0: none */
    /* Of that: the general registers (bits as in HSW_SYSTEM_CALL) from which its result in rax
     * comes, those that say where it copies or fills, and those that hold what it fills with. */
    unsigned short stub_result, stub_where, stub_what;
    unsigned char jump; /* enum hsw_jump */
    unsigned char own;
    unsigned char left_out; /* only the stream is recorded of it, not even calls and returns */
    unsigned char unused[3];
};

/* Its address is a word of the execution plus the displacement, or the displacement alone. */
struct hsw_access {
    long long displacement;
    long long constant; /* stores without words: the value */
    unsigned size;
    unsigned short instruction; /* which of the block's, from 0 */
    unsigned short word;        /* HSW_NO_WORD: none, as for all that follow */
    unsigned short guard;       /* 0 in it: did not take place */
    unsigned short value;       /* stores: the first of the words stored, one for 8 bytes */
    unsigned char is_store;
    unsigned char unused[3];
};

struct hsw_exit {
    unsigned short instruction; /* after which */
    unsigned short accesses;    /* that have taken place by then */
};

struct hsw_map {
    unsigned long long file_offset;
    unsigned long long device;
    unsigned long long inode;
    unsigned own; /* belongs to the program itself: its statements are the user's */
    unsigned unused;
};

enum hsw_receiver {
    HSW_RECEIVER_MEMORY = 1,   /* stored at register + offset */
    HSW_RECEIVER_REGISTER = 2, /* copied to the register */
    HSW_RECEIVER_GLOBAL = 3    /* stored at the address in the low 40 bits */
};

enum hsw_cpoint {
    HSW_CPOINT_CLIENT = 1, /* HEAPSTORY_CPOINT in the program */
    HSW_CPOINT_OPTION = 2  /* record --cpoint */
};

enum hsw_scan {
    HSW_SCAN_STACK = 1,
    HSW_SCAN_REGISTERS = 2,
    HSW_SCAN_MEMORY = 3,  /* neither stack nor recorded: thread-local, mapped by the program */
    HSW_SCAN_PARTIAL = 4, /* without words: there was too much memory to scan all of it */
    /* where: an address inside a block that pointers mean as they mean a start; value: hsw_part */
    HSW_SCAN_PARTS = 5
};

/* Why an address inside a block is as good as its start. */
enum hsw_part {
    HSW_PART_ARRAY = 1,       /* of new[], behind the count; or behind a header with the size */
    HSW_PART_INHERITANCE = 2, /* a sub-object with a table of virtual functions */
    HSW_PART_STRING = 3       /* the characters of an old std::string */
};

struct hsw_scan_word {
    unsigned long long where; /* address of the word, or DWARF register number */
    unsigned long long value;
};

enum hsw_holds {
    HSW_HOLDS_ALL = 1,
    HSW_HOLDS_NODES = 2 /* of what lies outside of allocated nodes, and in the one with thread-local
                         * variables, not all stores are recorded */
};
enum hsw_unseen { HSW_UNSEEN_IO_URING = 1 };

enum hsw_error {
    HSW_UNADDRESSABLE_READ = 1,
    HSW_UNADDRESSABLE_WRITE = 2,
    HSW_OVERLAP = 3,      /* source and destination of a copy; the address is the destination */
    HSW_BAD_ARGUMENT = 4, /* a size: the address, negative; or wrong for the block */
    /* Of values that were never set. The address is where the value was first read from. */
    HSW_UNDEFINED_CONDITION = 5, /* a comparison, a jump, a conditional move depends on it */
    HSW_UNDEFINED_ADDRESS = 6,   /* it is used as an address, or where to jump */
    HSW_UNDEFINED_ARGUMENT = 7   /* the kernel would have read it */
};

struct hsw_error_report {
    unsigned long long address; /* accessed, freed, ... */
    unsigned long long bytes;   /* accessed; 0 where that means nothing */
    unsigned long long block;   /* that it is about or the value came from: its start, 0: none */
    unsigned site;              /* 0: the statement is the call stack's */
    unsigned number;            /* from 1 */
    unsigned kind;              /* enum hsw_error */
    unsigned by_system_call;    /* not 0: the kernel would have made the access */
    unsigned origin;            /* site whose function has the variable the value came from, or 0 */
    unsigned unused;
};

struct hsw_frame {
    unsigned long long pc; /* in callers, an address inside the call instruction */
    unsigned long long sp; /* where the frame's return address lies, as in HSW_CALL */
};

#endif
