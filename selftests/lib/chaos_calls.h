/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls around the sockets of fuzz_calls.h, for threads of chaos.c: memory that
 * is mapped, protected and unmapped while the kernel uses it, processes that begin and
 * end, io_uring, streams, network namespaces, generic netlink, /proc.  Nothing here is judged.
 * Level: test.
 */
#ifndef UET_SELFTESTS_CHAOS_CALLS_H
#define UET_SELFTESTS_CHAOS_CALLS_H

#include <dirent.h>
#include <sched.h>
#include <spawn.h>

#include "chaos_stream.h"
#include "chaos_uring.h"
#include "fuzz_genl.h"
#include "uetns.h"

#define AREAS		8
#define AREA_BYTES	65536
#define NETS		4

/* Numbers for genetlink and for sockets are those of one thread. */
static _Thread_local int nl = -1;
static uint8_t *arena;
static atomic_int nets[NETS];
static int exe_fd;

static inline void open_arena(void)
{
	arena = mmap(NULL, AREAS * AREA_BYTES, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	exe_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < NETS; i++)
		nets[i] = -1;
}

/* ------------------------------------------------------------------- memory */

static inline size_t any_pages(struct thread *t)
{
	return 4096u << fuzz_below(&t->rand, 5);
}

static inline uint8_t *any_area(struct thread *t)
{
	return arena + fuzz_below(&t->rand, AREAS) * AREA_BYTES;
}

/* Bytes of some area, and how many; they may be mapped or not. */
static inline uint8_t *any_bytes(struct thread *t, size_t *len)
{
	size_t skip = fuzz_below(&t->rand, AREA_BYTES);

	*len = fuzz_one_in(&t->rand, 4) ? AREA_BYTES - skip :
					  fuzz_below(&t->rand, AREA_BYTES - skip);
	return any_area(t) + skip;
}

static inline void call_map(struct thread *t)
{
	static const int prots[] = {
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE,
		PROT_READ | PROT_EXEC,
	};
	int prot = prots[fuzz_below(&t->rand, NR(prots))], flags = MAP_FIXED, fd = -1;
	off_t offset = 0;

	switch (fuzz_below(&t->rand, 8)) {
	case 0:
	case 1:
		flags |= MAP_PRIVATE | MAP_ANONYMOUS;
		break;
	case 2:
		flags |= MAP_SHARED | MAP_ANONYMOUS;
		break;
	case 3:
		fd = pattern_fd;
		flags |= fuzz_one_in(&t->rand, 2) ? MAP_SHARED : MAP_PRIVATE;
		break;
	case 4:
		fd = exe_fd;
		flags |= MAP_PRIVATE;
		break;
	default:	/* a ring, perhaps the wrong part of it */
		fd = any_fd(t);
		flags |= fuzz_one_in(&t->rand, 16) ? MAP_PRIVATE : MAP_SHARED;
		offset = fuzz_one_in(&t->rand, 2) ? UET_SQ_RING_OFFSET : 0;
		if (fuzz_one_in(&t->rand, 16))
			offset += 4096 * fuzz_edge(&t->rand);
	}
	if (fuzz_one_in(&t->rand, 4))
		flags |= MAP_POPULATE;
	mmap(any_area(t), any_pages(t), prot, flags, fd, offset);
}

