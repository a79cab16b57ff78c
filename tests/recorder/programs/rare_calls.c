/* System calls that few programs make, and ways of common ones that Valgrind does not know. What a
 * machine does not allow is shown with its errno. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static char path[] = "rare-calls.txt";
static const char text[] = "0123456789abcdef";

static int file(void) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(fd, text, 16) != 16)
        exit(2);
    return fd;
}

static long get_event(aio_context_t context, struct iocb *wanted) {
    syscall(SYS_io_submit, context, 1, &wanted);
    return syscall(SYS_io_getevents, context, 1, 1, R(struct io_event), NULL);
}

static void asynchronous(int fd) {
    aio_context_t *context = number(0);
    CASE("io_setup", syscall(SYS_io_setup, 4, context));
    struct iocb one = {.aio_lio_opcode = IOCB_CMD_PREAD,
                       .aio_fildes = fd,
                       .aio_buf = (unsigned long)room(8, NULL),
                       .aio_nbytes = 8};
    CASE("io_getevents", get_event(*context, &one));
    struct iovec parts[2] = {{room(3, NULL), 3}, {room(5, NULL), 5}};
    struct iocb two = {.aio_lio_opcode = IOCB_CMD_PREADV,
                       .aio_fildes = fd,
                       .aio_buf = (unsigned long)parts,
                       .aio_nbytes = 2};
    CASE("io_getevents preadv", get_event(*context, &two));
}

static void queues(void) {
    struct mq_attr small = {.mq_maxmsg = 4, .mq_msgsize = 16}, other = {.mq_flags = O_NONBLOCK};
    mqd_t queue = mq_open("/heapstory-rare", O_RDWR | O_CREAT, 0600, &small);
    CASE("mq_getsetattr", syscall(SYS_mq_getsetattr, queue, &other, R(struct mq_attr)));
    mq_send(queue, "message", 7, 3);
    CASE("mq_timedreceive",
         syscall(SYS_mq_timedreceive, queue, room(16, NULL), 16, R(unsigned), NULL));
    mq_unlink("/heapstory-rare");
    int segment = shmget(IPC_PRIVATE, 4096, 0600);
    CASE("msgctl IPC_INFO", msgctl(0, IPC_INFO, R(struct msginfo)));
    CASE("semctl IPC_INFO", semctl(0, 0, IPC_INFO, R(struct seminfo)));
    CASE("shmctl IPC_INFO", shmctl(0, IPC_INFO, R(struct shminfo)));
    CASE("shmctl SHM_INFO", shmctl(0, SHM_INFO, R(struct shm_info)));
    shmctl(segment, IPC_RMID, NULL);
}

static void of_the_kernel(int fd) {
    gid_t groups[2] = {5, 6};
    syscall(SYS_setgroups, 2, groups);
    CASE("getgroups", syscall(SYS_getgroups, 64, room(256, NULL)));
    CASE("get_mempolicy", syscall(SYS_get_mempolicy, R(int), room(128, NULL), 1024, NULL, 0));
    void *page = (void *)((unsigned long)path & ~4095ul);
    CASE("move_pages", syscall(SYS_move_pages, 0, 1, &page, NULL, R(int), 0));
    long key = syscall(SYS_add_key, "user", "name", "secret", 6, KEY_SPEC_PROCESS_KEYRING);
    CASE("keyctl read", syscall(SYS_keyctl, KEYCTL_READ, key, room(16, NULL), 16));
    CASE("keyctl describe", syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, room(64, NULL), 64));
    CASE("keyctl security", syscall(SYS_keyctl, KEYCTL_GET_SECURITY, key, room(64, NULL), 64));
    struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof clock,
                                    .config = PERF_COUNT_SW_CPU_CLOCK};
    int counter = syscall(SYS_perf_event_open, &clock, 0, -1, -1, 0);
    CASE("read perf", read(counter, room(8, NULL), 8));
    CASE("ioctl PERF_EVENT_IOC_ID", ioctl(counter, PERF_EVENT_IOC_ID, R(long)));
    struct {
        struct file_handle head;
        char rest[128];
    } handle = {{.handle_bytes = 128}};
    CASE("name_to_handle_at", name_to_handle_at(AT_FDCWD, ".", (void *)COPY(handle), R(int), 0));
    struct timex asked = {.modes = 0};
    CASE("clock_adjtime", syscall(SYS_clock_adjtime, CLOCK_REALTIME, COPY(asked)));
    CASE("prctl PR_GET_CHILD_SUBREAPER", prctl(PR_GET_CHILD_SUBREAPER, R(int)));
    CASE("prctl PR_GET_TID_ADDRESS", prctl(PR_GET_TID_ADDRESS, R(long)));
    CASE("prctl PR_GET_TSC", prctl(PR_GET_TSC, R(int)));
    CASE("futex LOCK_PI", syscall(SYS_futex, number(0), FUTEX_LOCK_PI, 0, NULL, NULL, 0));
}

static void devices(void) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), in = socket(AF_INET, SOCK_STREAM, 0);
    struct ifreq loopback = {.ifr_name = "lo"};
    CASE("ioctl TCGETS", ioctl(terminal, TCGETS, room(36, NULL)));
    CASE("ioctl TIOCGPTN", ioctl(terminal, TIOCGPTN, R(int)));
    CASE("ioctl TIOCGWINSZ", ioctl(terminal, TIOCGWINSZ, R(struct winsize)));
    CASE("ioctl TIOCGETD", ioctl(terminal, TIOCGETD, R(int)));
    CASE("ioctl SIOCGIFFLAGS", ioctl(in, SIOCGIFFLAGS, COPY(loopback)));
    CASE("ioctl SIOCGIFTXQLEN", ioctl(in, SIOCGIFTXQLEN, COPY(loopback)));
    struct ifconf all = {.ifc_len = 200, .ifc_buf = room(200, NULL)};
    CASE("ioctl SIOCGIFCONF", ioctl(in, SIOCGIFCONF, COPY(all)));
    socklen_t length = 104;
    CASE("getsockopt TCP_INFO",
         getsockopt(in, IPPROTO_TCP, TCP_INFO, room(104, NULL), COPY(length)));
}

static void messages(void) {
    int ends[2], yes = 1;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    send(ends[0], "a long message", 14, 0);
    CASE("recv MSG_TRUNC", recv(ends[1], room(4, NULL), 4, MSG_TRUNC));
    send(ends[0], "peeked", 6, 0);
    CASE("recv MSG_PEEK", recv(ends[1], room(8, NULL), 8, MSG_PEEK));
    struct iovec parts[3] = {{room(2, NULL), 2}, {NULL, 0}, {room(6, NULL), 6}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    CASE("recvmsg in parts", recvmsg(ends[1], &message, 0));
    setsockopt(ends[1], SOL_SOCKET, SO_TIMESTAMP, &yes, sizeof yes);
    send(ends[0], "stamped", 7, 0);
    struct iovec part = {room(8, NULL), 8};
    struct msghdr stamped = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room(128, NULL),
                             .msg_controllen = 128};
    CASE("recvmsg SO_TIMESTAMP", recvmsg(ends[1], COPY(stamped), 0));
}

static void other_processes(void) {
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, NULL, WUNTRACED);
    CASE("ptrace PEEKDATA", syscall(SYS_ptrace, PTRACE_PEEKDATA, child, text, R(long)));
    CASE("ptrace GETREGS", ptrace(PTRACE_GETREGS, child, 0, R(struct user_regs_struct)));
    CASE("ptrace GETSIGINFO", ptrace(PTRACE_GETSIGINFO, child, 0, R(siginfo_t)));
    struct iovec registers = {room(27 * 8, NULL), 27 * 8};
    CASE("ptrace GETREGSET", ptrace(PTRACE_GETREGSET, child, 1, &registers));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* The process's own memory, by its number or as a file. */
