/* Writes a word of its own memory in a way that no instruction or system call of the process does.
 * The word is a variable, or with "heap" behind the way a block. Prints "wrote" if that worked,
 * "refused" if this machine does not allow it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define NEW 0x1122334455667788ul

static unsigned long page[2 * PAGE / sizeof(unsigned long)] __attribute__((aligned(PAGE)));
static unsigned long *word;

static int poke(pid_t parent) {
    struct iovec from = {&(unsigned long){NEW}, 8}, to = {word, 8};
    return process_vm_writev(parent, &from, 1, &to, 1, 0) == 8;
}

static int poke_file(pid_t parent) {
    char path[50];
    unsigned long value = NEW;
    sprintf(path, "/proc/%d/mem", parent);
    return pwrite(open(path, O_WRONLY), &value, 8, (off_t)word) == 8;
}

static int poke_traced(pid_t parent) {
    int status;
    if (ptrace(PTRACE_SEIZE, parent, 0, 0) || ptrace(PTRACE_INTERRUPT, parent, 0, 0))
        return 0;
    waitpid(parent, &status, __WALL);
    int done = ptrace(PTRACE_POKEDATA, parent, word, NEW) == 0;
    return ptrace(PTRACE_DETACH, parent, 0, 0) == 0 && done;
}

static int store(pid_t parent) {
    *word = NEW;
    return 1;
}

static int other_process(int (*act)(pid_t)) {
    int status;
    pid_t parent = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (fork() == 0)
        _exit(!act(parent));
    wait(&status);
    return status == 0;
}

/* Maps the file over the page of the word, and keeps what is there. */
static int share(int file) {
    if (ftruncate(file, PAGE) || pwrite(file, page, PAGE, 0) != PAGE)
        return 0;
    return mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == page;
}

/* Reads from the pipe into the word, without a call of this thread that does it. */
static int ring(void) {
    struct io_uring_params p = {0};
    int pipes[2], fd = (int)syscall(SYS_io_uring_setup, 4, &p);
    unsigned long value = NEW;
    if (fd < 0 || pipe(pipes) || write(pipes[1], &value, 8) != 8)
        return 0;
    char *sq = mmap(0, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                    IORING_OFF_SQ_RING);
    struct io_uring_sqe *sqe = mmap(0, p.sq_entries * sizeof *sqe, PROT_READ | PROT_WRITE,
                                    MAP_SHARED, fd, IORING_OFF_SQES);
    *sqe = (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                 .fd = pipes[0],
                                 .addr = (uintptr_t)word,
                                 .len = 8};
    *(unsigned *)(sq + p.sq_off.array) = 0;
    __atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
    return syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) == 1;
}

static int act(const char *way) {
    if (!strcmp(way, "process_vm_writev"))
        return other_process(poke);
    if (!strcmp(way, "proc"))
        return other_process(poke_file);
    if (!strcmp(way, "ptrace"))
        return other_process(poke_traced);
    if (!strcmp(way, "shared"))
        return share(memfd_create("shared", 0)) && other_process(store);
    if (!strcmp(way, "file")) {
        unsigned long value = NEW;
        int file = memfd_create("file", 0);
        return share(file) && pwrite(file, &value, 8, 0) == 8;
    }
    if (!strcmp(way, "shm")) {
        int id = shmget(IPC_PRIVATE, PAGE, 0600);
        void *at = shmat(id, page, SHM_REMAP);
        shmctl(id, IPC_RMID, 0);
        *word = 1;
        return at == page && other_process(store);
    }
    if (!strcmp(way, "io_uring"))
        return ring();
    return store(0);
}

int main(int argc, char **argv) {
    int heap = argc > 2 && !strcmp(argv[2], "heap");
    word = heap ? malloc(8) : page;
    *word = 7;
    puts(act(argv[1]) && *(volatile unsigned long *)word == NEW ? "wrote" : "refused");
    fflush(stdout);
    if (argc > 2 && !strcmp(argv[argc - 1], "crash"))
        abort();
    if (argc > 2 && !strcmp(argv[argc - 1], "exec"))
        execl("/bin/true", "true", (char *)0);
    if (argc > 2 && !strcmp(argv[argc - 1], "again"))
        *word = 8; /* what the recorder missed is gone */
    return 0;
}