static inline void call_advise(struct thread *t)
{
	static const int advices[] = {
		MADV_NORMAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_REMOVE,
		MADV_DONTFORK, MADV_DOFORK, MADV_MERGEABLE, MADV_UNMERGEABLE,
		MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_WIPEONFORK, MADV_KEEPONFORK,
		MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE,
	};
	void *area = any_area(t), *other = any_area(t);
	size_t len = any_pages(t);

	switch (fuzz_below(&t->rand, 8)) {
	case 0:
		mprotect(area, len, fuzz_below(&t->rand, 4));
		break;
	case 1:
		mmap(area, len, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		break;
	case 2:
		mremap(area, len, any_pages(t), MREMAP_MAYMOVE | MREMAP_FIXED, other);
		break;
	case 3:
		if (fuzz_one_in(&t->rand, 2))
			mlock(area, len);
		else
			munlock(area, len);
		break;
	case 4:
		msync(area, len, MS_SYNC);
		break;
	default:
		madvise(area, len, advices[fuzz_below(&t->rand, NR(advices))]);
	}
}

/*
 * Bytes for whatever is mapped there, a ring for instance.  The kernel writes them, so that
 * memory which is not there is no signal.
 */
static inline void call_scribble(struct thread *t)
{
	size_t len = fuzz_one_in(&t->rand, 2) ? fuzz_below(&t->rand, 160) :
						fuzz_below(&t->rand, 4096);
	uint8_t *at = any_area(t) + fuzz_below(&t->rand, 4096);
	uint32_t small[4];

	if (fuzz_one_in(&t->rand, 2)) {
		if (pread(pattern_fd, at, len, fuzz_below(&t->rand, PATTERN - 4096)) < 0)
			return;
	}
	for (unsigned int i = 0; i < NR(small); i++)
		small[i] = fuzz_edge(&t->rand);
	at = any_area(t) + 64 * fuzz_below(&t->rand, 3);
	if (write(t->pipe[1], small, sizeof(small)) > 0 &&
	    read(t->pipe[0], at, 4 + 4 * fuzz_below(&t->rand, 4)) < 0)
		while (read(t->pipe[0], t->buf, MESSAGE_MAX) > 0)
			;
}

static inline void call_pin(struct thread *t)
{
	size_t len;
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)any_bytes(t, &len), .length = len,
		.key = region_key(t), .access = fuzz_below(&t->rand, 8),
		.flags = UET_MR_FIXED_KEY | fuzz_below(&t->rand, 16),
	};
	struct uet_recv_post post = make_post(t);
	int fd = any_fd(t);

	uet_ioctl(fd, UET_IOC_MR_REG, &reg);
	post.flags |= UET_RECV_ADDR;
	post.key = 0;
	post.offset = (uintptr_t)any_bytes(t, &len);
	post.length = len;
	uet_ioctl(fd, UET_IOC_RECV_POST, &post);
}

/* Where the data of an operation is to go or to come from: our memory by its address. */
static inline void move_local(struct thread *t, struct msghdr *msg)
{
	struct uet_local local = { 0 };
	struct cmsghdr *cmsg;
	size_t len;

	if (msg->msg_control != t->control || msg->msg_controllen > sizeof(t->control))
		return;
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_UET || cmsg->cmsg_type != UET_CMSG_LOCAL ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(local)))
			continue;
		local.offset = (uintptr_t)any_bytes(t, &len);
		local.length = len;
		if (fuzz_one_in(&t->rand, 4)) {
			local.key = region_key(t);
			local.offset = fuzz_below(&t->rand, AREA_BYTES);
		}
		memcpy(CMSG_DATA(cmsg), &local, sizeof(local));
	}
}

/* Pages of the arena are sent, by reference or not, or received into. */
static inline void call_transfer(struct thread *t)
{
	struct sockaddr_uet addr;
	struct iovec iov[IOVS];
	struct msghdr msg;
	int flags = make_flags(t);

	make_send(t, &msg, iov, &addr);
	move_local(t, &msg);
	iov[0].iov_base = any_bytes(t, &iov[0].iov_len);
	if (fuzz_one_in(&t->rand, 3)) {
		recvmsg(any_fd(t), &msg, flags);
		return;
	}
	if (fuzz_one_in(&t->rand, 2))
		flags |= MSG_ZEROCOPY;
	sendmsg(any_fd(t), &msg, flags);
}

/* ---------------------------------------------------------------- processes */

static void *run_briefly(void *arg)
{
	for (int i = 0; i < 100; i++)
		any_call(arg);
	return NULL;
}

/* Calls that block are interrupted. */
static inline void interrupt_often(void)
{
	struct itimerval often = {
		.it_interval.tv_usec = 20000, .it_value.tv_usec = 20000,
	};

	setitimer(ITIMER_REAL, &often, NULL);
}

/* A copy of the process makes some calls; then it executes another program, or ends. */
static inline void be_child(struct thread *t)
{
	struct thread other;
	pthread_t id;

	interrupt_often();
	if (fuzz_one_in(&t->rand, 2)) {
		set_up_thread(&other, fuzz_u32(&t->rand));
		pthread_create(&id, NULL, run_briefly, &other);
	}
	for (unsigned int i = fuzz_below(&t->rand, 20); i; i--)
		any_call(t);
	switch (fuzz_below(&t->rand, 3)) {
	case 0:
		execl("/bin/true", "true", NULL);
		break;
	case 1:
		raise(SIGKILL);
	}
	_exit(0);
}

static inline void call_child(struct thread *t)
{
	static char *const args[] = { "true", NULL };
	pid_t pid;

	if (fuzz_one_in(&t->rand, 2)) {
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, args, NULL))
			return;
	} else {
		pid = fork();
		if (!pid)
			be_child(t);
	}
	if (pid <= 0)
		return;
	if (fuzz_one_in(&t->rand, 4))
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ------------------------------------------------------------------ kernel */