static void itself(void) {
    int memory = open("/proc/self/mem", O_RDWR);
    CASE("pwrite64 of memory", pwrite(memory, text, 8, (off_t)room(8, NULL)));
    struct iovec from = {(void *)text, 8}, to = {room(8, NULL), 8};
    CASE("process_vm_writev", process_vm_writev(getpid(), &from, 1, &to, 1, 0));
}

#define PAGE 4096

/* A page of a block of its own that is to be replaced. */
static char *page(void) {
    char *block = malloc(4 * PAGE), *start = (char *)(((long)block + PAGE - 1) & -PAGE);
    memset(block, 0xa5, 4 * PAGE);
    rooms[n_rooms].start = (unsigned char *)start;
    rooms[n_rooms].before = memset(malloc(16), 0xa5, 16);
    rooms[n_rooms++].size = 16;
    return start;
}

static char variable[3 * PAGE];

static void replaced(int fd) {
    int flags = MAP_FIXED | MAP_PRIVATE, rights = PROT_READ | PROT_WRITE;
    CASE("madvise", madvise(page(), PAGE, MADV_DONTNEED));
    CASE("mmap", (long)mmap(page(), PAGE, rights, flags | MAP_ANONYMOUS, -1, 0));
    CASE("mmap of a file", (long)mmap(page(), PAGE, rights, flags, fd, 0));
    char *from = mmap(NULL, PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(from, 0x5a, PAGE);
    CASE("mremap", (long)mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page()));
    char *again = page();
    mmap(again, PAGE, rights, flags | MAP_ANONYMOUS, -1, 0);
    CASE("a store into what was mapped", (long)memset(again, 7, 16));
    char *inside = (char *)(((long)variable + PAGE - 1) & -PAGE);
    memset(variable, 0xa5, sizeof variable);
    rooms[0].start = (unsigned char *)inside;
    rooms[0].before = memset(malloc(16), 0xa5, 16);
    rooms[0].size = 16;
    n_rooms = 1;
    CASE("madvise of a variable", madvise(inside, PAGE, MADV_DONTNEED));
}

int main(void) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    int fd = file();
    asynchronous(fd);
    queues();
    of_the_kernel(fd);
    devices();
    messages();
    other_processes();
    itself();
    replaced(fd);
    unlink(path);
    return 0;
}
