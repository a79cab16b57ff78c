/* One case for each system call that writes memory, by as many ways as it has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static char path[] = "system-calls.txt";

static int file(void) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(fd, "0123456789abcdefghijklmnopqrstuvwxyz", 36) != 36)
        exit(2);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void files(void) {
    int fd = file(), other = open("system-calls.other", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CASE("read", read(fd, room(8, NULL), 8));
    CASE("pread64", pread(fd, room(8, NULL), 8, 4));
    struct iovec parts[2] = {{room(3, NULL), 3}, {room(5, NULL), 5}};
    CASE("readv", readv(fd, COPY(parts), 2));
    struct iovec more[2] = {{room(3, NULL), 3}, {room(5, NULL), 5}};
    CASE("preadv", preadv(fd, more, 2, 1));
    struct iovec last[1] = {{room(6, NULL), 6}};
    CASE("preadv2", preadv2(fd, last, 1, 2, 0));
    CASE("stat", syscall(SYS_stat, path, R(struct stat)));
    CASE("fstat", syscall(SYS_fstat, fd, R(struct stat)));
    CASE("lstat", syscall(SYS_lstat, path, R(struct stat)));
    CASE("newfstatat", syscall(SYS_newfstatat, AT_FDCWD, path, R(struct stat), 0));
    CASE("statx", statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, R(struct statx)));
    CASE("statfs", syscall(SYS_statfs, ".", R(struct statfs)));
    CASE("fstatfs", syscall(SYS_fstatfs, fd, R(struct statfs)));
    CASE("getcwd", syscall(SYS_getcwd, room(4096, NULL), 4096));
    CASE("readlink", readlink("/proc/self/cwd", room(4096, NULL), 4096));
    CASE("readlinkat", readlinkat(AT_FDCWD, "/proc/self/cwd", room(4096, NULL), 4096));
    int folder = open("/proc/self", O_RDONLY | O_DIRECTORY);
    CASE("getdents64", syscall(SYS_getdents64, folder, room(512, NULL), 512));
    CASE("getdents", syscall(SYS_getdents, folder, room(512, NULL), 512));
    CASE("ioctl FIONREAD", ioctl(fd, FIONREAD, R(int)));
    CASE("sendfile", sendfile(other, fd, number(3), 5));
    loff_t from = 2, to = 9;
    CASE("copy_file_range", copy_file_range(fd, COPY(from), other, COPY(to), 7, 0));
    int ends[2];
    if (pipe(ends) != 0)
        exit(3);
    CASE("splice in", splice(fd, COPY(from), ends[1], NULL, 6, 0));
    CASE("splice out", splice(ends[0], NULL, other, COPY(to), 6, 0));
    struct iovec remote = {path, sizeof path}, local = {room(sizeof path, NULL), sizeof path};
    CASE("process_vm_readv", process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
    CASE("mincore", mincore((void *)((unsigned long)path & ~4095ul), 4096, room(1, NULL)));
    pid_t child = fork();
    if (child == 0) {
        struct flock theirs = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 4, .l_len = 8};
        fcntl(fd, F_SETLK, &theirs);
        kill(getpid(), SIGSTOP);
        _exit(0);
    }
    waitpid(child, NULL, WUNTRACED);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    CASE("fcntl F_GETLK", fcntl(fd, F_GETLK, COPY(lock)));
    CASE("fcntl F_OFD_GETLK", fcntl(fd, F_OFD_GETLK, COPY(lock)));
    kill(child, SIGCONT);
    waitpid(child, NULL, 0);
    fcntl(ends[0], F_SETOWN, getpid());
    CASE("fcntl F_GETOWN_EX", fcntl(ends[0], F_GETOWN_EX, R(struct f_owner_ex)));
    setxattr(path, "user.heapstory", "value", 5, 0);
    CASE("getxattr", getxattr(path, "user.heapstory", room(16, NULL), 16));
    CASE("lgetxattr", lgetxattr(path, "user.heapstory", room(16, NULL), 16));
    CASE("fgetxattr", fgetxattr(fd, "user.heapstory", room(16, NULL), 16));
    CASE("listxattr", listxattr(path, room(64, NULL), 64));
    CASE("llistxattr", llistxattr(path, room(64, NULL), 64));
    CASE("flistxattr", flistxattr(fd, room(64, NULL), 64));
    int watch = inotify_init1(0);
    inotify_add_watch(watch, ".", IN_CREATE);
    close(open("system-calls.created", O_CREAT | O_RDWR, 0600));
    CASE("read inotify", read(watch, room(256, NULL), 256));
    CASE("pipe", syscall(SYS_pipe, room(2 * sizeof(int), NULL)));
    CASE("pipe2", pipe2(room(2 * sizeof(int), NULL), O_CLOEXEC));
    unlink(path);
    unlink("system-calls.other");
    unlink("system-calls.created");
}

static void waiting(void) {
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        exit(4);
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    CASE("poll", poll(COPY(wanted), 1, 0));
    struct timespec second = {1, 0};
    CASE("ppoll", syscall(SYS_ppoll, COPY(wanted), 1, COPY(second), NULL, 8));
    fd_set read_set, write_set, except_set;
    FD_ZERO(&read_set);
    FD_ZERO(&write_set);
    FD_ZERO(&except_set);
    FD_SET(ends[0], &read_set);
    FD_SET(ends[0], &except_set);
    FD_SET(ends[0], &write_set);
    FD_SET(ends[1], &write_set);
    struct timeval while_ = {1, 0};
    int n = ends[1] + 1;
    CASE("select", syscall(SYS_select, n, NULL, COPY(write_set), COPY(except_set), COPY(while_)));
    CASE("pselect6", syscall(SYS_pselect6, n, NULL, COPY(write_set), COPY(except_set),
                             COPY(second), NULL));
    int many = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 42};
    epoll_ctl(many, EPOLL_CTL_ADD, ends[0], &event);
    CASE("epoll_wait", syscall(SYS_epoll_wait, many, R(struct epoll_event), 1, 0));
    CASE("epoll_pwait", syscall(SYS_epoll_pwait, many, R(struct epoll_event), 1, 0, NULL, 8));
    int counter = eventfd(7, 0);
    CASE("read eventfd", read(counter, number(0), 8));
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec later = {{5, 6}, {1000, 0}};
    timerfd_settime(timer, 0, &later, NULL);
    CASE("timerfd_settime", timerfd_settime(timer, 0, &later, R(struct itimerspec)));
    CASE("timerfd_gettime", timerfd_gettime(timer, R(struct itimerspec)));
    long first = 0, second_word = 5;
    int *uaddr = COPY(first), *other = COPY(second_word);
    CASE("futex WAKE_OP",
         syscall(SYS_futex, uaddr, FUTEX_WAKE_OP, 1, 1, other, FUTEX_OP(FUTEX_OP_SET, 9, FUTEX_OP_CMP_EQ, 0)));
}

static void sockets(void) {
    int pair[2], length;
    CASE("socketpair", socketpair(AF_UNIX, SOCK_DGRAM, 0, room(2 * sizeof(int), NULL)));
    struct sockaddr_un here = {.sun_family = AF_UNIX, .sun_path = "\0heapstory-system-calls"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(server, (void *)&here, sizeof here);
    listen(server, 4);
    connect(client, (void *)&here, sizeof here);
    length = 64;
    CASE("getsockname", getsockname(server, room(64, NULL), COPY(length)));
    CASE("getpeername", getpeername(client, room(64, NULL), COPY(length)));
    CASE("accept", accept(server, room(64, NULL), COPY(length)));
    connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&here, sizeof here);
    CASE("accept4", accept4(server, room(64, NULL), COPY(length), SOCK_CLOEXEC));
    CASE("getsockopt", getsockopt(server, SOL_SOCKET, SO_TYPE, R(int), COPY(length)));
    struct sockaddr_un mine = {.sun_family = AF_UNIX, .sun_path = "\0heapstory-datagrams"};
    int in = socket(AF_UNIX, SOCK_DGRAM, 0), out = socket(AF_UNIX, SOCK_DGRAM, 0);
    bind(in, (void *)&mine, sizeof mine);
    here.sun_path[1] = 'H';
    bind(out, (void *)&here, 20);
    connect(out, (void *)&mine, sizeof mine);
    send(out, "hello", 5, 0);
    CASE("recvfrom", recvfrom(in, room(8, NULL), 8, 0, room(64, NULL), COPY(length)));
    CASE("sendmmsg", ({
             struct iovec part = {"text", 4};
             struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
             sendmmsg(out, COPY(message), 1, 0);
         }));
    struct iovec part = {room(8, NULL), 8};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr message = {.msg_name = room(64, NULL),
                             .msg_namelen = 64,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room(sizeof control, NULL),
                             .msg_controllen = sizeof control};
    CASE("recvmsg", recvmsg(in, COPY(message), 0));
    struct iovec sent = {"fd", 2};
    struct msghdr with_file = {
        .msg_iov = &sent, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    CMSG_FIRSTHDR(&with_file)->cmsg_level = SOL_SOCKET;
    CMSG_FIRSTHDR(&with_file)->cmsg_type = SCM_RIGHTS;
    CMSG_FIRSTHDR(&with_file)->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&with_file)), &in, sizeof in);
    sendmsg(out, &with_file, 0);
    part.iov_base = room(8, NULL);
    message.msg_name = room(64, NULL);
    message.msg_control = room(sizeof control, NULL);
    CASE("recvmsg SCM_RIGHTS", recvmsg(in, COPY(message), 0));
    send(out, "many", 4, 0);
    part.iov_base = room(8, NULL);
    message.msg_name = room(64, NULL);
    message.msg_control = NULL;
    message.msg_controllen = 0;
    struct mmsghdr messages = {.msg_hdr = message};
    CASE("recvmmsg", recvmmsg(in, COPY(messages), 1, 0, NULL));
    (void)pair;
}

static void handler(int number) {
    (void)number;
}

static void times_and_limits(void) {
    CASE("gettimeofday", syscall(SYS_gettimeofday, R(struct timeval), NULL));
    CASE("time", syscall(SYS_time, R(time_t)));
    CASE("clock_gettime", syscall(SYS_clock_gettime, CLOCK_MONOTONIC, R(struct timespec)));
    CASE("clock_getres", syscall(SYS_clock_getres, CLOCK_MONOTONIC, R(struct timespec)));
    CASE("times", syscall(SYS_times, R(struct tms)));
    struct timex asked = {.modes = 0};
    CASE("adjtimex", adjtimex(COPY(asked)));
    CASE("getrlimit", syscall(SYS_getrlimit, RLIMIT_NOFILE, R(struct rlimit)));
    CASE("prlimit64", syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, R(struct rlimit)));
    CASE("getrusage", syscall(SYS_getrusage, RUSAGE_SELF, R(struct rusage)));
    CASE("sysinfo", syscall(SYS_sysinfo, R(struct sysinfo)));
    CASE("uname", syscall(SYS_uname, R(struct utsname)));
    struct itimerval later = {{0, 0}, {1000, 0}}, never = {{0, 0}, {0, 0}};
    syscall(SYS_setitimer, ITIMER_REAL, &later, NULL);
    CASE("getitimer", syscall(SYS_getitimer, ITIMER_REAL, R(struct itimerval)));
    CASE("setitimer", syscall(SYS_setitimer, ITIMER_REAL, &never, R(struct itimerval)));
    int *id = R(int);
    struct sigevent quiet = {.sigev_notify = SIGEV_NONE};
    CASE("timer_create", syscall(SYS_timer_create, CLOCK_MONOTONIC, &quiet, id));
    struct itimerspec some = {{0, 0}, {1000, 0}};
    syscall(SYS_timer_settime, *id, 0, &some, NULL);
    CASE("timer_settime", syscall(SYS_timer_settime, *id, 0, &some, R(struct itimerspec)));
    CASE("timer_gettime", syscall(SYS_timer_gettime, *id, R(struct itimerspec)));
    signal(SIGALRM, handler);
    struct itimerval soon = {{0, 0}, {0, 20000}};
    struct timespec nap = {100, 0};
    setitimer(ITIMER_REAL, &soon, NULL);
    CASE("nanosleep", syscall(SYS_nanosleep, &nap, R(struct timespec)));
    setitimer(ITIMER_REAL, &soon, NULL);
    CASE("clock_nanosleep",
         syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, R(struct timespec)));
}

static void processes(void) {
    CASE("getresuid", syscall(SYS_getresuid, R(uid_t), R(uid_t), R(uid_t)));
    CASE("getresgid", syscall(SYS_getresgid, R(gid_t), R(gid_t), R(gid_t)));
    struct sched_param none = {7};
    CASE("sched_getparam", syscall(SYS_sched_getparam, 0, COPY(none)));
    CASE("sched_rr_get_interval", syscall(SYS_sched_rr_get_interval, 0, R(struct timespec)));
    CASE("sched_getaffinity", syscall(SYS_sched_getaffinity, 0, 128, room(128, NULL)));
    CASE("sched_getattr", syscall(SYS_sched_getattr, 0, room(48, NULL), 48, 0));
    CASE("getcpu", syscall(SYS_getcpu, R(unsigned), R(unsigned), NULL));
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    CASE("capget", syscall(SYS_capget, &head, room(2 * sizeof(struct __user_cap_data_struct), NULL)));
    CASE("prctl PR_GET_NAME", prctl(PR_GET_NAME, room(16, NULL)));
    CASE("prctl PR_GET_PDEATHSIG", prctl(PR_GET_PDEATHSIG, R(int)));
    CASE("arch_prctl", syscall(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, R(long)));
    CASE("getrandom", syscall(SYS_getrandom, room(24, NULL), 24, 0));
    CASE("get_robust_list", syscall(SYS_get_robust_list, 0, R(long), R(long)));
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    CASE("wait4", syscall(SYS_wait4, child, R(int), 0, R(struct rusage)));
    child = fork();
    if (child == 0)
        _exit(6);
    CASE("waitid", syscall(SYS_waitid, P_PID, child, R(siginfo_t), WEXITED, R(struct rusage)));
}

static void signals(void) {
    struct sigaction act = {.sa_handler = handler};
    sigset_t set, old;
    sigaction(SIGUSR1, &act, NULL);
    CASE("rt_sigaction", sigaction(SIGUSR1, NULL, R(struct sigaction)));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CASE("rt_sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, R(long), 8));
    raise(SIGUSR1);
    CASE("rt_sigpending", syscall(SYS_rt_sigpending, R(long), 8));
    struct timespec second = {1, 0};
    CASE("rt_sigtimedwait", syscall(SYS_rt_sigtimedwait, &set, R(siginfo_t), &second, 8));
    raise(SIGUSR1);
    int fd = signalfd(-1, &set, 0);
    CASE("read signalfd", read(fd, room(128, NULL), 128));
    sigprocmask(SIG_UNBLOCK, &set, &old);
    CASE("sigaltstack", sigaltstack(NULL, R(stack_t)));
}

static void system_v(void) {
    struct {
        long type;
        char text[8];
    } message = {3, "message"};
    int queue = msgget(IPC_PRIVATE, 0600), set = semget(IPC_PRIVATE, 2, 0600);
    int segment = shmget(IPC_PRIVATE, 4096, 0600);
    msgsnd(queue, &message, 8, 0);
    CASE("msgctl IPC_STAT", msgctl(queue, IPC_STAT, R(struct msqid_ds)));
    CASE("msgrcv", msgrcv(queue, room(sizeof message, NULL), 8, 0, 0));
    CASE("semctl IPC_STAT", semctl(set, 0, IPC_STAT, R(struct semid_ds)));
    CASE("semctl GETALL", semctl(set, 0, GETALL, room(2 * sizeof(short), NULL)));
    CASE("shmctl IPC_STAT", shmctl(segment, IPC_STAT, R(struct shmid_ds)));
    msgctl(queue, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    shmctl(segment, IPC_RMID, NULL);
}

int main(void) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    files();
    waiting();
    sockets();
    times_and_limits();
    processes();
    signals();
    system_v();
    return 0;
}