static inline void drop_netlink(void)
{
	if (nl >= 0)
		close(nl);
	nl = -1;
}

static inline struct item *put_item(struct request *req, uint16_t type)
{
	struct item *item = &req->items[req->nr++];

	*item = (struct item){ .type = type };
	return item;
}

static inline void begin_request(struct request *req, uint8_t cmd)
{
	memset(req, 0, offsetof(struct request, items));
	req->type = family;
	req->flags = NLM_F_REQUEST;
	req->cmd = cmd;
	req->version = UET_FAMILY_VERSION;
}

static inline void tell(struct request *req)
{
	uint8_t bytes[ITEMS_MAX * (ITEM_BYTES + 8)];

	if (nl < 0)
		nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	send(nl, bytes, encode(req, bytes, 1) - bytes, MSG_DONTWAIT);
}

/* A FEP on loopback and job 1, which sockets find, as far as they are not there. */
static inline void make_net(void)
{
	struct request req;
	struct item *item;

	begin_request(&req, UET_CMD_RAIL_NEW);
	set_number(put_item(&req, UET_A_RAIL_IFINDEX), UETNS_LO_IFINDEX, 4);
	set_number(put_item(&req, UET_A_RAIL_PLANE), 0, 4);
	tell(&req);
	begin_request(&req, UET_CMD_FEP_NEW);
	set_text(put_item(&req, UET_A_FEP_NAME), names[0]);
	item = put_item(&req, UET_A_FEP_ADDR4);
	item->len = 4;
	inet_pton(AF_INET, addrs[0], item->bytes);
	set_number(put_item(&req, UET_A_FEP_IFINDEX), UETNS_LO_IFINDEX, 4);
	tell(&req);
	begin_request(&req, UET_CMD_JOB_NEW);
	set_number(put_item(&req, UET_A_JOB_ID), 1, 4);
	set_text(put_item(&req, UET_A_JOB_FEP), names[0]);
	tell(&req);
}

/* A request that may succeed, or a damaged one; some of the answers are read. */
static inline void call_netlink(struct thread *t)
{
	struct request req;
	uint8_t bytes[4096];

	if (fuzz_one_in(&t->rand, 8))
		make_net();
	make_request(&req);
	if (fuzz_one_in(&t->rand, 4))
		damage(&req);
	tell(&req);
	for (int i = fuzz_below(&t->rand, 4); i; i--)
		recv(nl, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (fuzz_one_in(&t->rand, 8))
		drop_netlink();
}

/* Into a new network namespace, or back into one that is known. */
static inline void call_netns(struct thread *t)
{
	int fd, at = fuzz_below(&t->rand, NETS);

	if (!fuzz_one_in(&t->rand, 8))
		return;
	if (fuzz_one_in(&t->rand, 2)) {
		setns(nets[at], CLONE_NEWNET);
	} else if (!unshare(CLONE_NEWNET)) {
		fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
		fd = atomic_exchange(&nets[at], fd);
		if (fd >= 0)
			close(fd);
		uetns_loopback_up();
		drop_netlink();
		make_net();
	}
	drop_netlink();
}

/* Read the files of a namespace and of a socket. */
static inline void call_proc(struct thread *t)
{
	char path[300];
	struct dirent *entry;
	int fd, nr = fuzz_below(&t->rand, 4);
	DIR *dir;

	if (fuzz_one_in(&t->rand, 2)) {
		snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", any_fd(t));
	} else {
		dir = opendir("/proc/thread-self/net/uet");
		if (!dir)
			return;
		strcpy(path, "/proc/thread-self/net/protocols");
		while ((entry = readdir(dir)) && nr--)
			snprintf(path, sizeof(path), "/proc/thread-self/net/uet/%s",
				 entry->d_name);
		closedir(dir);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (read(fd, t->control, sizeof(t->control)) > 0)
		;
	if (fd >= 0)
		close(fd);
}

static const struct fuzz_call around[] = {
	{ call_map, 8 }, { call_advise, 6 }, { call_scribble, 6 }, { call_pin, 8 },
	{ call_transfer, 16 }, { call_child, 1 }, { call_netlink, 12 }, { call_netns, 1 },
	{ call_proc, 2 }, { call_uring, 8 }, { call_stream, 24 },
};

static inline void call_around(struct thread *t)
{
	fuzz_call_one(t, around, NR(around));
}

#endif
